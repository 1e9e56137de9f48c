// Reads orders from the service, and records each response in the journal. Only this file calls `api.get`.
// `requestUnrecorded` is the only exception to the recording.
import type { DoneOutcome, Outcome } from '../client/outcome.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import { formatProducts } from '../contract/ordered-products.ts'
import { findCards } from '../contract/redeem-cards.ts'
import type { Invoice, Order } from '../contract/schemas.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import { interruption } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry } from '../journal/orders/entry.ts'
import { findOvercharge, type OrderUpdate } from '../journal/orders/observations.ts'
import { hideState, isSameOrder, type Known, needsCalls, provesPayment, showsDelivery } from './evidence.ts'
import {
  createSpentFailure,
  createStrangerFailure,
  createUnreadFailure,
} from './failures/outcome-failures.ts'
import { type DuplicateCard, findDuplicates, recordCardsOf } from './seen-cards.ts'
import type { Session } from './session.ts'
import { type OrderView, viewOrder, type Wants } from './view.ts'

/** What asking for an order needs. */
export type Asking = Pick<Session, 'record'> & { readonly api: Pick<Session['api'], 'get'> }

/** The response to `get`, and what the journal has of the order after it. */
export type Observed = { readonly known: Known | undefined; readonly response: Outcome<Order> }

export const observeOrder = async (
  asking: Asking,
  orderId: string,
  signal: AbortSignal,
): Promise<Observed> => {
  const response = await requestUnrecorded(asking, orderId, signal)
  return { response, known: await asking.record(orderId, response) }
}

export const requestOrder = async (
  asking: Asking,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => (await observeOrder(asking, orderId, signal)).response

/** For a confirm, which records the response together with its own outcome, and for the test of an account. */
export const requestUnrecorded = async (
  { api }: Pick<Asking, 'api'>,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => {
  const response = await api.get(orderId, { signal })
  return response.kind === 'done' ? { ...response, data: hideState(response.data) } : response
}

/** An order that a response shows, and what is known of it. */
export type ReadOrder = { readonly data: Order; readonly known: Known | undefined; readonly view: OrderView }

/** Throws if the response does not show the order. `wants`: what the command needs. */
export const readOrder = async (
  session: Asking & Pick<Session, 'clock' | 'interrupted' | 'owner'>,
  orderId: string,
  wants: Wants = 'shown',
): Promise<ReadOrder> => {
  const { clock, interrupted, owner } = session
  const { known, response } = await observeOrder(session, orderId, interrupted)
  const view = viewOrder(known, response, { now: clock.now(), serviceNow: response.serverTime, wants })
  if (response.kind === 'done') {
    if (known !== undefined && view.reading === 'stranger') throw createStrangerFailure(known.entry)
    return { data: response.data, known, view }
  }
  const isPaid = wants === 'confirmed' && view.money === 'spent'
  if (interrupted.aborted) {
    const facts = isPaid ? `the order ${orderId} is confirmed; it was not read again` : 'interrupted'
    throw interruption(interrupted, facts, { orderId, fix: (suggest) => suggest`get ${orderId}` })
  }
  if (isPaid) throw createSpentFailure(response, orderId)
  throw createUnreadFailure({ known, response, view }, orderId, owner.origin)
}

type Shown = Pick<DoneOutcome<Order>, 'data' | 'serverTime'>

/** `known`: undefined if its calls cannot be read. */
export const toOrderUpdate = (
  { wallet }: Pick<Entry, 'wallet'>,
  { data: order, serverTime }: Shown,
  known: Known | undefined,
  { at, duplicates = [] }: { readonly at: number; readonly duplicates?: readonly DuplicateCard[] },
): OrderUpdate => ({
  state: order.state,
  isPaid: provesPayment(order, known),
  createdDate: toMilliseconds(order.createdDate),
  serverTime,
  ...((wallet ?? order.invoice.wallet) === order.invoice.wallet
    ? { total: formatDecimal(order.invoice.total) }
    : { isInOtherCurrency: true }),
  products: formatShownProducts(order, wallet, duplicates),
  at,
})

/** An order that was charged more than its total, or in another currency. */
export type Overcharge = { readonly entry: Entry; readonly charged: string; readonly currency: string }

export type RecordedRead = {
  /** The order as the journal has it afterwards. */
  readonly known: Known | undefined
  readonly overcharge?: Overcharge | undefined
  readonly duplicates: readonly DuplicateCard[]
}

const addCalls = async (
  journal: Journal,
  entry: Entry | undefined,
  order: Order | undefined,
): Promise<Known | undefined> =>
  entry && { entry, calls: needsCalls(entry, order) ? await journal.listCalls(entry.number) : [] }

/** What the journal has of an order, without recording the response. */
export const readKnown = async (
  journal: Journal,
  owner: Session['owner'],
  orderId: string,
  response: Outcome<Order> | undefined,
): Promise<Known | undefined> =>
  addCalls(
    journal,
    await journal.findOrder(owner, orderId),
    response?.kind === 'done' ? response.data : undefined,
  )

/** Records what a response says about an order of the journal, and its cards. Without `given`, finds the order by its id. */
export const recordRead = async (
  session: Pick<Session, 'journal' | 'owner'>,
  orderId: string,
  response: Outcome<Order>,
  { at, entry: given }: { readonly at: number; readonly entry?: Entry | undefined },
): Promise<RecordedRead> => {
  const { journal, owner } = session
  const entry = given ?? (await journal.findOrder(owner, orderId))
  if (response.kind !== 'done') return { known: await addCalls(journal, entry, undefined), duplicates: [] }
  const { data: order } = response
  const readDuplicates = async () => findDuplicates(order.uid, await recordCardsOf(session, order))
  const readAgain = async ({ number }: Entry) => addCalls(journal, await journal.getOrder(number), order)
  if (entry === undefined) return { known: undefined, duplicates: await readDuplicates() }
  if (!isSameOrder(entry, order)) {
    await journal.recordStranger(entry, at)
    // After a repeated response to create, an older order has the same id.
    const other = given === undefined ? await journal.findOrder(owner, orderId) : undefined
    if (other !== undefined && other.number !== entry.number && isSameOrder(other, order))
      return recordRead(session, orderId, response, { at, entry: other })
    return { known: await readAgain(entry), duplicates: await readDuplicates() }
  }
  // The payment is recorded first, because recording the cards may fail.
  const before = await addCalls(journal, entry, order)
  const update = toOrderUpdate(entry, response, before, { at })
  let isChanged = await journal.recordOrder(entry.number, update, entry)
  const duplicates = await readDuplicates()
  if (duplicates.length > 0) {
    const more = toOrderUpdate(entry, response, before, { at, duplicates })
    isChanged = (await journal.recordOrder(entry.number, more, entry)) || isChanged
  }
  const charged = findOvercharge(entry, update)
  return {
    known: isChanged ? await readAgain(entry) : before,
    duplicates,
    overcharge: charged === undefined ? undefined : { entry, charged, currency: order.invoice.wallet },
  }
}

/** Returns undefined if the products cannot be stored. */
export const formatNewProducts = (
  { productList }: Pick<OrderRequest, 'productList'>,
  invoice: Invoice,
): string | undefined =>
  formatProducts(
    productList.map(({ sku, productType, quote, quantity }) => ({
      sku,
      productType,
      quote: formatDecimal(quote),
      ordered: quantity,
      charged: findShare(invoice, sku),
    })),
  )

const formatShownProducts = (
  { state, products, invoice, redeem }: Order,
  wallet = invoice.wallet,
  duplicates: readonly DuplicateCard[] = [],
): string | undefined => {
  const repeated = Map.groupBy(duplicates, ({ card }) => card.sku)
  const isDelivered = showsDelivery(state)
  const cards = Map.groupBy(isDelivered === 'with-cards' ? findCards(redeem) : [], ({ sku }) => sku)
  return formatProducts(
    [...products].map(([sku, { request, shopItem }]) => ({
      sku,
      productType: shopItem.productType,
      quote: formatDecimal(request.quote),
      ordered: request.quantity,
      delivered: isDelivered === undefined ? undefined : (cards.get(sku)?.length ?? 0),
      duplicates: repeated.get(sku)?.length,
      charged: findShare({ ...invoice, wallet }, sku),
    })),
  )
}

/** What the invoice charges for a product. */
const findShare = ({ wallet, records }: Invoice, sku: string): string | undefined => {
  const share = records.find((record) => record.sku === sku)?.total[wallet]
  return share === undefined ? undefined : formatDecimal(share)
}
