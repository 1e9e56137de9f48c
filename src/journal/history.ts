// What people did with the cards of an account: the orders that may have cards, and who revealed their codes.
import { type AccountId, getAccountId, sandboxAddress } from '../contract/account-id.ts'
import { readAccountCondition } from './accounts.ts'
import { type Actor, readActor } from './actors/actors.ts'
import type { Entry } from './entry.ts'
import type { Journal } from './journal.ts'
import { parseReveal, type RecordedReveal } from './reveals.ts'
import { type Damage, fromRow } from './row.ts'

export type DeliveredOrder = Damage & {
  readonly orderId: string
} & Pick<
    Entry,
    'number' | 'reference' | 'profile' | 'standing' | 'state' | 'placedAt' | 'actor' | 'writtenBy'
  >

/** Newest first, without the orders that are known to have no card. */
export const listDelivered = (
  { read }: Journal,
  account: AccountId,
  since: number,
): Promise<DeliveredOrder[]> =>
  read(async ({ statements }) => {
    const rows = await statements.all(
      `SELECT number, order_id, reference, profile, standing, state, placed_at, actor,
         ${statements.dialect.writtenBy} AS written_by FROM orders
       WHERE ${await readAccountCondition(statements, account)} AND placed_at >= $since AND order_id IS NOT NULL
         AND standing IN ('confirming', 'confirmed') AND coalesce(result, '') NOT IN ('failed', 'rejected')
         AND coalesce(delivered, 1) > 0
       ORDER BY placed_at DESC, number DESC`,
      { since },
    )
    return rows.map((row) => fromRow<DeliveredOrder>(row))
  })

export type OrderReveal = RecordedReveal & { readonly by?: Actor }

/** Who revealed the codes of an order, the oldest first. */
export const listOrderReveals = (
  { read }: Journal,
  account: AccountId,
  orderId: string,
): Promise<OrderReveal[]> =>
  read(async ({ statements }) => {
    const rows = await statements.all(
      `SELECT profile, origin, order_id, skus, at, who, how, actor, role, os_user, host,
         ${statements.dialect.writtenBy} AS written_by
       FROM reveals LEFT JOIN actors ON actors.number = actor
       WHERE order_id = $orderId AND how <> 'find' ORDER BY reveals.number`,
      { orderId },
    )
    return rows
      .map(({ role, os_user, host, ...row }): OrderReveal => {
        const by = readActor({ role, os_user, host, written_by: row.written_by })
        return { ...parseReveal(row), by }
      })
      .filter(({ origin }) => isAt(origin, account))
  })

/** Another service may use the same id. A damaged origin is no URL. */
const isAt = (origin: string, { address }: AccountId): boolean =>
  origin === sandboxAddress || URL.canParse(origin)
    ? getAccountId(origin).address === address
    : origin === address
