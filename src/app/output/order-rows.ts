// Joins what the journal, a response and the view say about orders, for a list of their fields.

import { parseProducts } from '../../contract/order/ordered-products.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { toMilliseconds } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import type { Access } from '../../journal/access.ts'
import { findActors } from '../../journal/accounts.ts'
import { findBatchNames } from '../../journal/batches/batch-names.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { readRequestLines } from '../../journal/orders/products.ts'
import { findExpiry, findSeenTime, findUndocumented, isStale } from '../../journal/orders/standings.ts'
import { listUnrecorded, recordCardsOf } from '../../operations/identify-cards.ts'
import type { ReadOrder } from '../../operations/read.ts'
import { type OrderView, viewOrder } from '../../operations/view.ts'
import { maskCards, type OwnedCard } from '../../ui/cards/card-fields.ts'
import { createCodeMasker, listCodes, maskOrder, maskResponse } from '../../ui/masking/mask-response.ts'
import { listShownProducts, type OrderFacts, type ShownProduct } from '../../ui/screens/orders.ts'
import type { CommandSession } from '../open-session.ts'

/** As ordered, or as the service showed them. */
const listProducts = (entry: Entry): readonly ShownProduct[] | undefined => {
  const known = parseProducts(entry.products ?? '')?.map(({ ordered, ...product }) => ({
    ...product,
    quantity: ordered,
  }))
  const deliveredOf = new Map(known?.map(({ sku, delivered }) => [sku, delivered]))
  const requested = readRequestLines(entry.request)
  return requested?.map((product) => ({ ...product, delivered: deliveredOf.get(product.sku) })) ?? known
}

/** What the journal alone says about an order. */
const viewEntry = (entry: Entry, now: number): OrderView =>
  viewOrder({ entry, calls: [] }, undefined, { now, serviceNow: undefined, wants: 'shown' })

/** Keeps what else is known of each order. */
export const describeOrders = async <Row extends { readonly entry: Entry }>(
  access: Access,
  orders: readonly Row[],
  now: number,
): Promise<(Row & OrderFacts)[]> => {
  const entries = orders.map(({ entry }) => entry)
  const [batches, findActor] = await Promise.all([
    findBatchNames(access, entries),
    findActors(access, entries),
  ])
  return orders.map((order) => {
    const { entry } = order
    const view = viewEntry(entry, now)
    return {
      ...order,
      view,
      products: listProducts(entry),
      expiresAt: view.money === 'spent' ? undefined : findExpiry(entry),
      batch: entry.batch === undefined ? undefined : batches.get(entry.batch),
      by: findActor(entry),
      staleSince: isStale(entry, now) ? findSeenTime(entry) : undefined,
      undocumentedWord: findUndocumented(entry),
    }
  })
}

/** For an order that the journal does not know. */
export const withoutJournal = {
  batch: undefined,
  by: undefined,
  staleSince: undefined,
  undocumentedWord: undefined,
}

type Shown = {
  readonly isRevealed: boolean
  /** The cards that are shown. Default: all. */
  readonly cards?: readonly OwnedCard[]
  /** The part of the response that is shown. Default: the whole. */
  readonly service?: object
}

export const describeRead = async (
  { journals, clock }: CommandSession,
  seen: ReadOrder,
  shown: Shown,
): Promise<OrderFacts> => {
  const { known } = seen
  let ofJournal: OrderFacts | undefined
  if (known !== undefined)
    await journals.attempt('the person and the batch of the order were not read', async ({ read }) => {
      ;[ofJournal] = await describeOrders(read, [known], clock.now())
    })
  return joinResponse(ofJournal, seen, shown)
}

/** Only `cards` and `service` show codes, and only if they are revealed. */
export const joinResponse = (
  ofJournal: OrderFacts | undefined,
  seen: ReadOrder,
  { isRevealed, cards = listNumbered(seen), service = seen.data }: Shown,
): OrderFacts => {
  const { data, known, view } = seen
  const order = maskOrder(data)
  const createdDate = toMilliseconds(data.createdDate)
  const expiresAt = findExpiry(known?.entry ?? { createdDate, placedAt: createdDate })
  return {
    ...withoutJournal,
    ...ofJournal,
    ...{ entry: known?.entry, order, view },
    products: listShownProducts(data, order, view),
    expiresAt: view.money === 'spent' ? undefined : expiresAt,
    cards: isRevealed ? cards : maskCards(cards, createCodeMasker(listCodes(data.redeem))),
    service: isRevealed ? service : maskResponse(service, data),
  }
}

/** The cards of an order, by their numbers. */
export const listNumbered = ({ data, cards = listUnrecorded(data) }: ReadOrder) =>
  cards.map(({ card, number }) => ({ ...card, number }))

/**
 * A card is handed out by its number, so the journal has to know the numbers that are shown. `number` is that of --card.
 * Without it, a list is also shown if the journal cannot be written.
 */
export const recordNumbers = async (
  { journals, owner }: CommandSession,
  seen: ReadOrder,
  number: number | undefined,
): Promise<ReadOrder> => {
  const { data, cards } = seen
  if (cards !== undefined || (number === undefined && findCards(data.redeem).length < 2)) return seen
  try {
    const journal = await journals.openOrCreate()
    return { ...seen, cards: await recordCardsOf({ journal, owner }, data) }
  } catch (error) {
    const isStopped = error instanceof Failure && ['interrupted', 'terminated'].includes(error.kind)
    if (number !== undefined || isStopped) throw error
    return seen
  }
}
