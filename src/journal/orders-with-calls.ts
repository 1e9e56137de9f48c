// Selects orders together with their calls, for the checks that prevent a second purchase.
import type { Statements, Values } from './database/database.ts'
import type { Call, Entry } from './entry.ts'
import { fromRow } from './row.ts'
import type { SelectEntries } from './select-entries.ts'

export type OrderWithCalls = { readonly entry: Entry; readonly calls: readonly Call[] }

export type SelectWithCalls = (where: string, values: Values) => Promise<OrderWithCalls[]>

/**
 * The calls are read before the orders. In PostgreSQL, the end of a call may be committed between two statements, and
 * changes the call and its order together. Read in this order, the call is still open, or the order shows its end. In
 * the other order, a confirm that ends in between would look like none.
 */
export const createSelectWithCalls =
  ({ all }: Statements, selectEntries: SelectEntries): SelectWithCalls =>
  async (where, values) => {
    const [rows, entries] = await Promise.all([
      all(
        `SELECT * FROM calls WHERE order_number IN (SELECT number FROM orders WHERE ${where}) ORDER BY number`,
        values,
      ),
      selectEntries({ where, values }),
    ])
    const calls = Map.groupBy(
      rows.map((row) => fromRow<Call>(row)),
      ({ orderNumber }) => orderNumber,
    )
    return entries.map((entry) => ({ entry, calls: calls.get(entry.number) ?? [] }))
  }
