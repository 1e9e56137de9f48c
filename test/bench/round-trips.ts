// Counts the round trips of each transaction of a batch from the log of the server: the answers are delayed so much that
// each round trip shows as a gap. Also counts how many of them a transaction holds the lock of the batch for, which its
// other workers wait for.
import { setTimeout as sleep } from 'node:timers/promises'
import { openSharedJournal } from '../../src/journal/shared/shared-journal.ts'
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'
import { environmentOf, journalOptions, startDatabases } from './shared/database.ts'
import { runWorkers } from './shared/worker-run.ts'
import { renderTable } from './table.ts'

const orders = 10
const delayMs = 60
/** Before each entry of the log: the process of the server and the time in seconds. */
const prefix = '@@%p %n '

type Statement = { readonly atMs: number; readonly sql: string }
type Transaction = {
  /** What it writes. */
  readonly name: string
  readonly statements: number
  readonly roundTrips: number
  readonly locked: number
}

const readStatements = (log: string): Statement[][] => {
  const entries = log.split('@@').flatMap((entry) => {
    const [, server = '', seconds, sql = ''] =
      /^(\d+) ([\d.]+) LOG: {2}(?:execute <unnamed>|statement): (.*)/s.exec(entry) ?? []
    return seconds === undefined || sql.startsWith('SET LOCAL')
      ? []
      : [{ server, atMs: Number(seconds) * 1000, sql }]
  })
  return [...Map.groupBy(entries, ({ server }) => server).values()]
}

const listTransactions = (statements: readonly Statement[]): Transaction[] => {
  const found: Transaction[] = []
  let open: Statement[] = []
  for (const statement of statements) {
    if (statement.sql.startsWith('BEGIN')) open = []
    open.push(statement)
    if (statement.sql.startsWith('COMMIT')) found.push(describe(open))
  }
  return found
}

const describe = (statements: readonly Statement[]): Transaction => {
  const writes = statements.flatMap(({ sql }) =>
    [...sql.matchAll(/\b(INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)/g)].map(([, , table]) => table ?? ''),
  )
  const lock = statements.findIndex(({ sql }) => /FROM batches .*FOR NO KEY UPDATE/s.test(sql))
  return {
    name: [...new Set(writes)].join(', '),
    statements: statements.length,
    // The answer to COMMIT ends the last one.
    roundTrips: countGaps(statements) + 1,
    locked: lock === -1 ? 0 : countGaps(statements.slice(lock)),
  }
}

const countGaps = (statements: readonly Statement[]): number =>
  statements.filter(({ atMs }, index) => atMs - (statements[index - 1]?.atMs ?? atMs) > delayMs * 0.7).length

const databases = await startDatabases([`log_statement = 'all'`, `log_line_prefix = '${prefix}'`])
try {
  const database = await databases.create()
  await (await openSharedJournal(journalOptions(database))).close()
  const skipped = databases.log().length
  await using proxy = await openTcpProxy(database)
  proxy.delay(delayMs)
  const journal = environmentOf(database, proxy)
  await runWorkers({ orders, workers: 1, journal, parallel: 1, untilStarted: () => sleep(0) })
  const all = readStatements(databases.log().slice(skipped)).flatMap(listTransactions)
  const ofOrders = [...Map.groupBy(all, ({ name }) => name)].filter(([, some]) => some.length >= orders)
  const rows = ofOrders.map(([name, some]) => {
    const least = (read: (each: Transaction) => number): number => Math.min(...some.map(read))
    return {
      name,
      number: some.length / orders,
      statements: least((each) => each.statements),
      roundTrips: least((each) => each.roundTrips),
      locked: least((each) => each.locked),
    }
  })
  console.log(
    renderTable([
      ['transactions of an order, by what they write', 'number', 'statements', 'round trips', 'batch locked'],
      ...rows.map(({ name, number, statements, roundTrips, locked }) => [
        name,
        number.toFixed(1),
        ...[statements, roundTrips, locked].map(String),
      ]),
    ]),
  )
  const locked = rows.reduce((sum, each) => sum + each.locked, 0)
  const bounds = [1, 5, 20, 50].map((ms) => `${(1000 / ms / locked).toFixed(1)} at ${ms} ms`)
  console.log(
    `\nbatch locked for ${locked} round trips per order: at most ${bounds.join(', ')} orders per second`,
  )
} finally {
  await databases.stop()
}
