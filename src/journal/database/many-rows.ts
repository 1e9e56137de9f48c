// Writes many rows with few statements: each statement is a round trip to PostgreSQL.
import type { Statements, Value } from './database.ts'

/** SQLite allows 32,766 parameters, PostgreSQL 65,535. */
const maxParameters = 2_000

export type ColumnKind = 'TEXT' | 'BIGINT'

/** Runs `sql` for chunks of the rows. `sql` gets a VALUES list whose columns are named column1, column2, … */
export const runForRows = async (
  { run }: Statements,
  kinds: readonly ColumnKind[],
  rows: Iterable<readonly Value[]>,
  sql: (list: string) => string,
): Promise<void> => {
  const size = Math.floor(maxParameters / kinds.length)
  let chunk: (readonly Value[])[] = []
  const flush = async (): Promise<void> => {
    if (chunk.length === 0) return
    const list = chunk.map((_, row) => createTuple(kinds, row)).join(', ')
    const values = chunk.flatMap((row, index) =>
      row.map((value, column) => [`v${index}_${column}`, value] as const),
    )
    await run(sql(`(VALUES ${list})`), Object.fromEntries(values))
    chunk = []
  }
  for (const row of rows) {
    chunk.push(row)
    if (chunk.length === size) await flush()
  }
  await flush()
}

// PostgreSQL takes a parameter of unknown type in a VALUES list for a text.
const createTuple = (kinds: readonly ColumnKind[], row: number): string =>
  `(${kinds.map((kind, column) => `CAST($v${row}_${column} AS ${kind})`).join(', ')})`
