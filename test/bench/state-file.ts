// serve-mock with a state file, beside bare SQLite transactions that write the same rows with the same settings.
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { runLoad } from './load.ts'
import { workOn } from './orders.ts'
import { folder, settled, startService } from './servers.ts'
import { median, renderTable, whole } from './table.ts'

const rounds = 6
const roundMs = 700
/** serve-mock settles at most as many orders in one transaction. */
const settledTogether = 100

type Row = Record<string, SQLInputValue>

const pick = (row: Row | undefined, names: readonly string[]): SQLInputValue[] =>
  names.map((name) => row?.[name] ?? null)

/** Each function runs one transaction. `confirm` also settles, once for many orders. */
const openBare = (file: string, state: string) => {
  const source = new DatabaseSync(state, { readOnly: true })
  const tables = source.prepare(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
  )
  const samples = source.prepare('SELECT * FROM orders WHERE settled = 1 LIMIT 300').all() as Row[]
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  for (const { sql } of tables.all()) database.exec(String(sql))
  source.close()
  database.exec(
    "INSERT INTO service VALUES (1, 'bare', 0, 0); INSERT INTO wallets VALUES ('USD', 1e15, 1e15)",
  )

  const created = Object.keys(samples[0] ?? {}).filter(
    (name) => !['confirmed_at', 'processing_at', 'final_at', 'settled', 'forced', 'redeem'].includes(name),
  )
  const insert = database.prepare(
    `INSERT INTO orders (${created.join()}) VALUES (${created.map(() => '?').join()})`,
  )
  const charge = database.prepare('UPDATE wallets SET balance = balance - ? WHERE currency = ?')
  const enter = database.prepare("INSERT INTO ledger VALUES (?, 'charge', ?, ?, ?)")
  const confirm = database.prepare(
    "UPDATE orders SET state = 'confirmed', confirmed_at = ?, processing_at = ?, final_at = ?, lines = ? WHERE number = ?",
  )
  const takeCards = database.prepare('UPDATE service SET next_card = next_card + 2')
  const settle = database.prepare('UPDATE orders SET state = ?, settled = 1, redeem = ? WHERE number = ?')
  const sample = (number: number, ...names: string[]) => pick(samples[number % samples.length], names)
  const transact = (work: () => void): void => {
    database.exec('BEGIN IMMEDIATE')
    work()
    database.exec('COMMIT')
  }
  const settleUntil = (end: number): void => {
    takeCards.run()
    for (let number = end - settledTogether + 1; number <= end; number += 1)
      settle.run(...sample(number, 'state', 'redeem'), number)
  }
  let last = 0
  let confirmed = 0
  return {
    create: (): boolean => {
      last += 1
      const row = { ...samples[last % samples.length], number: last, state: 'created' }
      transact(() => void insert.run(...pick(row, created)))
      return true
    },
    confirm: (): boolean => {
      if (confirmed === last) return false
      confirmed += 1
      const number = confirmed
      transact(() => {
        charge.run(...sample(number, 'total', 'wallet'))
        enter.run(number, ...sample(number, 'wallet', 'total', 'confirmed_at'))
        confirm.run(...sample(number, 'confirmed_at', 'processing_at', 'final_at', 'lines'), number)
      })
      if (number % settledTogether === 0) transact(() => settleUntil(number))
      return true
    },
    close: () => database.close(),
  }
}

/** Transactions a second. */
const measure = (transact: () => boolean): number => {
  const start = performance.now()
  let count = 0
  while (performance.now() - start < roundMs && transact()) count += 1
  return count / ((performance.now() - start) / 1000)
}

export const compareStateFile = async (): Promise<void> => {
  const state = path.join(folder, 'state.db')
  const service = await startService(`--state=${state}`)
  const work = workOn(service.port)
  const { port } = service
  await runLoad({ port, work: work.create, ms: roundMs })
  await runLoad({ port, work: work.confirm, ms: roundMs })
  await settled()
  const bare = openBare(path.join(folder, 'bare.db'), state)
  const kinds = ['create', 'confirm'] as const
  const found = kinds.map((kind) => ({ kind, ours: [] as number[], bare: [] as number[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { kind, ours, bare: theirs } of found) {
      ours.push((await runLoad({ port, work: work[kind], ms: roundMs })).perSecond)
      await settled()
      theirs.push(measure(bare[kind]))
    }
  }
  bare.close()
  await service.stop()
  const rows = found.map(({ kind, ours, bare: theirs }) => {
    const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN))
    const range = [Math.min(...ratios), median(ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2))
    const ratio = `${range[1]} (${range[0]} to ${range[2]})`
    return [`${kind}, requests/s`, whole(median(ours)), whole(median(theirs)), ratio, '>= 0.60']
  })
  console.log(renderTable([['with --state', 'ours', 'SQLite', 'ratio (rounds)', 'goal'], ...rows]))
}
