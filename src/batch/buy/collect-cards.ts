// Assigns the cards of a final order to rows: the first delivery decides. Later reads the orders of a batch again, and finds the
// delivered card of each wanted card.

import { parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/order/ordered-products.ts'
import { type Card, mayHideCards } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import type { Access } from '../../journal/access.ts'
import { type Batch, isFailedCard, type StoredCard } from '../../journal/batches/batches.ts'
import {
  changeSlotCards,
  type DeliveredCards,
  listBatchCards,
  listBatchOrders,
  listUnknownOrders,
} from '../../journal/batches/cards.ts'
import { type CardChange, listSlotCards, type WantedCard } from '../../journal/batches/slots.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { findShownCards, listFirstShown } from '../../journal/orders/seen-cards.ts'
import { hasSucceeded } from '../../journal/orders/standings.ts'
import type { Session } from '../../operations/dependencies.ts'
import { createStrangerFailure } from '../../operations/failures.ts'
import { type CardOfOrder, findDuplicates, recordCardsOf } from '../../operations/identify-cards.ts'
import { workInParallel } from '../../operations/parallel.ts'
import { type ReadOrder, readOrder } from '../../operations/read.ts'
import { isSameOrder, type OrderRecord, showsDelivery } from '../../operations/view.ts'
import type { ReportedState } from '../summary.ts'

/** A card of the order with the wanted card that gets it. A card that no row wants gets none. */
type Assigned = CardOfOrder & { readonly wanted: WantedCard | undefined }

const keyOf = (sku: string, hash: string | undefined): string => JSON.stringify([sku, hash])

/** Matches the cards that an earlier delivery assigned. */
const matchCards = (wanted: readonly WantedCard[], cards: readonly CardOfOrder[]): Assigned[] => {
  const byHash = new Map(
    wanted.flatMap((each) => (each.hash === undefined ? [] : [[keyOf(each.sku, each.hash), each]])),
  )
  return cards.map((each) => {
    const key = each.hashes.map((hash) => keyOf(each.card.sku, hash)).find((text) => byHash.has(text))
    const found = byHash.get(key ?? '')
    byHash.delete(key ?? '')
    return { ...each, wanted: found }
  })
}

const unsureError = "another row's card is no longer in the order, and this new card may be the same card"
const goneError = 'the order listed more cards before'
const missingError = 'the order is paid and successful without this card, which may still come'
const hiddenError = 'the order has redeem data in an undocumented form, which may be this card'

/**
 * Gives each new card of a final order to the next wanted card of its SKU. A card that may be another row's card is given
 * to no row. Wanted cards without a new card fail, and may be bought again unless the order is successful.
 */
const assignNewCards = async (
  access: Access,
  all: readonly WantedCard[],
  { order, known: stored }: ShownOrder,
  cards: readonly CardOfOrder[],
): Promise<CardChange[]> => {
  const { uid, state: orderState } = order
  const assigned = matchCards(all, cards)
  const known = assigned.filter(({ wanted }) => wanted !== undefined)
  const added = assigned.filter(({ wanted }) => wanted === undefined)
  // The service may list the cards in a different order than before, so the cards that belong to a row come first.
  const duplicates = new Map(findDuplicates(uid, [...known, ...added]).map(({ number, of }) => [number, of]))
  const listed = new Set(known.map(({ wanted }) => wanted?.hash))
  const absent = all.filter(({ hash }) => hash !== undefined && !listed.has(hash))
  const given = absent.map(({ hash = '' }) => [hash])
  const shown = await findShownCards(access, uid, given)
  // The service may have changed the fields of a card that a row has. Then the card looks new. A different order of the
  // slot was the first to show the cards that it delivered.
  const gone = absent.filter((_, index) => shown[index]?.otherOrderId === undefined)
  const isUnsure = gone.length > 0
  // Such an order may have shown more cards than it lists now. For each of them, one wanted card may have come.
  const kept = new Set([...given.flat(), ...listed, ...cards.flatMap(({ hashes }) => hashes)])
  const lost = isUnsure ? (await listFirstShown(access, uid)).filter((hash) => !kept.has(hash)) : []
  const findProblem = ({ number }: Assigned): string | undefined => {
    const of = duplicates.get(number)
    if (of === uid) return 'the order lists the same code twice'
    if (of !== undefined) return `the order ${of} has the same code`
    return isUnsure ? unsureError : undefined
  }
  const found = Map.groupBy(
    added.map((each) => ({ ...each, error: findProblem(each) })),
    ({ card }) => card.sku,
  )
  const open = Map.groupBy(
    all.filter(({ hash, state }) => hash === undefined && state !== 'cancelled'),
    ({ sku }) => sku,
  )
  const mostListed = new Map(
    parseProducts(stored?.entry.products ?? '')?.map(({ sku, delivered = 0 }) => [sku, delivered]),
  )
  const now = Map.groupBy([...cards.map(({ card }) => card), ...gone], ({ sku }) => sku)
  const hidesCards = mayHideCards(order)
  const findMissing = (sku: string): string | undefined => {
    if (hidesCards) return hiddenError
    const isMissing = stored !== undefined && hasSucceeded(stored.entry) && order.products.has(sku)
    return isMissing ? missingError : undefined
  }
  return [...open].flatMap(([sku, wanted]) => {
    const missing = (mostListed.get(sku) ?? 0) - (now.get(sku)?.length ?? 0) - lost.length
    const offered = [
      ...(found.get(sku) ?? []).toSorted(
        (one, other) => Number(one.error !== undefined) - Number(other.error !== undefined),
      ),
      ...lost.map((hash) => ({ hashes: [hash], error: unsureError })),
      ...Array.from({ length: Math.max(0, missing) }, () => ({ hashes: [], error: goneError })),
    ]
    return wanted.flatMap(({ card, state }, index): CardChange[] => {
      const next = offered[index]
      if (next !== undefined && next.error === undefined)
        return [{ card, state: 'delivered', hash: next.hashes[0] ?? '' }]
      if (state === 'duplicate') return []
      const error = next?.error ?? findMissing(sku)
      if (error !== undefined) return [{ card, state: 'duplicate', error }]
      return state === 'wanted'
        ? [{ card, state: 'failed', error: `not delivered: the order is ${orderState}` }]
        : []
    })
  })
}

type DeliverySession = Pick<Session, 'journal' | 'owner'> & { readonly batch: Pick<Batch, 'number'> }

/** `cards`: undefined if they are not recorded yet. */
export type ShownOrder = OrderRecord & { readonly order: Order }

/** Call it with a final order of the slot. Returns all its cards. */
export const recordDelivery = async (session: DeliverySession, slot: number, shown: ShownOrder) => {
  const { order } = shown
  // The first order of a card stays the first, so a different transaction may assign it.
  const cards = shown.cards ?? (await recordCardsOf(session, order))
  const changes = await changeSlotCards(session.journal, session.batch.number, slot, (wanted, access) =>
    assignNewCards(access, wanted, shown, cards),
  )
  return { changes, cards }
}

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
