// `batch run` with one process and with several workers, beside a loop of the same calls without a journal.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openScratch } from '../support/scratch.ts'
import { type Counters, counters, journalIn, openDatabase, startDatabases } from './database-server.ts'
import { compare, median, type Size, type Table, takeTurns } from './measure.ts'
import {
  accountAt,
  createHome,
  openClient,
  orderctl,
  parallel,
  readChildrenCpuMs,
  type Server,
  startService,
} from './processes.ts'

const sizes = {
  smoke: { orders: 6, slowOrders: 6, rounds: 1 },
  normal: { orders: 250, slowOrders: 125, rounds: 3 },
}

/** None of these products is limited in stock. */
const products = ['GAME-US:25', 'MUSIC-US:9.99', 'GAME-DE:20', 'MUSIC-FR:10.99', 'FILM-AU:20']
/** In each order. */
const cardsOfProduct = 5
const cardsOfOrder = products.length * cardsOfProduct

/** Buys the orders in a shop of its own. */
type Buy = (shop: {
  readonly service: Server
  readonly env: NodeJS.ProcessEnv
  readonly orders: number
}) => Promise<void>

/** An order is read first 250 ms after its confirm, then less and less often, as in a batch. */
const buyWithLoop: Buy = async ({ service, orders }) => {
  const { call, sendAll } = openClient(service.origin)
  const productList = products.map((product) => {
    const [sku, quote] = product.split(':')
    return { sku, productType: 'fixed', quote: Number(quote), quantity: cardsOfProduct }
  })
  await sendAll(orders, async (index) => {
    const order = { productList, wallet: 'USD', reference: `bare-${index}` }
    const { id } = await call('POST', '/order/create', order)
    await call('PUT', '/order/confirm', { orderId: id })
    for (let intervalMs = 250; ; intervalMs *= 1.5) {
      await delay(intervalMs)
      const { state } = await call('GET', `/order/get?orderId=${id}`)
      if (state === 'successful') return
    }
  })
}

const spawnText = promisify(execFile)

const buyWithWorkers =
  (workers: number): Buy =>
  async ({ env, orders }) => {
    const [node, ...program] = orderctl as [string, string]
    const batch = (...words: string[]) => spawnText(node, [...program, 'batch', ...words, '--json'], { env })
    const flags = products.map((product) => `--product=${product}x${orders * cardsOfProduct}`)
    await batch('plan', ...flags, '--wallet=USD', '--name=bench')
    const runs = Array.from({ length: workers }, () =>
      batch('run', 'bench', '--max-total=100000000', `--parallel=${parallel}`),
    )
    for (const { stdout } of await Promise.all(runs)) {
      const { delivered } = JSON.parse(stdout).cardCounts
      if (delivered !== orders * cardsOfOrder) throw new Error(`the batch delivered ${delivered} cards`)
    }
  }

/** The service must have confirmed each order once, and no others. */
const checkConfirms = ({ log }: Server, orders: number): void => {
  const confirms = log()
    .split('\n')
    .filter((line) => line.includes('"/order/confirm"'))
    .map((line): { httpStatus: number; orderId: string } => JSON.parse(line))
  const confirmed = new Set(confirms.map(({ httpStatus, orderId }) => (httpStatus === 200 ? orderId : '')))
  if (confirms.length !== orders || confirmed.size !== orders || confirmed.has(''))
    throw new Error(`${orders} orders, but ${confirms.length} confirms of ${confirmed.size} orders`)
}

type Run = {
  readonly perSecond: number
  /** Per order, of the workers and the service. */
  readonly cpuMs: number
  /** Per order. */
  readonly database?: Counters
}

type Shop = {
  readonly journal?: NodeJS.ProcessEnv
  /** Of serve-mock. */
  readonly flags?: readonly string[]
  /** The number of orders. */
  readonly count?: number
}

/** How long the service takes to deliver a slow order. */
const slowSeconds = 2

const loopName = 'loop of the same calls, no journal'
const mostWorkersName = '4 workers, PostgreSQL'

/** Undefined without a database. */
const findMedians = (runs: readonly Run[]): Counters | undefined => {
  const found = runs.flatMap(({ database }) => database ?? [])
  if (found.length === 0) return undefined
  const medians = counters.map((name) => [name, median(found.map((each) => each[name]))])
  return Object.fromEntries(medians)
}

const formatCounters = ({ cpuMs, transactions, commits, walBytes, diskBytes }: Counters): string[] => [
  cpuMs.toFixed(0),
  transactions.toFixed(1),
  commits.toFixed(1),
  (walBytes / 1000).toFixed(0),
  (diskBytes / 1000).toFixed(0),
]

/** What ten thousand orders an hour need. */
const describeLoad = ({ cpuMs, transactions, commits, walBytes, diskBytes }: Counters): string => {
  const perSecond = (perOrder: number): string => ((perOrder * 10_000) / 3_600).toFixed(0)
  const gigabytesPerDay = (perOrder: number): string => ((perOrder * 240_000) / 1e9).toFixed(1)
  return (
    `By the row of 4 workers, 10,000 orders an hour need ${perSecond(transactions)} transactions and ` +
    `${perSecond(commits)} commits a second, ${perSecond(cpuMs / 10)} % of a core for PostgreSQL, and a day ` +
    `${gigabytesPerDay(walBytes)} GB of WAL and ${gigabytesPerDay(diskBytes)} GB of disk.`
  )
}

export const measureBatch = async (size: Size): Promise<Table> => {
  const { orders, slowOrders, rounds } = sizes[size]
  using scratch = openScratch()
  await using databases = await startDatabases()
  let homes = 0

  const readCpuMs = (): number => {
    const { user, system } = process.cpuUsage()
    return readChildrenCpuMs(process.pid) + (user + system) / 1000
  }
  const measure = async (buy: Buy, { journal = {}, flags = [], count = orders }: Shop = {}): Promise<Run> => {
    const home = path.join(scratch.folder, String(++homes))
    const cpuBefore = readCpuMs()
    let perSecond: number
    {
      await using service = await startService(path.join(home, 'service'), ...flags)
      // All runs share the compile cache.
      const env = createHome(home, {
        ...accountAt(service.origin),
        ...journal,
        XDG_CACHE_HOME: scratch.folder,
      })
      const start = performance.now()
      await buy({ service, env, orders: count })
      perSecond = (count * 1000) / (performance.now() - start)
      checkConfirms(service, count)
    }
    return { perSecond, cpuMs: (readCpuMs() - cpuBefore) / count }
  }
  const measureShared = async (workers: number): Promise<Run> => {
    await using database = await databases.create()
    await (await openDatabase(database)).close()
    const count = await databases.startCounting(database)
    const found = await measure(buyWithWorkers(workers), { journal: journalIn(database) })
    return { ...found, database: await count(orders) }
  }
  const found = await takeTurns<string, Run>(rounds, {
    [loopName]: () => measure(buyWithLoop),
    '1 process, journal in a file': () => measure(buyWithWorkers(1)),
    '1 worker, PostgreSQL': () => measureShared(1),
    '2 workers, PostgreSQL': () => measureShared(2),
    [mostWorkersName]: () => measureShared(4),
  })
  const loops = (found[loopName] ?? []).map(({ perSecond }) => perSecond)
  const rows = Object.entries(found).map(([name, runs]) => {
    const { ours, ratio } = compare(
      runs.map(({ perSecond }) => perSecond),
      loops,
    )
    const cells = [ours.toFixed(1), ratio.toFixed(2), median(runs.map(({ cpuMs }) => cpuMs)).toFixed(0)]
    const medians = findMedians(runs)
    return [name, ...cells, ...(medians === undefined ? counters.map(() => '') : formatCounters(medians))]
  })
  const slow: Shop = { flags: [`--processing-time=${slowSeconds}s`], count: slowOrders }
  const foundSlow = await takeTurns(rounds, {
    loop: () => measure(buyWithLoop, slow),
    batch: () => measure(buyWithWorkers(1), slow),
  })
  const secondsOf = (runs: readonly Run[]): string =>
    median(runs.map(({ perSecond }) => slowOrders / perSecond)).toFixed(1)
  const mostWorkers = findMedians(found[mostWorkersName] ?? [])
  return {
    title: 'Batch',
    columns: [
      '',
      'orders/s',
      'ratio',
      'CPU ms',
      'CPU ms, PostgreSQL',
      'transactions',
      'commits',
      'WAL kB',
      'disk kB',
    ],
    rows,
    note: `Medians of ${rounds} rounds of ${orders} orders with ${cardsOfOrder} cards each, ${parallel} of them in progress in each process. The time includes the plan. All columns after the ratio are per order. The first processor time is that of orderctl and the service. ${slowOrders} orders that the service delivers ${slowSeconds} s after their confirm take ${secondsOf(foundSlow.batch)} s in one process, and ${secondsOf(foundSlow.loop)} s in the loop. ${mostWorkers === undefined ? '' : describeLoad(mostWorkers)}`,
  }
}
