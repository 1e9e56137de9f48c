// Writes many rows with few statements: each statement is a round trip to PostgreSQL.
import type { Row, Statements, Value, Values } from './database.ts'

/** SQLite looks up each name among all names of the statement, so many short statements are faster than a long one. */
const maxParameters = 200
/** For PostgreSQL, which gets each column as one array. */
const maxRows = 2_000

export type ColumnKind = 'TEXT' | 'BIGINT'

/** Builds the statement of a chunk. The columns of the list are named column1, column2, … */
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
  const createList = name === 'sqlite' ? createTuples : createArrays
  const size = name === 'sqlite' ? Math.floor(maxParameters / kinds.length) : maxRows
  for (const chunk of listChunks(rows, size)) {
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

const createTuples: CreateList = (kinds, rows) => {
  const createTuple = (_: unknown, row: number): string =>
    `(${kinds.map((kind, column) => `CAST($v${row}_${column} AS ${kind})`).join(', ')})`
  return {
    list: `(VALUES ${rows.map(createTuple).join(', ')})`,
    values: Object.fromEntries(
      rows.flatMap((row, index) => row.map((value, column) => [`v${index}_${column}`, value] as const)),
    ),
  }
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
