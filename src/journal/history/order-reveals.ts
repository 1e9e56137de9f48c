// Lists who revealed the codes of an order, the oldest first.
import { type AccountId, getAccountId, sandboxAddress } from '../../contract/account-id.ts'
import type { Actor } from '../actors/actors.ts'
import type { JournalParts } from '../journal.ts'
import { parseReveal, type RecordedReveal } from '../reveals.ts'
import { readActor } from '../row.ts'

export type OrderReveal = RecordedReveal & { readonly by?: Actor }

export const createOrderRevealQueries = ({ tables }: JournalParts) => ({
  listOrderReveals: async (account: AccountId, orderId: string): Promise<OrderReveal[]> => {
    const rows = await tables.statements.all(
      `SELECT profile, origin, order_id, skus, at, who, how, actor, role, os_user, host
       FROM reveals LEFT JOIN actors ON actors.number = actor
       WHERE order_id = $orderId AND how <> 'find' ORDER BY reveals.number`,
      { orderId },
    )
    return rows
      .map(({ role, os_user, host, ...row }): OrderReveal => {
        const by = os_user === null ? {} : { by: readActor({ role, os_user, host }) }
        return { ...parseReveal(row), ...by }
      })
      .filter(({ origin }) => isAt(origin, account))
  },
})

/** Another service may use the same id. A damaged origin is no URL. */
const isAt = (origin: string, { address }: AccountId): boolean =>
  origin === sandboxAddress || URL.canParse(origin)
    ? getAccountId(origin).address === address
    : origin === address
