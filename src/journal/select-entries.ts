// Selects orders from the journal by an SQL condition.
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Entry } from './entry.ts'
import { fromRow } from './row.ts'

type Query = {
  readonly where: string
  readonly values?: Record<string, SQLInputValue>
  readonly index?: string | undefined
  readonly order?: string
  /** The maximum number of orders (default: all). */
  readonly limit?: number
}

export type SelectEntries = (query: Query) => Entry[]

export const createSelectEntries =
  (database: DatabaseSync): SelectEntries =>
  ({ where, values = {}, index, order = 'number DESC', limit = -1 }) =>
    database
      .prepare(
        `SELECT * FROM orders ${index === undefined ? '' : `INDEXED BY ${index}`}
         WHERE ${where} ORDER BY ${order} LIMIT ${limit}`,
      )
      .all(values)
      .map((row) => fromRow<Entry>(row))
