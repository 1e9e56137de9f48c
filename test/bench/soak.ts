// The soak: serve-mock and who loops on it at full speed, for so many minutes: `soak.ts 10`. What it was sent is reset
// twenty times. Memory, handles and latency must stay as they are once both are warm; exit code 1 where they do not.
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi } from '../../src/client/api.ts'
import { createNetwork } from '../../src/client/network.ts'
import { decimal } from '../../src/contract/decimal.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { realClock } from '../support/in-process.ts'
import { runLoad } from './load.ts'
import { key, ordersIn, workOn } from './orders.ts'
import { handlesOf, settled, startService } from './servers.ts'
import { median, megabytes, renderTable, whole } from './table.ts'

const minutes = Number(process.argv[2] ?? 10)
const steps = 20
const stepMs = (minutes * 60_000) / steps
/** Of orderctl's own client, beside the bare connections. */
const loops = 2

const server = await startService()
const { mixed } = workOn(server.port)
const network = createNetwork({ baseUrl: `http://127.0.0.1:${server.port}`, environment: {} })
const authorized: Transport = (request) =>
  network({ ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } })
const api = createApi(authorized, { clock: realClock, random: Math.random })

let bought = 0
/** As a script would, over and over: each call must end well. */
const loop = async (end: number): Promise<void> => {
  while (performance.now() < end) {
    bought += 1
    const line = { sku: 'GAME-US', productType: 'fixed', quote: decimal('25'), quantity: 1 }
    const order = { productList: [line], wallet: 'USD', reference: `soak-${bought}` }
    const created = await api.create(order)
    if (created.kind !== 'done') throw new Error(JSON.stringify(created))
    for (const ended of [await api.confirm(created.data.id), await api.get(created.data.id)]) {
      if (ended.kind !== 'done') throw new Error(JSON.stringify(ended))
    }
  }
}

const samples: { readonly [Figure in (typeof judged)[number]['name']]: number }[] = []
const judged = [
  { name: 'memory of serve-mock', mayGrow: 1.1 },
  { name: 'memory of the client', mayGrow: 1.1 },
  { name: 'handles of serve-mock', mayGrow: 1.05 },
  { name: 'handles of the client', mayGrow: 1.05 },
  { name: 'p50', mayGrow: 1.25 },
  { name: 'p99', mayGrow: 1.5 },
] as const

const head = ['minute', 'orders', 'requests/s', 'p50 ms', 'p99 ms', 'max ms', 'server MB', 'client MB']
const rows = [[...head, 'server fds', 'client fds']]
let requests = 0
for (let step = 1; step <= steps; step += 1) {
  const end = performance.now() + stepMs
  const [load, handles] = await Promise.all([
    runLoad({ port: server.port, work: mixed, ms: stepMs }),
    sleep(stepMs / 2).then(() => [server.handles(), handlesOf(process.pid)] as const),
    ...Array.from({ length: loops }, () => loop(end)),
  ])
  requests += load.requests
  const memory = [server.memory(), process.memoryUsage.rss()] as const
  const [p50, p99] = [load.latency.percentile(50), load.latency.percentile(99)]
  samples.push({
    ...{ 'memory of serve-mock': memory[0], 'memory of the client': memory[1], p50, p99 },
    ...{ 'handles of serve-mock': handles[0], 'handles of the client': handles[1] },
  })
  rows.push([
    ((step * minutes) / steps).toFixed(1),
    whole(ordersIn(requests) + bought),
    whole(load.perSecond),
    ...[p50, p99, load.latency.max].map((microseconds) => (microseconds / 1000).toFixed(1)),
    ...memory.map(megabytes),
    ...handles.map(String),
  ])
  await settled()
  const { status } = await authorized({ method: 'POST', path: '/_mock/reset', headers: {} })
  if (status !== 200) throw new Error(`no reset: ${status}`)
}
await network.close()
await server.stop()
console.log(renderTable(rows))

const third = Math.floor(samples.length / 3)
for (const { name, mayGrow } of judged) {
  const figures = samples.map((sample) => sample[name])
  const grown = median(figures.slice(-third)) / median(figures.slice(third, 2 * third))
  const isFlat = grown <= mayGrow
  console.log(
    `${name}: ${grown.toFixed(2)} times as much in the last third as in the second${isFlat ? '' : ' - it grows'}`,
  )
  if (!isFlat) process.exitCode = 1
}
