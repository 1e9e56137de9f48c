// The interface between the journal and its database. SQLite and PostgreSQL implement it.
import type { Dialect } from './dialect.ts'

export type Value = string | number | bigint | null
export type Values = Readonly<Record<string, Value>>
/** Integers are bigints. */
export type Row = Readonly<Record<string, unknown>>

/** Parameters of SQL are written as `$name`. */
export type Statements = {
  readonly dialect: Dialect
  readonly all: (sql: string, values?: Values) => Promise<Row[]>
  /** Returns the number of rows that it changed. */
  readonly run: (sql: string, values?: Values) => Promise<number>
}

/** Outside of `transaction`, each statement is a transaction of its own. */
export type Database = Statements & {
  /**
   * Commits the statements of `work` together, or none of them. Resolves when they are on disk. PostgreSQL may run
   * `work` again after a conflict with another transaction, so `work` has no other effects.
   */
  readonly transaction: <Result>(work: (statements: Statements) => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

/**
 * Begins the steps in the order in which they are named, and returns their results by name. PostgreSQL gets their
 * statements in one round trip and runs them in this order. Each sees what was committed before it began, so a lock also
 * protects the steps after it.
 */
export const inOrder = async <Steps extends Record<string, unknown>>(
  steps: Steps,
): Promise<{ [Name in keyof Steps]: Awaited<Steps[Name]> }> => {
  const results = await Promise.all(Object.values(steps))
  return Object.fromEntries(Object.keys(steps).map((name, index) => [name, results[index]])) as never
}
