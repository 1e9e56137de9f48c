// Lists the orders of an account that may have cards, the newest first.
import type { AccountId } from '../../contract/account-id.ts'
import type { Entry } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import { type Damage, fromRow } from '../row.ts'

export type DeliveredOrder = Damage & {
  readonly orderId: string
} & Pick<Entry, 'number' | 'reference' | 'profile' | 'standing' | 'state' | 'placedAt' | 'actor'>

export const createDeliveredQueries = ({ tables }: JournalParts) => ({
  /** Without the orders that are known to have no card. */
  listDelivered: async (account: AccountId, since: number): Promise<DeliveredOrder[]> => {
    const { accounts, statements } = tables
    const rows = await statements.all(
      `SELECT number, order_id, reference, profile, standing, state, placed_at, actor FROM orders
       WHERE ${await accounts.createCondition(account)} AND placed_at >= $since AND order_id IS NOT NULL
         AND standing IN ('confirming', 'confirmed') AND coalesce(result, '') NOT IN ('failed', 'rejected')
         AND coalesce(delivered, 1) > 0
       ORDER BY placed_at DESC, number DESC`,
      { since },
    )
    return rows.map((row) => fromRow<DeliveredOrder>(row))
  },
})
