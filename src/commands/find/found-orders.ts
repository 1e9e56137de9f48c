// Adds to the found orders who placed them and who revealed their codes, and records who found them.
import type { Context } from '../../context.ts'
import type { Actor } from '../../journal/actors/actors.ts'
import { findActors } from '../../journal/actors/find-actors.ts'
import { listOrderReveals, type OrderReveal } from '../../journal/history.ts'
import type { Journal } from '../../journal/journal.ts'
import { listCardOrders } from '../../journal/seen-cards.ts'
import type { FoundOrder } from '../../operations/find/search-orders.ts'
import { readInParallel } from '../shared/journal/read-in-parallel.ts'
import { revealOrders } from '../shared/output/reveal.ts'
import type { Session } from '../shared/session.ts'

export type DescribedOrder = FoundOrder & {
  /** Who placed the order. */
  readonly by: Actor | undefined
  /** Of the products that match. */
  readonly reveals: readonly OrderReveal[]
  /** The ids of other orders that have the same card. */
  readonly alsoOn: readonly string[]
}

const skusOf = ({ matches }: FoundOrder): string[] => [...new Set(matches.map(({ sku }) => sku))]

export const describeOrders = async (
  { owner }: Session,
  journal: Journal | undefined,
  found: readonly FoundOrder[],
): Promise<DescribedOrder[]> => {
  if (journal === undefined || found.length === 0) return []
  const findActor = await findActors(
    journal,
    found.map(({ entry }) => entry),
  )
  return readInParallel(found, async (order) => {
    const { account } = owner
    const { hashes, entry } = order
    const skus = skusOf(order)
    const [all, others] = await Promise.all([
      listOrderReveals(journal, account, entry.orderId),
      listCardOrders(journal, { account, cards: hashes }),
    ])
    const reveals = all.filter((reveal) => skus.some((sku) => reveal.skus.includes(sku)))
    const alsoOn = others.filter((id) => id !== entry.orderId)
    return { ...order, reveals, alsoOn, by: findActor(entry) }
  })
}

/** Whoever finds an order has its code, so this is recorded like a reveal before it is printed. */
export const recordSearch = <Result>(
  context: Context,
  session: Session,
  found: readonly FoundOrder[],
  print: () => Result,
): Promise<Awaited<Result>> => {
  const orders = found.map((order) => ({ orderId: order.entry.orderId, skus: skusOf(order) }))
  return revealOrders(context, session, { orders, how: 'find' }, print)
}
