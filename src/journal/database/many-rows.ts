// Writes many rows with few statements: each statement is a round trip to PostgreSQL.
import type { Row, Statements, Value } from './database.ts'

/** SQLite looks up each name among all names of the statement, so many short statements are faster than a long one. */
const maxParameters = { sqlite: 200, postgres: 2_000 } as const

export type ColumnKind = 'TEXT' | 'BIGINT'

/** Builds the statement of a chunk. The columns of the VALUES list are named column1, column2, … */
type CreateSql = (list: string) => string

/** Runs the statement for chunks of the rows. */
export const runForRows = async (
  { run, dialect }: Statements,
  kinds: readonly ColumnKind[],
  rows: Iterable<readonly Value[]>,
  sql: CreateSql,
): Promise<void> => {
  for (const { list, values } of listChunks(kinds, rows, maxParameters[dialect.name]))
    await run(sql(list), values)
}

/** Returns the rows of all chunks. */
export const selectForRows = async (
  { all, dialect }: Statements,
  kinds: readonly ColumnKind[],
  rows: Iterable<readonly Value[]>,
  sql: CreateSql,
): Promise<Row[]> => {
  const found: Row[] = []
  for (const { list, values } of listChunks(kinds, rows, maxParameters[dialect.name]))
    found.push(...(await all(sql(list), values)))
  return found
}

function* listChunks(kinds: readonly ColumnKind[], rows: Iterable<readonly Value[]>, parameters: number) {
  const size = Math.floor(parameters / kinds.length)
  let chunk: (readonly Value[])[] = []
  for (const row of rows) {
    chunk.push(row)
    if (chunk.length < size) continue
    yield createList(kinds, chunk)
    chunk = []
  }
  if (chunk.length > 0) yield createList(kinds, chunk)
}

const createList = (kinds: readonly ColumnKind[], rows: readonly (readonly Value[])[]) => ({
  list: `(VALUES ${rows.map((_, row) => createTuple(kinds, row)).join(', ')})`,
  values: Object.fromEntries(
    rows.flatMap((row, index) => row.map((value, column) => [`v${index}_${column}`, value] as const)),
  ),
})

// PostgreSQL takes a parameter of unknown type in a VALUES list for a text.
const createTuple = (kinds: readonly ColumnKind[], row: number): string =>
  `(${kinds.map((kind, column) => `CAST($v${row}_${column} AS ${kind})`).join(', ')})`
