// Reads rows of another journal, inserts those that are not here yet, and remembers which rows were copied.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { toFailure } from '../../sqlite/failure.ts'
import { openForReading } from '../../sqlite/read.ts'
import type { Row, Statements, Value } from '../database/database.ts'
import { runForRows, selectForRows } from '../database/many-rows.ts'
import { createSqliteDatabase } from '../database/sqlite.ts'
import { listCopiedColumns, schema } from '../tables/list.ts'
import type { Table } from '../tables/table.ts'

/** For each table, the numbers that this journal has for rows of the other one. */
export type Numbers = Readonly<Record<string, ReadonlyMap<unknown, bigint>>>

type Identified = Table & { readonly copied: { readonly by: readonly string[] } }
/** A table whose copied rows are remembered in `copies`. */
type Remembered = Table & { readonly copied: { readonly as: string; readonly at: string } }

/** The rows refer to other rows by the numbers that these have here. */
export const readRows = async (
  { all }: CopySource,
  { name, columns }: Table,
  rest: string,
  numbers: Numbers = {},
): Promise<Row[]> => {
  const references = Object.entries(columns).flatMap(([column, { references }]) => {
    const known = numbers[references ?? '']
    return known === undefined ? [] : [[column, known] as const]
  })
  const rows = await all(`SELECT ${name}.* FROM ${name} ${rest}`)
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(references.map(([column, known]) => [column, known.get(row[column]) ?? null])),
  }))
}

/** Reads the rows in the order of their numbers, some at a time. */
export async function* readChunks(
  source: CopySource,
  table: Table,
  { condition, size, numbers }: { condition: string; size: number; numbers: Numbers },
): AsyncGenerator<readonly Row[]> {
  for (let after: unknown = 0n; ; ) {
    const next = `WHERE number > ${after} AND ${condition} ORDER BY number LIMIT ${size}`
    const rows = await readRows(source, table, next, numbers)
    if (rows.length === 0) return
    yield rows
    after = rows.at(-1)?.number
  }
}

/** Returns the numbers of the new rows, in their order. */
export const insertRows = async (
  statements: Statements,
  table: Table,
  rows: readonly Row[],
): Promise<bigint[]> => {
  const columns = listCopiedColumns(table)
  const added = await selectForRows(
    statements,
    ['BIGINT', ...columns.map(([, kind]) => kind)],
    rows.map((row, index) => [index, ...columns.map(([name]) => (row[name] ?? null) as Value)]),
    // The database numbers the rows in the order of the SELECT.
    (list) =>
      `INSERT INTO ${table.name} (${columns.map(([name]) => name).join(', ')})
       SELECT ${columns.map((_, index) => `column${index + 2}`).join(', ')} FROM ${list} AS rows ORDER BY column1
       RETURNING ${table.primaryKey === undefined ? 'number' : '0 AS number'}`,
  )
  return added.map(({ number }) => number as bigint).toSorted((one, other) => Number(one - other))
}

/** What tells the row from others. */
export const keyOf = ({ copied: { by } }: Identified, row: Row): string =>
  JSON.stringify(by.map((column) => (row[column] === null ? null : String(row[column]))))

/** The rows that are here, by their keys. */
export const readByKey = async (
  { all }: Pick<Statements, 'all'>,
  table: Identified,
  rest = '',
): Promise<ReadonlyMap<string, Row>> =>
  new Map((await all(`SELECT * FROM ${table.name} ${rest}`)).map((row) => [keyOf(table, row), row]))

/** Finds or inserts the rows. Returns their numbers here, by those in the source. */
export const mapRows = async (
  statements: Statements,
  table: Identified,
  rows: readonly Row[],
): Promise<ReadonlyMap<unknown, bigint>> => {
  const known = await readByKey(statements, table)
  const fresh = rows.filter((row) => !known.has(keyOf(table, row)))
  const added = await insertRows(statements, table, fresh)
  return new Map([
    ...rows.map((row) => [row.number, known.get(keyOf(table, row))?.number as bigint] as const),
    ...fresh.map((row, index) => [row.number, added[index] ?? 0n] as const),
  ])
}

/** The rows that were copied before and are still here, by their numbers in the source. */
export const findCopies = async (
  statements: Statements,
  { name, copied }: Remembered,
  { id }: CopySource,
  rows: readonly Row[],
): Promise<ReadonlyMap<unknown, Row>> => {
  const found = await selectForRows(
    statements,
    ['TEXT', 'BIGINT', 'BIGINT'],
    rows.map((row) => [id, row.number, row[copied.at]] as Value[]),
    (list) =>
      `SELECT column2 AS copied, rows.number, fingerprint FROM ${list} AS wanted
       ${statements.dialect.orderedJoin} copies ON source = column1 AND kind = '${copied.as}'
         AND copies.number = column2 AND copies.at = column3
       ${statements.dialect.orderedJoin} ${name} AS rows ON rows.number = copied_as`,
  )
  return new Map(found.map((row) => [row.copied, row]))
}

export const rememberCopies = (
  statements: Statements,
  { copied }: Remembered,
  { id }: CopySource,
  rows: readonly (readonly [row: Row, number: bigint])[],
  fingerprint: string | null = null,
): Promise<void> =>
  runForRows(
    statements,
    ['TEXT', 'BIGINT', 'BIGINT', 'BIGINT', 'TEXT'],
    rows.map(([row, number]) => [id, row.number, row[copied.at], number, fingerprint] as Value[]),
    // A plan that was copied may have been deleted here.
    (list) =>
      `INSERT INTO copies (source, kind, number, at, copied_as, fingerprint)
       SELECT column1, '${copied.as}', column2, column3, column4, column5 FROM ${list} AS rows WHERE TRUE
       ON CONFLICT (source, kind, number, at)
       DO UPDATE SET copied_as = excluded.copied_as, fingerprint = excluded.fingerprint`,
  )

/** Returns the numbers of the new rows here, by those in the source. */
export const insertCopies = async (
  statements: Statements,
  table: Remembered,
  source: CopySource,
  rows: readonly Row[],
  fingerprint?: string,
): Promise<ReadonlyMap<unknown, bigint>> => {
  const added = await insertRows(statements, table, rows)
  const copies = rows.map((row, index) => [row, added[index] ?? 0n] as const)
  await rememberCopies(statements, table, source, copies, fingerprint)
  return new Map(copies.map(([row, number]) => [row.number, number]))
}

export type CopySource = Pick<Statements, 'all'> & {
  /** Differs for each journal. */
  readonly id: string
  readonly close: () => Promise<void>
}

/** SQL: the row belongs to an account that is copied. The orders of the sandbox stay on each machine. */
export const isCopied = `account IN (SELECT number FROM accounts WHERE address <> '${sandboxAddress}')`

/** Throws if the file is not a journal of this version. */
export const openSource = async (file: string): Promise<CopySource> => {
  refuseOtherFile(file)
  const opened = openForReading(file, schema)
  const { all, close } = createSqliteDatabase(opened, {
    now: Date.now,
    convert: (error) => toFailure(error, file, schema),
  })
  try {
    opened.exec('BEGIN')
    const [row] = await all('SELECT id FROM orderctl_journal')
    return { all, id: String(row?.id), close }
  } catch (error) {
    await close()
    throw toFailure(error, file, schema)
  }
}

const headerBytes = 100
/** The place of the application id in the header of a SQLite file. */
const applicationIdAt = 68

/** The file was named by the user, so a wrong one is no damaged journal. An empty one is refused when it is opened. */
const refuseOtherFile = (file: string): void => {
  const refuse = (what: string): Failure =>
    new Failure('usage', `--from: ${file} ${what}; nothing was copied`, {
      field: '--from',
      fix: (suggest) =>
        `Name the file journal.db in the state folder of a machine. See where it is: ${suggest`journal status --profile sandbox`}`,
    })
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) throw refuse('does not exist')
  if (!stats.isFile()) throw refuse('is not a file')
  if (stats.size === 0) return
  const header = readHeader(file)
  const isDatabase =
    header.length === headerBytes && header.toString('latin1').startsWith('SQLite format 3\0')
  // The id of a new journal may still be in its log.
  if (!isDatabase || ![0, schema.applicationId].includes(header.readUInt32BE(applicationIdAt)))
    throw refuse('is not a journal of orderctl')
}

const readHeader = (file: string): Buffer => {
  try {
    const descriptor = openSync(file, 'r')
    const header = Buffer.alloc(headerBytes)
    const length = readSync(descriptor, header)
    closeSync(descriptor)
    return header.subarray(0, length)
  } catch (error) {
    throw toFailure(error, file, schema)
  }
}
