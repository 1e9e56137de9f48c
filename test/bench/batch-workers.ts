// The bench of a batch with workers: 2,000 orders with 1, 2 and 4 workers and a journal in PostgreSQL, beside one process
// with a journal in a file; then with a longer way between the workers and the database. `--orders` changes the number,
// `--latency` the round-trip times in milliseconds. It judges nothing.

import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { openSharedJournal } from '../../src/journal/shared/shared-journal.ts'
import type { TestDatabase } from '../support/postgres/database.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { cardsOfOrder } from './batch-products.ts'
import { childrenCpuMs } from './servers.ts'
import { environmentOf, journalOptions, startDatabases } from './shared/database.ts'
import {
  type Counters,
  countPerOrder,
  readCounters,
  renderCounters,
  renderTables,
} from './shared/database-counters.ts'
import { atOnce, runWorkers, type WorkerSpeed } from './shared/worker-run.ts'
import { median, renderTable, whole } from './table.ts'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '1,2,4' },
    latency: { type: 'string', default: '0,1,5' },
  },
})
type Place = { readonly host: string; readonly port: number }
type Databases = Awaited<ReturnType<typeof startDatabases>>

const readList = (text: string): number[] => text.split(',').map(Number)
const orders = Number(values.orders)

/** The median of a few queries, in milliseconds. */
const measureRoundTrip = async (database: TestDatabase, place: Place): Promise<number> => {
  const login = { user: database.nameOf('ana'), password: database.password, database: database.name }
  const client = new Client({ host: place.host, port: place.port, ...login, ssl: false })
  await client.connect()
  const times: number[] = []
  for (let index = 0; index < 20; index += 1) {
    const start = performance.now()
    await client.query('SELECT 1')
    times.push(performance.now() - start)
  }
  await client.end()
  return median(times)
}

const untilStarted = async (database: TestDatabase): Promise<void> => {
  for (;;) {
    const found = await database.admin('SELECT 1 FROM batches WHERE started_at IS NOT NULL')
    if (found.length > 0) return
    await sleep(20)
  }
}

type Result = {
  readonly speed: WorkerSpeed
  /** The processor time of the database's processes. */
  readonly databaseMs: number
  readonly roundTripMs: number
  readonly counters: Counters
  readonly tables: string
}

const runShared = async (databases: Databases, workers: number, latency: number): Promise<Result> => {
  const database = await databases.create()
  await (await openSharedJournal(journalOptions(database))).close()
  await using proxy = await openTcpProxy(database)
  proxy.delay(latency)
  const place = latency === 0 ? database : proxy
  const roundTripMs = await measureRoundTrip(database, place)
  const before = await readCounters(database)
  const journal = environmentOf(database, place)
  const cpuBefore = childrenCpuMs(databases.pid())
  const speed = await runWorkers({ orders, workers, journal, untilStarted: () => untilStarted(database) })
  const counters = countPerOrder(before, await readCounters(database), orders)
  const databaseMs = (childrenCpuMs(databases.pid()) - cpuBefore) / orders
  return { speed, databaseMs, roundTripMs, counters, tables: await renderTables(database, orders) }
}

const renderSpeed = ({ ordersPerSecond, cpuMsPerOrder }: WorkerSpeed): string[] => [
  ordersPerSecond.toFixed(1),
  cpuMsPerOrder.toFixed(0),
]

const speeds: string[][] = []
let tables: string | undefined
const costs: [name: string, counters: Counters][] = []
const databases = await startDatabases()
try {
  const file = await runWorkers({ orders, workers: 1, journal: {}, untilStarted: async () => {} })
  speeds.push(['1 process, journal in a file', '', ...renderSpeed(file), ''])
  for (const latency of readList(values.latency)) {
    for (const workers of readList(values.workers)) {
      console.error(`${workers} with ${latency} ms …`)
      const result = await runShared(databases, workers, latency)
      const name = `${workers} ${workers === 1 ? 'worker' : 'workers'}, PostgreSQL, ${latency === 0 ? 'loopback' : `+${latency} ms`}`
      const { speed, roundTripMs, databaseMs } = result
      speeds.push([name, roundTripMs.toFixed(2), ...renderSpeed(speed), databaseMs.toFixed(0)])
      costs.push([name, result.counters])
      tables ??= result.tables
    }
  }
} finally {
  await databases.stop()
}
const title = `${whole(orders)} orders, ${atOnce} at once in each process`
const headings = ['round trip ms', 'orders/s', 'CPU ms, orderctl', 'CPU ms, PostgreSQL']
console.log(renderTable([[title, ...headings], ...speeds]))
console.log(`\n${renderCounters(`per order of ${cardsOfOrder} cards`, costs)}\n\n${tables}`)
