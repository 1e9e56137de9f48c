// What the journal shows to processes that wait for orders.
import type { AccountId } from '../contract/account-id.ts'
import { ofSameAccount } from './accounts.ts'
import { selectForRows } from './database/many-rows.ts'
import type { Entry } from './entry.ts'
import type { Journal } from './journal.ts'
import { type Damage, fromRow } from './row.ts'
import { findUndocumented } from './standings.ts'

export type ShownOrder = Pick<Entry, 'reference' | 'state' | 'delivered'> &
  Damage & { readonly orderId: string }

/** One query for all orders. Of several orders with the same id, the newest one. */
export const listShownOrders = (
  { read }: Pick<Journal, 'read'>,
  account: AccountId,
  orderIds: readonly string[],
): Promise<ShownOrder[]> =>
  read(async ({ statements }) => {
    const { dialect } = statements
    const { where, values } = ofSameAccount(account)
    const rows = await selectForRows(
      { ...statements, all: (sql, given) => statements.all(sql, { ...given, ...values }) },
      ['TEXT'],
      orderIds.map((id) => [id]),
      (list) =>
        `SELECT order_id, reference, state, service_state, delivered
         FROM ${list} AS wanted ${dialect.orderedJoin} orders ${dialect.indexedBy('orders_by_id')}
           ON order_id = column1
         WHERE ${where} ORDER BY number`,
    )
    const newest = new Map(rows.map((row) => [String(row.order_id), row]))
    return [...newest.values()].map((row) => {
      const { serviceState, ...order } = fromRow<ShownOrder & { readonly serviceState?: string | undefined }>(
        row,
      )
      return { ...order, state: findUndocumented({ serviceState }) ?? order.state }
    })
  })
