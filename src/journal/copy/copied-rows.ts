// Inserts rows of another journal that are not here yet, and remembers which rows were copied.
import type { Row, Statements, Value } from '../database/database.ts'
import { runForRows, selectForRows } from '../database/many-rows.ts'
import { listCopiedColumns } from '../tables/list.ts'
import type { Table } from '../tables/table.ts'
import type { CopySource } from './source.ts'

type Identified = Table & { readonly copied: { readonly by: readonly string[] } }
/** A table whose copied rows are remembered in `copies`. */
type Remembered = Table & { readonly copied: { readonly as: string; readonly at: string } }

/** What tells the row from others. */
export const keyOf = ({ copied: { by } }: Identified, row: Row): string =>
  JSON.stringify(by.map((column) => (row[column] === null ? null : String(row[column]))))

export type CopyTarget = ReturnType<typeof createTarget>

/** The journal that gets the rows, in one transaction. */
export const createTarget = (statements: Statements, { id }: CopySource) => {
  const { all, dialect } = statements

  /** Returns the numbers of the new rows, in their order. */
  const insertRows = async (table: Table, rows: readonly Row[]): Promise<bigint[]> => {
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

  const readByKey = async (table: Identified, rest: string) =>
    new Map((await all(`SELECT * FROM ${table.name} ${rest}`)).map((row) => [keyOf(table, row), row]))

  /** Returns the rows that were here, by their keys, and those that it inserted. `among` selects the rows to compare. */
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
      statements,
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
      statements,
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

  return { statements, insertRows, insertMissing, mapRows, findCopies, rememberCopies, insertCopies }
}

/** Runs the work in one transaction. */
export type Transact = <Result>(work: (target: CopyTarget) => Promise<Result>) => Promise<Result>
