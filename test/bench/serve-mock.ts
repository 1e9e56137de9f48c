// The bench: serve-mock beside a bare node:http echo, under the same load, by turns; then with a state file, beside
// bare SQLite transactions. It judges nothing.
import { createHistogram } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { type Load, runLoad } from './load.ts'
import { runMillion } from './million.ts'
import { type Kind, kinds, workOn } from './orders.ts'
import { type Server, settled, startEcho, startService } from './servers.ts'
import { measureStartUp } from './start-up.ts'
import { compareStateFile } from './state-file.ts'
import { median, megabytes, renderTable, whole } from './table.ts'

const rounds = 6
const roundMs = 700
const startUps = 15
const goals: Readonly<Partial<Record<Kind, string>>> = {
  create: '>= 0.35',
  confirm: '>= 0.35',
  get: '>= 0.70',
}

type Round = Load & { readonly cpuMicroseconds: number }

type Side = {
  readonly server: Server
  readonly work: ReturnType<typeof workOn>
  readonly memoryBefore: number
  readonly loads: Readonly<Record<Kind, Round[]>>
}

const sideOf = (server: Server): Side => ({
  server,
  work: workOn(server.port),
  memoryBefore: server.memory(),
  loads: { create: [], confirm: [], get: [], mixed: [] },
})

/** How long the service's answers are, so that the echo's are as long. */
const sizesOf = async ({ port }: Server): Promise<Record<string, number>> => {
  const sizes: Record<string, number> = {}
  const work = workOn(port)
  for (const [kind, path] of [
    ['create', '/order/create'],
    ['confirm', '/order/confirm'],
    ['get', '/order/get'],
  ] as const) {
    let bytes = 0
    let answers = 0
    const measured = function* () {
      const inner = work[kind]()
      let { value } = inner.next()
      for (; value !== undefined; answers += 1) {
        const body: string = yield value
        bytes += body.length
        value = inner.next(body).value
      }
    }
    await runLoad({ port, work: measured, ms: 200 })
    sizes[path] = Math.round(bytes / answers)
  }
  return sizes
}

const compare = async (): Promise<void> => {
  const startUp = await measureStartUp(startUps)
  const service = await startService()
  const ours = sideOf(service)
  const sizes = await sizesOf(service)
  const echo = sideOf(await startEcho(sizes))

  // Round 0 warms both up. Who begins changes from round to round, so that neither has the better place.
  for (let round = 0; round <= rounds; round += 1) {
    for (const kind of kinds) {
      for (const side of round % 2 === 0 ? [ours, echo] : [echo, ours]) {
        const { port, cpuMs } = side.server
        const before = cpuMs()
        const load = await runLoad({ port, work: side.work[kind], ms: roundMs })
        if (side === ours && (kind === 'confirm' || kind === 'mixed')) await settled()
        const cpuMicroseconds = ((cpuMs() - before) * 1000) / load.requests
        if (round > 0) side.loads[kind].push({ ...load, cpuMicroseconds })
      }
    }
  }
  const rows = [
    ['what', 'ours', 'echo', 'ratio (rounds)', 'goal'],
    ...kinds.flatMap((kind) => rowsOf(kind, ours, echo)),
  ]
  const memory = ({ server, memoryBefore }: Side) =>
    `${megabytes(memoryBefore)} -> ${megabytes(server.memory())}`
  rows.push(['memory before -> after, MB', memory(ours), memory(echo), '', ''])
  const [our, bare] = [median(startUp.ours), median(startUp.bare)]
  rows.push(['listening, ms (bare Node)', whole(our), whole(bare), `+ ${whole(our - bare)} ms`, '<= + 60 ms'])
  rows.push(['  the first start ever', whole(startUp.first), '', '', ''])
  console.log(renderTable(rows))

  const busy = Math.max(
    ...[ours, echo].flatMap((side) => kinds.flatMap((kind) => side.loads[kind].map((load) => load.busy))),
  )
  console.log(`
Medians of ${rounds} rounds of ${roundMs} ms each, by turns; 16 connections; Node ${process.versions.node}; the load was busy ${whole(busy * 100)} % of its time at most.
Answers, bytes: ${Object.entries(sizes)
    .map(([path, size]) => `${path} ${size}`)
    .join(', ')}. The CPU of a confirmation includes the delivery of its codes.`)
  await Promise.all([ours.server.stop(), echo.server.stop()])
  console.log()
  await compareStateFile()
}

const rowsOf = (kind: Kind, ours: Side, echo: Side): string[][] => {
  const row = (name: string, goal: string, figure: (round: Round) => number, isCost: boolean) => {
    const [our, bare] = [ours.loads[kind].map(figure), echo.loads[kind].map(figure)]
    const ratios = our.map((value, round) => {
      const ratio = value / (bare[round] ?? Number.NaN)
      return isCost ? 1 / ratio : ratio
    })
    const [low, middle, high] = [Math.min(...ratios), median(ratios), Math.max(...ratios)].map((ratio) =>
      ratio.toFixed(2),
    )
    return [name, whole(median(our)), whole(median(bare)), `${middle} (${low} to ${high})`, goal]
  }
  return [
    row(`${kind}, requests/s`, goals[kind] ?? '', ({ perSecond }) => perSecond, false),
    row('  CPU, us a request', '', ({ cpuMicroseconds }) => cpuMicroseconds, true),
    ['  p50 / p99 / max, ms', latencyOf(ours.loads[kind]), latencyOf(echo.loads[kind]), '', ''],
  ]
}

const latencyOf = (loads: readonly Round[]): string => {
  const all = createHistogram()
  for (const { latency } of loads) all.add(latency)
  return [all.percentile(50), all.percentile(99), all.max]
    .map((value) => (value / 1000).toFixed(2))
    .join(' / ')
}

const { values } = parseArgs({ options: { million: { type: 'boolean' } } })
await (values.million === true ? runMillion() : compare())
