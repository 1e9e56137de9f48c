// Reads rows of another journal, inserts those that are not here yet, and remembers which rows were copied.
import type { Row, Statements, Value } from '../database/database.ts'
import { runForRows, selectForRows } from '../database/many-rows.ts'
import { listCopiedColumns } from '../tables/list.ts'
import type { Table } from '../tables/table.ts'
import type { CopySource } from './source.ts'

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
export async function* readChunks(
  source: CopySource,
  table: Table,
  { condition, size, numbers }: { condition: string; size: number; numbers: Numbers },
): AsyncGenerator<readonly Row[]> {
  for (let after: unknown = 0n; after !== undefined; ) {
    const next = `WHERE number > ${after} AND ${condition} ORDER BY number LIMIT ${size}`
    const rows = await readRows(source, table, next, numbers)
    if (rows.length > 0) yield rows
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

/** Returns the rows that were here, by their keys, and those that it inserted. */
export const insertMissing = async (
  statements: Statements,
  table: Identified,
  rows: readonly Row[],
  rest?: string,
) => {
  const known = await readByKey(statements, table, rest)
  const missing = rows.filter((row) => !known.has(keyOf(table, row)))
  await insertRows(statements, table, missing)
  return { known, missing }
}

/** Finds or inserts the rows. Returns their numbers here, by those in the source. */
export const mapRows = async (
  statements: Statements,
  table: Identified,
  rows: readonly Row[],
): Promise<ReadonlyMap<unknown, bigint>> => {
  await insertMissing(statements, table, rows)
  const here = await readByKey(statements, table)
  return new Map(rows.map((row) => [row.number, here.get(keyOf(table, row))?.number as bigint]))
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
