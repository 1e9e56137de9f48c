// Selects orders from the journal by an SQL condition.
import type { Statements, Values } from './database/database.ts'
import type { Entry } from './entry.ts'
import { fromRow } from './row.ts'

type Query = {
  readonly where: string
  readonly values?: Values
  readonly index?: string | undefined
  readonly order?: string
  /** The maximum number of orders (default: all). */
  readonly limit?: number
  /** Locks the orders until the end of the transaction. */
  readonly isLocking?: boolean
}

export type SelectEntries = (query: Query) => Promise<Entry[]>

export const createSelectEntries =
  ({ all, dialect }: Statements): SelectEntries =>
  async ({ where, values, index, order = 'number DESC', limit, isLocking = false }) => {
    const rows = await all(
      `SELECT * FROM orders ${index === undefined ? '' : dialect.indexedBy(index)}
       WHERE ${where} ORDER BY ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}
       ${isLocking ? dialect.forUpdate : ''}`,
      values,
    )
    return rows.map((row) => fromRow<Entry>(row))
  }
