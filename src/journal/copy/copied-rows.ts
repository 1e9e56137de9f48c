// Remembers which rows of other journals this journal has, and inserts rows with new numbers.
import type { Row, Statements, Value } from '../database/database.ts'
import { runForRows, selectForRows } from '../database/many-rows.ts'
import { batches } from '../tables/batches.ts'
import type { CopiedColumn } from '../tables/list.ts'
import { orders, reveals } from '../tables/orders.ts'

type Kind = 'order' | 'reveal' | 'batch'

/** Where a row was made first: it may have been copied before. */
export type Origin = { readonly source: string; readonly number: bigint; readonly at: bigint }

const tables = { order: orders, reveal: reveals, batch: batches }

/** Rows of the source with their origins, by number. */
export const selectOrigins = (kind: Kind, where: string): string =>
  `SELECT rows.*, copies.source AS origin_source, copies.number AS origin_number
   FROM ${tables[kind].name} AS rows
   LEFT JOIN copies ON copies.kind = '${kind}' AND copies.copied_as = rows.number
   WHERE ${where} ORDER BY rows.number`

/** `id` is the journal that the row was read from. */
export const readOrigin = (kind: Kind, row: Row, id: string): Origin => ({
  source: row.origin_source === null ? id : String(row.origin_source),
  number: BigInt(String(row.origin_number ?? row.number)),
  at: BigInt(String(row[tables[kind].copied.at])),
})

/** The numbers of these rows in this journal, in their order. Undefined for a row that is not here. */
export const findCopies = async (
  statements: Statements,
  kind: Kind,
  origins: readonly Origin[],
): Promise<(bigint | undefined)[]> => {
  const { name, copied } = tables[kind]
  const { orderedJoin } = statements.dialect
  const rows = await selectForRows(
    statements,
    ['BIGINT', 'TEXT', 'BIGINT', 'BIGINT'],
    origins.map(({ source, number, at: made }, index) => [index, source, number, made]),
    (list) =>
      `SELECT column1 AS position, rows.number FROM ${list} AS wanted
       ${orderedJoin} copies ON copies.source = column2 AND kind = '${kind}' AND copies.number = column3 AND copies.at = column4
       ${orderedJoin} ${name} AS rows ON rows.number = copied_as
       UNION ALL
       SELECT column1, rows.number FROM ${list} AS wanted
       ${orderedJoin} orderctl_journal AS journal ON journal.id = column2 ${orderedJoin} ${name} AS rows ON rows.number = column3 AND rows.${copied.at} = column4`,
  )
  const found = new Map(rows.map(({ position, number }) => [Number(position), BigInt(String(number))]))
  return origins.map((_, index) => found.get(index))
}

export type NewRow = { readonly origin: Origin; readonly values: readonly Value[] }

/** Inserts the rows and remembers their origins. Returns their numbers, in their order. */
export const insertCopies = async (
  statements: Statements,
  kind: Kind,
  columns: readonly CopiedColumn[],
  rows: readonly NewRow[],
): Promise<bigint[]> => {
  const names = columns.map(([name]) => name).join(', ')
  const values = columns.map((_, index) => `column${index + 2}`).join(', ')
  // The database numbers the rows in the order of the SELECT.
  const added = await selectForRows(
    statements,
    ['BIGINT', ...columns.map(([, type]) => type)],
    rows.map((row, index) => [index, ...row.values]),
    (list) =>
      `INSERT INTO ${tables[kind].name} (${names}) SELECT ${values} FROM ${list} AS rows ORDER BY column1
       RETURNING number`,
  )
  const numbers = added
    .map(({ number }) => BigInt(String(number)))
    .toSorted((one, other) => Number(one - other))
  await rememberCopies(
    statements,
    kind,
    rows.map(({ origin }, index) => ({ origin, number: numbers[index] ?? 0n })),
  )
  return numbers
}

export const rememberCopies = (
  statements: Statements,
  kind: Kind,
  rows: readonly { readonly origin: Origin; readonly number: bigint }[],
): Promise<void> =>
  runForRows(
    statements,
    ['TEXT', 'BIGINT', 'BIGINT', 'BIGINT'],
    rows.map(({ origin, number }) => [origin.source, origin.number, origin.at, number]),
    // A plan that was copied may have been deleted here.
    (list) =>
      `INSERT INTO copies (source, kind, number, at, copied_as)
       SELECT column1, '${kind}', column2, column3, column4 FROM ${list} AS rows WHERE TRUE
       ON CONFLICT (source, kind, number, at) DO UPDATE SET copied_as = excluded.copied_as`,
  )
