// Reads the orders of a batch again and finds the delivered card of each wanted card.

import { parseDecimal } from '../../contract/money/decimal.ts'
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import type { Access } from '../../journal/access.ts'
import { type Batch, isFailedCard, type StoredCard } from '../../journal/batches/batches.ts'
import {
  type DeliveredCards,
  listBatchCards,
  listBatchOrders,
  listUnknownOrders,
} from '../../journal/batches/cards.ts'
import { listSlotCards, type WantedCard } from '../../journal/batches/slots.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import type { Session } from '../../operations/dependencies.ts'
import { createStrangerFailure } from '../../operations/failures.ts'
import { recordCardsOf } from '../../operations/identify-cards.ts'
import { workInParallel } from '../../operations/parallel.ts'
import { type ReadOrder, readOrder } from '../../operations/read.ts'
import { isSameOrder, showsDelivery } from '../../operations/view.ts'
import type { ReportedState } from '../summary.ts'
import { type DeliverySession, matchCards, recordDelivery, type ShownOrder } from './delivery.ts'

export type CollectedCard<Kept> = Pick<StoredCard, 'row' | 'error'> & {
  readonly outcome: ReportedState
  /** The order that bought, or may have bought, the card. */
  readonly order?: OrderName | undefined
  /** Absent if the card is not delivered, or the service no longer shows it. */
  readonly kept?: Kept | undefined
}

type Collected<Kept> = {
  /** In the order of the input. */
  readonly cards: readonly CollectedCard<Kept>[]
  /** For each order, the number of its cards that belong to no row. */
  readonly surplus: readonly { readonly orderId: string; readonly count: number }[]
}

/**
 * Throws if an order cannot be read. `keepCards` returns the data to keep of each card, so that the orders do not stay in
 * memory.
 */
export const collectCards = async <Kept>(
  session: Session,
  batch: Batch,
  keepCards: (order: Order) => (card: Card) => Kept,
  onProgress: (done: number, total: number) => void,
): Promise<Collected<Kept>> => {
  const { read } = session.journal
  const stored = await listBatchCards(read, batch.number)
  const { confirmed, unproven } = await findPurchases(read, batch, stored)
  const cards = stored.map((card): CollectedCard<Kept> => {
    const doubtful = card.state === 'wanted' ? unproven.get(card.slot) : undefined
    return describeCard(card, doubtful, doubtful === undefined ? 'open' : 'unknown')
  })
  const surplus: { readonly orderId: string; readonly count: number }[] = []
  let done = 0
  onProgress(done, confirmed.length)
  await readPurchases(session, confirmed, async (purchase, shown) => {
    const { order } = shown
    const { found, count } = await matchPurchase({ ...session, batch }, purchase.slot, shown)
    const keep = keepCards(order)
    // Other processes may change the batch meanwhile. The cards of a slot count as they were when its order was read.
    for (const { wanted, card } of found) {
      const isBought = wanted.hash !== undefined || isPartOf(wanted, order)
      // A different order of the slot may have its card.
      const { order: buyer = isBought ? purchase : undefined, kept } = cards[wanted.card] ?? {}
      cards[wanted.card] =
        card === undefined
          ? { ...describeCard(wanted, buyer, 'open'), kept }
          : { ...describeCard(wanted, purchase, 'open'), kept: keep(card) }
    }
    if (count > 0) surplus.push({ orderId: purchase.orderId, count })
    done += 1
    onProgress(done, confirmed.length)
  })
  return { cards, surplus }
}

type ReadPurchase = ShownOrder & Pick<ReadOrder, 'view'>

/** Reads the orders of a slot one after the other. */
const readPurchases = (
  session: Session,
  purchases: readonly Purchase[],
  use: (purchase: Purchase, shown: ReadPurchase) => Promise<void>,
): Promise<void> => {
  const read = async (purchase: Purchase, interrupted: AbortSignal): Promise<ReadPurchase> => {
    const { orderId, reference } = purchase
    try {
      const { data: order, ...read } = await readOrder({ ...session, interrupted }, { orderId })
      if (!isSameOrder(purchase, order)) throw createStrangerFailure(purchase)
      return { order, ...read }
    } catch (error) {
      if (!(error instanceof Failure) || interrupted.aborted) throw error
      const problem = `cannot read the order ${reference}: ${error.message}`
      throw new Failure(error.reason, problem, { ...error.details, orderId })
    }
  }
  const slots = Map.groupBy(purchases, ({ slot }) => slot).values()
  const options = { limit: () => 4, signal: session.interrupted }
  return workInParallel(slots, options, async (ofSlot, interrupted) => {
    for (const purchase of ofSlot) await use(purchase, await read(purchase, interrupted))
  })
}

/** Finds the card of each wanted card of a slot, and the number of cards that belong to no row. */
const matchPurchase = async (session: DeliverySession, slot: number, shown: ShownOrder) => {
  const { journal, batch } = session
  const isComplete = showsDelivery(shown.order.state) !== undefined
  const cards = isComplete
    ? (await recordDelivery(session, slot, shown)).cards
    : (shown.cards ?? (await recordCardsOf(session, shown.order)))
  const slotCards = await listSlotCards(journal.read, batch.number, slot)
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
  wanted: 'open' | 'unknown',
) => ({ row, outcome: state === 'wanted' ? wanted : state, error, order })

/** Records the cards that were delivered late. Throws if an order cannot be read. `late`: the number of cards. */
export const collectLateCards = async (
  session: Session,
  batch: Batch,
): Promise<{ readonly late: number; readonly delivered: DeliveredCards }> => {
  const { read } = session.journal
  const cards = await listBatchCards(read, batch.number)
  const failed = cards.filter(isFailedCard)
  const slots = new Set(failed.map(({ slot }) => slot))
  const { confirmed } = await findPurchases(read, batch, failed)
  const delivered = new Map<number, number | 'open' | undefined>()
  let late = 0
  const purchases = confirmed.filter(({ slot }) => slots.has(slot))
  await readPurchases(session, purchases, async ({ slot, number }, shown) => {
    delivered.set(number, shown.view.isFinal ? shown.known?.entry.delivered : 'open')
    if (!shown.view.isFinal) return
    const { changes } = await recordDelivery({ ...session, batch }, slot, shown)
    late += changes.filter(({ state }) => state === 'delivered').length
  })
  return { late, delivered }
}

type OrderName = { readonly orderId: string; readonly reference: string }

/** A confirmed order of a slot. The request is left out, because a batch may have ten thousand orders. */
type Purchase = OrderName & Pick<Entry, 'number' | 'referenceFold' | 'standing'> & { readonly slot: number }

/**
 * Returns the confirmed orders, and by slot the orders with a confirm whose outcome is not proven. Throws if the journal
 * has lost the order of a delivered card.
 */
const findPurchases = async (access: Access, batch: Batch, cards: readonly StoredCard[]) => {
  const slotsWith = (state: StoredCard['state']): Set<number> =>
    new Set(cards.filter((card) => card.state === state).map(({ slot }) => slot))
  const [wanted, delivered] = [slotsWith('wanted'), slotsWith('delivered')]
  const confirmed: Purchase[] = []
  const unproven = new Map<number, OrderName>()
  // Read before the orders: an order that is confirmed meanwhile must not count as one that was never bought.
  const unknown = new Set((await listUnknownOrders(access, batch.number)).map(({ number }) => number))
  const bySlot = Map.groupBy(await listBatchOrders(access, batch.number), ({ slot }) => slot)
  // The batch may have got slots since it was read.
  const slots = new Set([...cards.map(({ slot }) => slot), ...[...bySlot.keys()].map((slot = 0) => slot)])
  for (const slot of [...slots].toSorted((one, other) => one - other)) {
    const orders = bySlot.get(slot) ?? []
    // After a person's wrong decision, there may be several.
    const purchases = orders.filter(({ confirmedAt, orderId }) => confirmedAt !== undefined && orderId)
    for (const purchase of purchases) {
      const { number, standing, referenceFold } = purchase
      confirmed.push({ ...nameOrder(purchase), number, slot, standing, referenceFold })
    }
    if (purchases.length > 0) continue
    if (delivered.has(slot)) {
      const problem = `the journal no longer has order ${slot} of the batch ${batch.name}, so orderctl cannot find the codes of this order`
      throw new Failure('local-state', problem, {
        fix: (suggest) => suggest`list ${{ batch: batch.name }}`,
        advice: 'Find the order, then show its codes with redeem.',
      })
    }
    const doubtful = orders.find(({ number }) => unknown.has(number))
    if (wanted.has(slot) && doubtful !== undefined) unproven.set(slot, nameOrder(doubtful))
  }
  return { confirmed, unproven }
}

const nameOrder = ({ orderId = '', reference = '' }: Entry): OrderName => ({ orderId, reference })
