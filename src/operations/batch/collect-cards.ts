// Reads the orders of a batch again, and finds which delivered card belongs to which wanted card.
import { parseDecimal } from '../../contract/decimal.ts'
import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { isFinal } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import type { Batch, StoredCard } from '../../journal/batches/batch.ts'
import { openBatches } from '../../journal/batches/open-batches.ts'
import type { WantedCard } from '../../journal/batches/slot-cards.ts'
import type { Spending } from '../deps.ts'
import { isSameOrder } from '../order-update.ts'
import { readOrder } from '../read.ts'
import { createOtherOrderFailure } from '../reconcile.ts'
import { recordCardsOf } from '../seen-cards.ts'
import { type DeliveryDeps, matchCards, recordDelivery } from './delivery.ts'
import { workInParallel } from './parallel.ts'
import { findPurchases, type OrderName, type Purchase } from './purchases.ts'

/** A wanted card is open, or unknown if the confirm of its order is not proven. */
type CardOutcome = Exclude<StoredCard['state'], 'wanted'> | 'open' | 'unknown'

export type CollectedCard<Kept> = Pick<StoredCard, 'row' | 'error'> & {
  readonly outcome: CardOutcome
  /** The order that bought, or may have bought, the card. */
  readonly order?: OrderName
  /** Absent if the card is not delivered, or the service no longer shows it. */
  readonly kept?: Kept
}

/** Cards of an order that belong to no row. */
type Surplus = { readonly orderId: string; readonly count: number }

export type Collected<Kept> = {
  /** In the order of the input. */
  readonly cards: readonly CollectedCard<Kept>[]
  readonly surplus: readonly Surplus[]
}

export type CollectOptions<Kept> = {
  /** What to keep of each card. The orders themselves do not stay in memory. */
  readonly keepCards: (order: Order) => (card: Card) => Kept
  readonly onProgress: (done: number, total: number) => void
}

const concurrency = 4

/** Throws if an order cannot be read. */
export const collectCards = async <Kept>(
  deps: Spending,
  batch: Batch,
  { keepCards, onProgress }: CollectOptions<Kept>,
): Promise<Collected<Kept>> => {
  const batches = openBatches(deps.journal)
  const stored = await batches.listCards(batch.number)
  const { confirmed, unproven } = await findPurchases(deps.journal, batch, stored)
  const cards = stored.map((card): CollectedCard<Kept> => {
    const doubtful = card.state === 'wanted' ? unproven.get(card.slot) : undefined
    return describeCard(card, doubtful, doubtful === undefined ? 'open' : 'unknown')
  })
  const surplus: Surplus[] = []
  let done = 0
  onProgress(done, confirmed.length)
  const limits = { limit: concurrency, signal: deps.interrupted }
  await workInParallel(confirmed, limits, async (purchase, interrupted) => {
    const order = await readPurchase({ ...deps, interrupted }, purchase)
    const { found, count } = await matchPurchase({ ...deps, batches, batch }, purchase, order)
    const keep = keepCards(order)
    // Other processes may change the batch meanwhile. The cards of a slot count as they were when its order was read.
    for (const { wanted, card } of found) {
      const isBought = wanted.hash !== undefined || isPartOf(wanted, order)
      const described = describeCard(wanted, isBought ? purchase : undefined)
      cards[wanted.card] = card === undefined ? described : { ...described, kept: keep(card) }
    }
    if (count > 0) surplus.push({ orderId: purchase.orderId, count })
    done += 1
    onProgress(done, confirmed.length)
  })
  return { cards, surplus }
}

export const readPurchase = async (
  deps: Pick<Spending, 'api' | 'interrupted'>,
  purchase: Purchase,
): Promise<Order> => {
  const { orderId, reference } = purchase
  try {
    const { order } = await readOrder(deps, orderId)
    if (!isSameOrder(purchase, order)) throw createOtherOrderFailure(purchase)
    return order
  } catch (error) {
    if (!(error instanceof Failure) || deps.interrupted.aborted) throw error
    throw new Failure(error.kind, `cannot read the order ${reference}: ${error.message}`, {
      ...error.details,
      orderId,
    })
  }
}

/** Finds the card of each wanted card of a slot, and the number of cards that belong to no row. */
const matchPurchase = async (deps: DeliveryDeps, { slot }: Purchase, order: Order) => {
  const { batches, batch } = deps
  const isComplete = isFinal(order.state)
  const { cards } = isComplete
    ? await recordDelivery(deps, slot, order)
    : { cards: await recordCardsOf(deps, order) }
  const slotCards = await batches.listSlotCards(batch.number, slot)
  const matched = matchCards(slotCards, cards)
  const cardOf = new Map(matched.map(({ wanted, card }) => [wanted?.card, card]))
  const duplicates = slotCards.filter(({ state }) => state === 'duplicate').length
  const unmatched = matched.filter(({ wanted }) => wanted === undefined).length
  return {
    found: slotCards.map((wanted) => ({ wanted, card: cardOf.get(wanted.card) })),
    count: isComplete ? Math.max(0, unmatched - duplicates) : 0,
  }
}

/** A card that failed before the slot had an order is not part of its order. */
const isPartOf = ({ sku, quote }: WantedCard, { products }: Order): boolean => {
  const ordered = products.get(sku)?.request.quote
  const wanted = parseDecimal(quote)
  return ordered !== undefined && wanted !== undefined && ordered.eq(wanted)
}

const describeCard = (
  { row, state, error }: StoredCard,
  order: OrderName | undefined,
  wanted: 'open' | 'unknown' = 'open',
): Omit<CollectedCard<never>, 'kept'> => ({
  row,
  outcome: state === 'wanted' ? wanted : state,
  error,
  order: order && { orderId: order.orderId, reference: order.reference },
})
