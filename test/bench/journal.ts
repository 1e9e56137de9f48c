// What a journal costs, in a file and in PostgreSQL: calls that spend beside bare writes, and commands in a large journal
// beside a small one.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { Client } from 'pg'
import { openJournal } from '../../src/journal/file-journal.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { setLimit } from '../../src/journal/limits.ts'
import { callsOf, createOrderDesk, done, accountAt as shopAt } from '../journal/order-desk.ts'
import { openScratch } from '../support/scratch.ts'
import { journalIn, openDatabase, startDatabases } from './database-server.ts'
import { compare, type Size, type Table, takeTurns, whole } from './measure.ts'
import { multiplyInDatabase, multiplyInFile } from './multiply-orders.ts'
import { accountAt, createHome, orderctl, run, startService, time } from './processes.ts'

const sizes = {
  smoke: { calls: 3, rounds: 1, orders: { few: 100, many: 300 } },
  normal: { calls: 300, rounds: 11, orders: { few: 1_000, many: 1_000_000 } },
}

type OpenedJournal = {
  readonly journal: Journal
  /** The environment of commands that use it. */
  readonly env: NodeJS.ProcessEnv
}

/** Creates a journal with many orders in a home of its own. */
type Fill = (home: string, account: NodeJS.ProcessEnv, orders: number) => Promise<OpenedJournal>

/** A durable write without a journal. */
type Bare = { readonly name: string; readonly write: () => unknown }

const create = [...orderctl, 'create', '--product=GAME-US:25', '--wallet=USD']
const commands = [['list'], ['reveals', 'ref:the-last'], ['get', '@last']]

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Two calls of a new order. Each records its intent and its outcome, and returns the milliseconds that this takes. */
const prepareCalls = (journal: Journal, origin: string) => {
  const { begin, toConfirm } = createOrderDesk(journal)
  let orders = 0
  const fieldsOf = (reference: string) => {
    const at = Date.now()
    return { profile: 'shop', ...shopAt(origin), reference, at, until: at + 45_000 }
  }
  const createOrder = (id: string) =>
    timed(async () => callsOf(journal).endCreate(await begin(fieldsOf(id)), done(id), Date.now()))
  const confirm = async (): Promise<number> => {
    const id = `call-${++orders}`
    await createOrder(id)
    return timed(async () => {
      await callsOf(journal).endConfirm(await toConfirm(id, fieldsOf(id)), { outcome: 'done' }, Date.now())
    })
  }
  return { create: () => createOrder(`call-${++orders}`), confirm }
}

const rowOf = (name: string, ours: readonly number[], beside: string, theirs: readonly number[]) => {
  const found = compare(ours, theirs)
  return [name, found.ours.toFixed(2), beside, found.theirs.toFixed(2), found.ratio.toFixed(2)]
}

const measureCosts = async (size: Size, fill: Fill, bare: Bare): Promise<Omit<Table, 'title'>> => {
  const { calls, rounds, orders } = sizes[size]
  using scratch = openScratch()
  const homeOf = (name: string): string => path.join(scratch.folder, name)
  await using service = await startService(homeOf('service'))
  const { origin } = service
  const few = await fill(homeOf('few'), accountAt(origin), orders.few)
  const many = await fill(homeOf('many'), accountAt(origin), orders.many)
  const callsOfFew = prepareCalls(few.journal, origin)
  const callsOfMany = prepareCalls(many.journal, origin)
  const writeBare = () =>
    timed(async () => {
      await bare.write()
      await bare.write()
    })
  const calling = await takeTurns(calls, { ...callsOfFew, bare: writeBare })
  const { account } = shopAt(origin)
  for (const { journal } of [few, many])
    await setLimit(journal, account, { kind: 'month', currency: 'USD', amount: '1000000000' })
  const budgeted = await takeTurns(calls, { few: callsOfFew.confirm, many: callsOfMany.confirm })

  const fewName = `${whole(orders.few)} orders`
  const manyName = `${whole(orders.many)} orders`
  const rows = [
    rowOf('create: intent and outcome', calling.create, bare.name, calling.bare),
    rowOf('confirm: intent and outcome', calling.confirm, bare.name, calling.bare),
    rowOf(`confirm with a budget per month, ${manyName}`, budgeted.many, fewName, budgeted.few),
  ]
  for (const { env } of [few, many]) run({ words: [...create, '--reference=the-last'], env })
  for (const words of commands) {
    const found = await takeTurns(rounds, {
      few: () => time({ words: [...orderctl, ...words], env: few.env }),
      many: () => time({ words: [...orderctl, ...words], env: many.env }),
    })
    rows.push(rowOf(`\`${words.join(' ')}\`, ${manyName}`, found.many, fewName, found.few))
  }
  await Promise.all([few.journal.close(), many.journal.close()])
  return {
    columns: ['', 'ms', 'beside', 'ms', 'ratio'],
    rows,
    note: `Medians of ${calls} calls, and of ${rounds} runs of each command.`,
  }
}

const line = Buffer.alloc(300, 'x')

export const measureJournal = async (size: Size): Promise<Table> => {
  const fill: Fill = async (home, account, orders) => {
    const env = createHome(home, account)
    const file = path.join(home, 'journal.db')
    run({ words: [...create, '--confirm', '--watch'], env })
    multiplyInFile(file, orders, { minutesApart: 1 })
    return { env, journal: await openJournal(file) }
  }
  using scratch = openScratch()
  const log = openSync(path.join(scratch.folder, 'bare.log'), 'a', 0o600)
  const write = (): void => {
    writeSync(log, line)
    fdatasyncSync(log)
  }
  const found = await measureCosts(size, fill, { name: 'two appends with `fdatasync`', write })
  closeSync(log)
  const note = `${found.note} Each append writes ${line.length} bytes.`
  return { title: 'Journal in a file', ...found, note }
}

/** Those of the rows that a commit of the journal writes: an order and a call. */
const rowBytes = 470

export const measurePostgres = async (size: Size): Promise<Table> => {
  await using databases = await startDatabases()
  const fill: Fill = async (home, account, orders) => {
    const database = await databases.create()
    const env = createHome(home, { ...account, ...journalIn(database) })
    const journal = await openDatabase(database)
    run({ words: [...create, '--confirm', '--watch'], env })
    await multiplyInDatabase(database, orders, { minutesApart: 1 })
    return { env, journal }
  }
  const { host, port, name, nameOf, password } = await databases.create()
  const client = new Client({ host, port, database: name, user: nameOf('ana'), password, ssl: false })
  await client.connect()
  await client.query('SET synchronous_commit = on')
  await client.query('CREATE TABLE bare (number BIGSERIAL PRIMARY KEY, content TEXT)')
  const write = async (): Promise<void> => {
    await client.query('BEGIN')
    await client.query('INSERT INTO bare (content) VALUES ($1)', ['x'.repeat(rowBytes)])
    await client.query('COMMIT')
  }
  const found = await measureCosts(size, fill, { name: 'two bare commits', write })
  const { rows: versions } = await client.query('SHOW server_version')
  await client.end()
  const note = `${found.note} PostgreSQL ${versions[0].server_version} runs on the same machine. A bare commit is \`BEGIN\`, an \`INSERT\` of ${rowBytes} bytes and \`COMMIT\` with the same client library.`
  return { title: 'Journal in PostgreSQL', ...found, note }
}
