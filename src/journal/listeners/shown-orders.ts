// What the journal shows of orders that a process waits for: one query for all of them.
import type { AccountId } from '../../contract/account-id.ts'
import { ofSameAccount } from '../accounts.ts'
import { selectForRows } from '../database/many-rows.ts'
import type { Entry } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import { type Damage, fromRow } from '../row.ts'
import { findUndocumented } from '../standings.ts'
import { isAlive } from './listeners.ts'

export type ShownOrder = Pick<Entry, 'reference' | 'state' | 'delivered'> &
  Damage & {
    readonly orderId: string
    /** A listener has received a delivery of the order before, and a listener of its account is alive. */
    readonly isPushed: boolean
  }

type Stored = Omit<ShownOrder, 'isPushed'> & { readonly serviceState?: string | undefined }

export const createShownOrderQueries = ({ tables }: JournalParts) => ({
  /** Of several orders with the same id, the newest one. */
  listShownOrders: async (account: AccountId, orderIds: readonly string[]): Promise<ShownOrder[]> => {
    const { statements } = tables
    const { dialect } = statements
    const { where, values } = ofSameAccount(account)
    // An order that was created without the address of the listener is never delivered to it.
    const isPushed = `EXISTS (SELECT 1 FROM listeners WHERE ${ofSameAccount(account, 'listeners.account').where}
        AND ${isAlive(dialect)})
      AND EXISTS (SELECT 1 FROM received WHERE ${ofSameAccount(account, 'received.account').where}
        AND received.order_id = orders.order_id)`
    const rows = await selectForRows(
      { ...statements, all: (sql, given) => statements.all(sql, { ...given, ...values }) },
      ['TEXT'],
      orderIds.map((id) => [id]),
      (list) =>
        `SELECT order_id, reference, state, service_state, delivered,
           CASE WHEN ${isPushed} THEN 1 ELSE 0 END AS is_pushed
         FROM ${list} AS wanted ${dialect.orderedJoin} orders ${dialect.indexedBy('orders_by_id')}
           ON order_id = column1
         WHERE ${where} ORDER BY number`,
    )
    const newest = new Map(rows.map((row) => [String(row.order_id), row]))
    return [...newest.values()].map(({ is_pushed, ...row }) => {
      const { serviceState, ...order } = fromRow<Stored>(row)
      const state = findUndocumented({ serviceState }) ?? order.state
      return { ...order, state, isPushed: Number(is_pushed) === 1 }
    })
  },
})
