// The bench of batch: 2,000 orders beside a bare undici loop that makes the same calls without a journal, by turns.
// `--bare` runs only the loop. It judges nothing.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { cardsOfOrder, cardsOfProduct, listProductFlags, products } from './batch-products.ts'
import { key } from './orders.ts'
import { executable, folder, memoryOf, startService } from './servers.ts'
import { median, megabytes, renderTable } from './table.ts'

const rounds = 3
const orders = 2_000
const atOnce = 16
const sampleMs = 250
const cards = orders * cardsOfOrder

type Run = {
  readonly ordersPerSecond: number
  /** Resident memory during the run, in bytes. */
  readonly memory: readonly number[]
}

const bareLoop = fileURLToPath(import.meta.resolve('./bare-batch.ts'))

/** Runs the words against a service of its own. `check` throws if the output is not that of a whole batch. */
const measure = async (
  name: string,
  words: readonly string[],
  check: (output: string) => void,
): Promise<Run> => {
  const service = await startService()
  const start = performance.now()
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      CI: 'true',
      ORDERCTL_BASE_URL: `http://127.0.0.1:${service.port}`,
      ORDERCTL_API_KEY: key,
      ORDERCTL_STATE_DIR: path.join(folder, name),
    },
  })
  process.once('exit', () => child.kill())
  const memory: number[] = []
  const sampler = setInterval(() => memory.push(memoryOf(child.pid)), sampleMs)
  child.once('exit', () => clearInterval(sampler))
  const exit = once(child, 'exit')
  const output = Buffer.concat(await child.stdout.toArray()).toString()
  const [code] = await exit
  const seconds = (performance.now() - start) / 1000
  await service.stop()
  if (code !== 0) throw new Error(`${path.basename(words[0] ?? '')} ended with ${code}: ${output}`)
  check(output)
  return { ordersPerSecond: orders / seconds, memory }
}

const runLoop = (round: number): Promise<Run> => {
  const lines = products.map((product) => {
    const [sku, quote] = product.split(':')
    return { sku, productType: 'fixed', quote: Number(quote), quantity: cardsOfProduct }
  })
  const options = { orders, atOnce, lines }
  return measure(`bare-${round}`, [bareLoop, JSON.stringify(options)], (output) => {
    if (Number(output) !== orders) throw new Error(`the bare loop bought ${output} orders`)
  })
}

const runBatch = (round: number): Promise<Run> => {
  const flags = listProductFlags(orders)
  const more = ['--wallet=USD', '--max-total=100000000', '--name=bench', `--parallel=${atOnce}`, '--json']
  return measure(`batch-${round}`, [executable, 'batch', 'run', ...flags, ...more], (output) => {
    const { delivered } = JSON.parse(output).cards
    if (delivered !== cards) throw new Error(`the batch delivered ${delivered} of ${cards} cards`)
  })
}

const { values } = parseArgs({ options: { bare: { type: 'boolean' } } })
const sides = values.bare === true ? [runLoop] : [runLoop, runBatch]
const runs = new Map<unknown, Run[]>(sides.map((side) => [side, []]))
for (let round = 0; round < rounds; round += 1) {
  // Whoever begins finds a quiet machine, so the sides take turns.
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) runs.get(side)?.push(await side(round))
}

const speedsOf = (side: unknown): number[] =>
  (runs.get(side) ?? []).map(({ ordersPerSecond }) => ordersPerSecond)
const memoryAt = (side: unknown, share: number): string =>
  megabytes(
    median(
      (runs.get(side) ?? []).map(({ memory }) => memory[Math.ceil(memory.length * share) - 1] ?? Number.NaN),
    ),
  )
const rowOf = (name: string, side: unknown): string[] => [
  name,
  median(speedsOf(side)).toFixed(1),
  memoryAt(side, 0.25),
  memoryAt(side, 1),
]
console.log(
  renderTable([
    [`${orders} orders, ${atOnce} at once`, 'orders/s', 'MB at 25 %', 'MB at 100 %'],
    rowOf('bare loop', runLoop),
    ...(values.bare === true ? [] : [rowOf('orderctl batch run', runBatch)]),
  ]),
)
if (values.bare !== true) {
  const ratios = speedsOf(runBatch).map((speed, round) => speed / (speedsOf(runLoop)[round] ?? Number.NaN))
  console.log(`\nratio ${median(ratios).toFixed(2)}, goal >= 0.80; medians of ${rounds} rounds by turns`)
}
