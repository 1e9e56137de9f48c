// The interface between the journal and its database; SQLite and PostgreSQL implement it. Also writes many rows with few
// statements: each statement is a round trip to PostgreSQL.

import { type Column, isText, type RowOf, type Table } from '../tables/table.ts'

export type Value = string | number | bigint | null
export type Values = Readonly<Record<string, Value>>
/** Integers are bigints. */
export type Row = Readonly<Record<string, unknown>>

/** Parameters of SQL are written as `$name`. */
type Reads = {
  readonly dialect: Dialect
  readonly all: (sql: string, values?: Values) => Promise<Row[]>
}

export type Statements = Reads & {
  /** Returns the number of rows that it changed. */
  readonly run: (sql: string, values?: Values) => Promise<number>
}

export type TransactionStatements = Statements & {
  /**
   * Begins a statement that the work does not wait for. If no other follows, PostgreSQL gets it with COMMIT. If it fails,
   * the transaction fails. The returned function gives its rows after the transaction.
   */
  readonly last: (sql: string, values?: Values) => () => Row[]
}

export type Work<Result> = (statements: TransactionStatements) => Promise<Result>

/** Whether the query finds a row. */
export const hasRow = async ({ all }: Pick<Reads, 'all'>, sql: string, values?: Values): Promise<boolean> =>
  (await all(sql, values)).length > 0

/** Outside of `transaction`, statements only read, and each is a separate transaction. */
export type Database = Reads & {
  /**
   * Commits the statements of `work` together, or none of them. Resolves when they are on disk. PostgreSQL may run
   * `work` again after a conflict with a different transaction, so `work` has no other effects.
   */
  readonly transaction: <Result>(work: Work<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * Begins the steps in the written order and returns their results by name. PostgreSQL gets their statements in one
 * round trip and runs them in this order. Each sees what was committed before it began, so a lock also protects the
 * steps after it.
 */
export const inOrder = async <Steps extends Record<string, unknown>>(
  steps: Steps,
): Promise<{ [Name in keyof Steps]: Awaited<Steps[Name]> }> => {
  const results = await Promise.all(Object.values(steps))
  return Object.fromEntries(Object.keys(steps).map((name, index) => [name, results[index]])) as never
}

type Inserting = Pick<Statements, 'all'> & { readonly actor?: number | undefined }

/** As RowOf. A column without a value is NULL, and `actor` is the writer. Fields that are not columns are left out. */
type NewRow<Inserted extends Table> = {
  readonly [Field in keyof RowOf<Inserted>]?: RowOf<Inserted>[Field] | null | undefined
}

/** Returns the number of the new row. */
export const insertRow = async <Inserted extends Table>(
  access: Inserting,
  table: Inserted,
  row: NewRow<Inserted>,
): Promise<number> => Number((await insert(access, table, row, {}, ''))?.number)

/**
 * Inserts nothing and returns undefined if a unique index forbids the row. `sql`: columns that the database computes.
 */
export const insertOrSkip = async <Inserted extends Table>(
  access: Inserting,
  table: Inserted,
  row: NewRow<Inserted>,
  sql: { readonly [Column in keyof Inserted['columns']]?: string },
): Promise<number | undefined> => {
  const added = await insert(access, table, row, sql, 'ON CONFLICT DO NOTHING')
  return added && Number(added.number)
}

const insert = async (
  { all, actor }: Inserting,
  table: Table,
  row: object,
  sql: Readonly<Record<string, string | undefined>>,
  onConflict: string,
): Promise<Row | undefined> => {
  const values = { ...('actor' in table.columns && { actor: actor ?? null }), ...toColumns(table, row) }
  const names = Object.keys(values)
  const [added] = await all(
    `INSERT INTO ${table.name} (${[...names, ...Object.keys(sql)].join(', ')})
     VALUES (${[...names.map((column) => `$${column}`), ...Object.values(sql)].join(', ')})
     ${onConflict} RETURNING number`,
    values,
  )
  return added
}

/**
 * For many rows, by the names of their columns: all but the numbers that the database gives them. Returns these, in the
 * order of the rows. `onConflict`: SQL.
 */
export const insertRows = async (
  access: Statements,
  table: Table,
  rows: readonly Row[],
  onConflict = '',
): Promise<bigint[]> => {
  const columns = Object.entries(table.columns).filter(([, column]) => isInserted(column))
  const added = await runForRows(
    access,
    ['BIGINT', ...columns.map(([, column]) => (isText(column) ? ('TEXT' as const) : ('BIGINT' as const)))],
    rows.map((row, index) => [index, ...columns.map(([name]) => (row[name] ?? null) as Value)]),
    // The database numbers the rows in the order of the SELECT.
    (list) =>
      `INSERT INTO ${table.name} (${columns.map(([name]) => name).join(', ')})
       SELECT ${columns.map((_, index) => `column${index + 2}`).join(', ')} FROM ${list} AS rows ORDER BY column1
       ${onConflict} ${table.primaryKey === undefined ? 'RETURNING number' : ''}`,
  )
  return added.map(({ number }) => number as bigint).toSorted((one, other) => Number(one - other))
}

const isInserted = ({ only, type, generatedAs }: Column): boolean =>
  only === undefined && type !== 'id' && generatedAs === undefined

/** `fields`: at least one. With `returning`, the returned function gives the row after the transaction. */
export const updateRow = <Updated extends Table>(
  { last }: Pick<TransactionStatements, 'last'>,
  table: Updated,
  number: number,
  fields: NewRow<Updated>,
  returning: '' | 'RETURNING *' = '',
): (() => Row | undefined) => {
  const values = toColumns(table, fields)
  const assignments = Object.keys(values).map((column) => `${column} = $${column}`)
  const sql = `UPDATE ${table.name} SET ${assignments.join(', ')} WHERE number = $number ${returning}`
  const rows = last(sql, { ...values, number })
  return () => rows()[0]
}

const columnNames = new Map<string, string>()

/** Remembers each name: a batch writes the same few fields thousands of times. */
const toColumnName = (field: string): string => {
  const known = columnNames.get(field)
  if (known !== undefined) return known
  const name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  columnNames.set(field, name)
  return name
}

const toColumns = ({ columns }: Table, fields: object): Record<string, Value> => {
  const values: Record<string, Value> = {}
  for (const [field, value = null] of Object.entries(fields)) {
    const column = toColumnName(field)
    const isJson = columns[column]?.json !== undefined && value !== null
    if (column in columns) values[column] = isJson ? JSON.stringify(value) : value
  }
  return values
}

/** The differences between the SQL of SQLite and PostgreSQL. */
export type Dialect = {
  readonly name: 'sqlite' | 'postgres'
  /** Follows the name of a table: the index to read it by. PostgreSQL chooses its indexes itself. */
  readonly indexedBy: (index: string) => string
  /** Joins two tables, reading the left one first. */
  readonly orderedJoin: string
  /** Ends a SELECT: locks its rows of the table until the transaction ends. In SQLite, a transaction locks the database. */
  readonly forUpdateOf: (table: string) => string
  /** Follows FROM: the elements of a JSON list, as `value`. */
  readonly readList: (parameter: string) => string
  /** The time by the database's clock, in milliseconds. */
  readonly now: string
  /** The connection's role on the server. NULL in SQLite. */
  readonly role: string
  /** The column with the role that wrote a row. NULL in SQLite. */
  readonly writtenBy: string
}

const maxRows = 2_000

type ColumnKind = 'TEXT' | 'BIGINT'

/** Builds the statement of a chunk. The list's columns are column1, column2, … */
type CreateSql = (list: string) => string

type Rows = readonly (readonly Value[])[]

/**
 * Runs the statement for chunks of the rows. Returns what it finds for all. Each chunk is one parameter, because both
 * databases read thousands of them slowly.
 */
export const runForRows = async (
  { all, dialect }: Pick<Statements, 'all' | 'dialect'>,
  kinds: readonly ColumnKind[],
  rows: Rows,
  sql: CreateSql,
): Promise<Row[]> => {
  const columns = kinds.map((kind, column) => `CAST(value ->> ${column} AS ${kind}) AS column${column + 1}`)
  const list = `(SELECT ${columns.join(', ')} FROM ${dialect.readList('$rows')})`
  const found: Row[] = []
  for (let start = 0; start < rows.length; start += maxRows) {
    const chunk = rows.slice(start, start + maxRows).map((row) => row.map(toJsonValue))
    found.push(...(await all(sql(list), { rows: JSON.stringify(chunk) })))
  }
  return found
}

/** Like a bound text, a text has no lone surrogates. PostgreSQL cannot store a NUL character. */
const toJsonValue = (value: Value): string | number | null => {
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value
}
