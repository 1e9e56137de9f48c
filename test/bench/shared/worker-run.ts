// Runs one batch with several workers, each a process of its own, and checks by the service what they bought.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import { cardsOfOrder, listProductFlags } from '../batch-products.ts'
import { key } from '../orders.ts'
import { childrenCpuMs, executable, folder, type Server, startService } from '../servers.ts'

export const atOnce = 16
const name = 'bench'

export type WorkerRun = {
  readonly orders: number
  readonly workers: number
  /** Orders in progress at once in each process. */
  readonly parallel?: number
  /** The variables that select the journal. */
  readonly journal: NodeJS.ProcessEnv
  /** Resolves when the batch is started, so that workers can join it. */
  readonly untilStarted: () => Promise<void>
}

export type WorkerSpeed = {
  /** From the start of the first process to the end of the last. */
  readonly ordersPerSecond: number
  /** The processor time of all workers and the service. */
  readonly cpuMsPerOrder: number
}

let runs = 0

export const runWorkers = async ({
  orders,
  workers,
  parallel = atOnce,
  journal,
  untilStarted,
}: WorkerRun): Promise<WorkerSpeed> => {
  runs += 1
  const home = path.join(folder, `workers-${runs}`)
  const service = await startService('--json')
  const env = {
    ...process.env,
    ...journal,
    CI: 'true',
    ORDERCTL_BASE_URL: `http://127.0.0.1:${service.port}`,
    ORDERCTL_API_KEY: key,
    ORDERCTL_STATE_DIR: home,
    XDG_CACHE_HOME: folder,
  }
  const run = async (...words: string[]): Promise<string> => {
    const child = spawn(process.execPath, [executable, 'batch', ...words, '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const kill = () => void child.kill()
    process.once('exit', kill)
    const exit = once(child, 'exit')
    const [output, errors] = await Promise.all([child.stdout, child.stderr].map(readText))
    const [code] = await exit
    process.off('exit', kill)
    if (code !== 0) throw new Error(`batch ${words.join(' ')} ended with ${code}: ${errors}`)
    return output ?? ''
  }
  const buy = async (...flags: string[]): Promise<void> => {
    const output = await run('run', name, `--parallel=${parallel}`, ...flags)
    const { delivered } = JSON.parse(output).cards
    if (delivered !== orders * cardsOfOrder) throw new Error(`the batch delivered ${delivered} cards`)
  }
  await run('plan', ...listProductFlags(orders), '--wallet=USD', `--name=${name}`)
  const cpuBefore = childrenCpuMs(process.pid)
  const start = performance.now()
  const first = buy('--max-total=100000000')
  if (workers > 1) await Promise.race([untilStarted(), first])
  await Promise.all([first, ...Array.from({ length: workers - 1 }, () => buy('--worker'))])
  const seconds = (performance.now() - start) / 1000
  checkService(service, orders)
  await service.stop()
  const cpuMsPerOrder = (childrenCpuMs(process.pid) - cpuBefore) / orders
  return { ordersPerSecond: orders / seconds, cpuMsPerOrder }
}

const readText = async (stream: Readable): Promise<string> => Buffer.concat(await stream.toArray()).toString()

/** The service must have confirmed each order once, and no others. */
const checkService = ({ log }: Server, orders: number): void => {
  const confirms = log()
    .split('\n')
    .filter((line) => line.includes('"/order/confirm"'))
    .map((line): { status: number; orderId: string } => JSON.parse(line))
  const done = confirms.filter(({ status }) => status === 200)
  const confirmed = new Set(done.map(({ orderId }) => orderId))
  const counts = [confirms.length, done.length, confirmed.size]
  if (counts.some((count) => count !== orders))
    throw new Error(`${orders} orders, but confirms, successes and confirmed orders are ${counts.join(', ')}`)
}
