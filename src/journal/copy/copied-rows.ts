// Reads the journal that is copied, inserts its rows that are not here yet, and remembers which rows were copied.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { toFailure } from '../../sqlite/failure.ts'
import { openForReading } from '../../sqlite/open.ts'
import type { WriteAccess } from '../access.ts'
import type { Row, Value } from '../database/database.ts'
import { runForRows, selectForRows } from '../database/many-rows.ts'
import { createSqliteDatabase } from '../database/sqlite.ts'
import { listCopiedColumns, schema } from '../tables/list.ts'
import type { Table } from '../tables/table.ts'

export type CopySource = Awaited<ReturnType<typeof openSource>>

/** SQL: the row belongs to an account that is copied. The orders of the sandbox stay on each machine. */
export const isCopied = `account IN (SELECT number FROM accounts WHERE address <> '${sandboxAddress}')`

/** Throws if the file is not a journal of this version. */
export const openSource = async (file: string) => {
  const convert = (error: unknown) => toFailure(error, file, schema)
  refuseOtherFile(file, convert)
  const opened = openForReading(file, schema)
  const { all, close } = createSqliteDatabase(opened, { now: Date.now, convert })
  /** For each table, maps the numbers of rows in the source to their numbers in the target. */
  const numbers: Record<string, ReadonlyMap<unknown, bigint>> = {}

  /** Returns rows whose references to other rows use the numbers of the target. */
  const readRows = async ({ name, columns }: Table, rest: string): Promise<Row[]> => {
    const rows = await all(`SELECT ${name}.* FROM ${name} ${rest}`)
    return rows.map((row) => {
      const mapped = { ...row }
      for (const [column, { references = '' }] of Object.entries(columns)) {
        const known = numbers[references]
        if (known !== undefined) mapped[column] = known.get(row[column]) ?? null
      }
      return mapped
    })
  }

  /** Reads the rows in the order of their numbers, some at a time. */
  async function* readChunks(table: Table, condition: string, size: number): AsyncGenerator<readonly Row[]> {
    for (let after: unknown = 0n; after !== undefined; ) {
      const next = `WHERE number > ${after} AND ${condition} ORDER BY number LIMIT ${size}`
      const rows = await readRows(table, next)
      if (rows.length > 0) yield rows
      after = rows.at(-1)?.number
    }
  }

  try {
    opened.exec('BEGIN')
    const [row] = await all('SELECT id FROM orderctl_journal')
    return { id: String(row?.id), numbers, all, readRows, readChunks, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw convert(error)
  }
}

/** The user chose the file, so a wrong file is no damaged journal. An empty file is refused when it is opened. */
const refuseOtherFile = (file: string, convert: (error: unknown) => unknown): void => {
  const refuse = (what: string): Failure =>
    new Failure('usage', `--from: ${file} ${what}; nothing was copied`, {
      field: '--from',
      fix: (suggest) => suggest`journal status --profile sandbox`,
      advice:
        'Pass the file journal.db from the state folder of a machine. journal status shows where that file is.',
    })
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) throw refuse('does not exist')
  if (!stats.isFile()) throw refuse('is not a file')
  if (stats.size > 0 && !hasJournalHeader(file, convert)) throw refuse('is not a journal of orderctl')
}

/** The position of the application id in a SQLite file's header. */
const applicationIdAt = 68

const hasJournalHeader = (file: string, convert: (error: unknown) => unknown): boolean => {
  const header = Buffer.alloc(100)
  try {
    const descriptor = openSync(file, 'r')
    const length = readSync(descriptor, header)
    closeSync(descriptor)
    if (length < header.length) return false
  } catch (error) {
    throw convert(error)
  }
  const isDatabase = header.toString('latin1').startsWith('SQLite format 3\0')
  // The id of a new journal may still be in its log.
  return isDatabase && [0, schema.applicationId].includes(header.readUInt32BE(applicationIdAt))
}

type Identified = Table & { readonly copied: { readonly by: readonly string[] } }
/** A table whose copied rows are remembered in `copies`. */
type Remembered = Table & { readonly copied: { readonly as: string; readonly at: string } }

/** The values that identify the row. */
export const keyOf = ({ copied: { by } }: Identified, row: Row): string =>
  JSON.stringify(by.map((column) => (row[column] === null ? null : String(row[column]))))

export type CopyTarget = ReturnType<typeof createTarget>

/** The journal that gets the rows, in one transaction. */
export const createTarget = (access: WriteAccess, { id }: CopySource) => {
  const { all, dialect } = access

  /** Returns the numbers of the new rows, in their order. */
  const insertRows = async (table: Table, rows: readonly Row[]): Promise<bigint[]> => {
    const columns = listCopiedColumns(table)
    const added = await selectForRows(
      access,
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

  const readByKey = async (table: Identified, rest: string) =>
    new Map((await all(`SELECT * FROM ${table.name} ${rest}`)).map((row) => [keyOf(table, row), row]))

  /** Returns the rows that were here, by their keys, and the inserted rows. `among` selects the rows to compare. */
  const insertMissing = async (
    table: Identified,
    rows: readonly Row[],
    { among = '', onlyFinds = false } = {},
  ) => {
    const known = await readByKey(table, among)
    const missing = rows.filter((row) => !known.has(keyOf(table, row)))
    if (!onlyFinds) await insertRows(table, missing)
    return { known, missing }
  }

  /** Finds or inserts the rows. Returns their numbers here, by those in the source. */
  const mapRows = async (table: Identified, rows: readonly Row[]) => {
    await insertMissing(table, rows)
    const here = await readByKey(table, '')
    return new Map(rows.map((row) => [row.number, here.get(keyOf(table, row))?.number as bigint]))
  }

  /** The rows that were copied before and are still here, by their numbers in the source. */
  const findCopies = async ({ name, copied }: Remembered, rows: readonly Row[]) => {
    const found = await selectForRows(
      access,
      ['TEXT', 'BIGINT', 'BIGINT'],
      rows.map((row) => [id, row.number, row[copied.at]] as Value[]),
      (list) =>
        `SELECT column2 AS copied, rows.number, fingerprint FROM ${list} AS wanted
         ${dialect.orderedJoin} copies ON source = column1 AND kind = '${copied.as}'
           AND copies.number = column2 AND copies.at = column3
         ${dialect.orderedJoin} ${name} AS rows ON rows.number = copied_as`,
    )
    return new Map(found.map((row) => [row.copied, row]))
  }

  const rememberCopies = (
    { copied }: Remembered,
    rows: Iterable<readonly [row: Row, number: bigint]>,
    fingerprint: string | null = null,
  ): Promise<void> =>
    runForRows(
      access,
      ['TEXT', 'BIGINT', 'BIGINT', 'BIGINT', 'TEXT'],
      Array.from(rows, ([row, number]) => [id, row.number, row[copied.at], number, fingerprint] as Value[]),
      // A plan that was copied may have been deleted here.
      (list) =>
        `INSERT INTO copies (source, kind, number, at, copied_as, fingerprint)
         SELECT column1, '${copied.as}', column2, column3, column4, column5 FROM ${list} AS rows WHERE TRUE
         ON CONFLICT (source, kind, number, at)
         DO UPDATE SET copied_as = excluded.copied_as, fingerprint = excluded.fingerprint`,
    )

  /** Returns the numbers of the new rows here, by those in the source. */
  const insertCopies = async (table: Remembered, rows: readonly Row[], fingerprint?: string) => {
    const added = await insertRows(table, rows)
    const copies = rows.map((row, index) => [row, added[index] ?? 0n] as const)
    await rememberCopies(table, copies, fingerprint)
    return new Map(copies.map(([row, number]) => [row.number, number]))
  }

  return { access, insertRows, insertMissing, mapRows, findCopies, rememberCopies, insertCopies }
}

export type Transact = <Result>(work: (target: CopyTarget) => Promise<Result>) => Promise<Result>
