// What the journal in PostgreSQL costs a call that spends: its two commits beside two bare commits of the same client
// library, which write as many bytes. By turns.
import { performance } from 'node:perf_hooks'
import { Client } from 'pg'
import { openSharedJournal } from '../../../src/journal/shared/shared-journal.ts'
import type { TestDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { median, renderTable } from '../table.ts'
import { journalOptions } from './database.ts'
import { type Call, callsOf } from './journal-calls.ts'

type Place = { readonly host: string; readonly port: number }

const warmUps = 50
/** By this delay, the round trips are counted. */
const delayMs = 20
const delayedCalls = 10

const timed = async (work: () => Promise<void>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
const ms = (value: number): string => value.toFixed(2)

const connectBare = async (database: TestDatabase, place: Place = database): Promise<Client> => {
  const { host, port } = place
  const login = { user: database.nameOf('ana'), password: database.password, database: database.name }
  const client = new Client({ host, port, ...login, ssl: false })
  await client.connect()
  await client.query('SET synchronous_commit = on')
  await client.query('CREATE TABLE IF NOT EXISTS bare (number BIGSERIAL PRIMARY KEY, content TEXT)')
  return client
}

const bareCommits =
  (client: Client, bytes: number): Call =>
  async () => {
    for (let commit = 0; commit < 2; commit += 1) {
      await client.query('BEGIN')
      await client.query('INSERT INTO bare (content) VALUES ($1)', ['x'.repeat(bytes)])
      await client.query('COMMIT')
    }
  }

/** Of the rows that a commit writes: an order and a call. */
const readRowBytes = async (database: TestDatabase): Promise<number> => {
  const [row] = await database.admin(
    `SELECT pg_column_size(orders) + pg_column_size(calls) AS bytes
     FROM orders JOIN calls ON order_number = orders.number ORDER BY calls.number DESC LIMIT 1`,
  )
  return Number(row?.bytes)
}

type Times = { readonly create: number[]; readonly confirm: number[]; readonly bare: number[] }

/** The bare commits and those of the journal take turns. */
const measure = async (
  sides: Readonly<Record<keyof Times, Call>>,
  orders: { readonly first: number; readonly count: number },
): Promise<Times> => {
  const times: Times = { create: [], confirm: [], bare: [] }
  for (let index = orders.first; index < orders.first + orders.count; index += 1) {
    for (const name of ['bare', 'create', 'bare', 'confirm'] as const)
      times[name].push(await timed(() => sides[name](index)))
  }
  return times
}

/** How much a delay of the answers adds to the fastest call, in round trips. The bare commits have six. */
const measureRoundTrips = async (
  database: TestDatabase,
  bytes: number,
  first: number,
): Promise<(name: keyof Times) => string> => {
  await using proxy = await openTcpProxy(database)
  const journal = await openSharedJournal(journalOptions(database, proxy))
  const client = await connectBare(database, proxy)
  const sides = { ...callsOf(journal), bare: bareCommits(client, bytes) }
  const near = await measure(sides, { first, count: delayedCalls })
  proxy.delay(delayMs)
  const far = await measure(sides, { first: first + delayedCalls, count: delayedCalls })
  await journal.close()
  await client.end()
  const addedTo = (name: keyof Times): number => Math.min(...far[name]) - Math.min(...near[name])
  return (name) => ((6 * addedTo(name)) / addedTo('bare')).toFixed(1)
}

export const measureCalls = async (database: TestDatabase, count: number): Promise<string> => {
  const journal = await openSharedJournal(journalOptions(database))
  const calls = callsOf(journal)
  for (let index = 0; index < warmUps; index += 1) {
    await calls.create(index)
    await calls.confirm(index)
  }
  const bytes = await readRowBytes(database)
  const client = await connectBare(database)
  const times = await measure({ ...calls, bare: bareCommits(client, bytes) }, { first: warmUps, count })
  await journal.close()
  await client.end()
  const countRoundTrips = await measureRoundTrips(database, bytes, warmUps + count)
  const ours = [...times.create, ...times.confirm]
  const rowOf = (name: string, side: keyof Times): string[] => [
    name,
    ms(median(times[side])),
    ms(p99(times[side])),
    countRoundTrips(side),
    (median(times[side]) / median(times.bare)).toFixed(2),
  ]
  const ratio = (median(ours) / median(times.bare)).toFixed(2)
  return `${renderTable([
    [`two commits, medians of ${count} orders`, 'ms, median', 'ms, p99', 'round trips', 'ratio'],
    rowOf('two bare commits', 'bare'),
    rowOf('create: begin and end', 'create'),
    rowOf('confirm: begin and end', 'confirm'),
  ])}\n\nratio of both calls ${ratio}, goal <= 1.50; each bare commit writes ${bytes} bytes`
}
