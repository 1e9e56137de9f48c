// Writes many rows with few statements: each statement is a round trip to PostgreSQL.
import type { Row, Statements, Value, Values } from './database.ts'

const maxRows = 2_000

export type ColumnKind = 'TEXT' | 'BIGINT'

/** Builds the statement of a chunk. The list's columns are column1, column2, … */
type CreateSql = (list: string) => string

type Rows = Iterable<readonly Value[]>

/** Runs the statement for chunks of the rows. */
export const runForRows = async (
  statements: Statements,
  kinds: readonly ColumnKind[],
  rows: Rows,
  sql: CreateSql,
): Promise<void> => void (await selectForRows(statements, kinds, rows, sql))

/** Returns the rows of all chunks. */
export const selectForRows = async (
  { all, dialect: { name } }: Pick<Statements, 'all' | 'dialect'>,
  kinds: readonly ColumnKind[],
  rows: Rows,
  sql: CreateSql,
): Promise<Row[]> => {
  const found: Row[] = []
  const createList = name === 'sqlite' ? createJson : createArrays
  for (const chunk of listChunks(rows, maxRows)) {
    const { list, values } = createList(kinds, chunk)
    found.push(...(await all(sql(list), values)))
  }
  return found
}

function* listChunks(rows: Rows, size: number): Generator<readonly (readonly Value[])[]> {
  let chunk: (readonly Value[])[] = []
  for (const row of rows) {
    if (chunk.push(row) < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

type CreateList = (
  kinds: readonly ColumnKind[],
  rows: readonly (readonly Value[])[],
) => { readonly list: string; readonly values: Values }

/**
 * SQLite looks up each parameter among all names in the statement, so all rows are one parameter. `batch plan` of
 * 50,000 rows takes a third of the time. Like a bound text, a text has no lone surrogates.
 */
const createJson: CreateList = (kinds, rows) => {
  const columns = kinds.map((kind, column) => `CAST(value ->> ${column} AS ${kind}) AS column${column + 1}`)
  const list = rows.map((row) => row.map(toJsonValue))
  return {
    list: `(SELECT ${columns.join(', ')} FROM json_each($rows))`,
    values: { rows: JSON.stringify(list) },
  }
}

const toJsonValue = (value: Value): string | number | null => {
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'string' ? value.toWellFormed() : value
}

/** PostgreSQL parses a statement with thousands of parameters slowly. */
const createArrays: CreateList = (kinds, rows) => {
  const arrays = kinds.map((kind, column) => `CAST($v${column} AS ${kind}[])`)
  const names = kinds.map((_, column) => `column${column + 1}`)
  return {
    list: `(SELECT * FROM unnest(${arrays.join(', ')}) AS list (${names.join(', ')}))`,
    values: Object.fromEntries(kinds.map((_, column) => [`v${column}`, toArray(rows, column)])),
  }
}

/** As PostgreSQL writes an array. */
const toArray = (rows: readonly (readonly Value[])[], column: number): string =>
  `{${rows.map((row) => toElement(row[column] ?? null)).join(',')}}`

const toElement = (value: Value): string => {
  if (value === null) return 'NULL'
  // The text of a large number would have an exponent.
  const text = typeof value === 'number' ? BigInt(value).toString() : value.toString()
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
