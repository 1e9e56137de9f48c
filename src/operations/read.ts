// Reads orders from the service, and records each response in the journal. Only this file calls `api.get`.
// `requestUnrecorded` is the only exception to the recording.
import type { DoneOutcome, Outcome } from '../client/outcome.ts'
import { formatDecimal } from '../contract/decimal.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import { formatProducts } from '../contract/ordered-products.ts'
import { findCards } from '../contract/redeem-cards.ts'
import { isSameReference } from '../contract/reference.ts'
import type { Invoice, Order } from '../contract/schemas.ts'
import { hasRedeemData, isFinal, isPastPending } from '../contract/states.ts'
import { interruption } from '../errors.ts'
import type { Entry } from '../journal/orders/entry.ts'
import { findOvercharge, type OrderUpdate } from '../journal/orders/observations.ts'
import type { Damage } from '../journal/orders/row.ts'
import { createReadFailure, createSpentFailure } from './outcome-failures.ts'
import { type DuplicateCard, findDuplicates, recordCardsOf } from './seen-cards.ts'
import type { Session } from './session.ts'

/** What asking for an order needs. */
export type Asking = Pick<Session, 'record'> & { readonly api: Pick<Session['api'], 'get'> }

export const requestOrder = async (
  { api, record }: Asking,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => {
  const outcome = await api.get(orderId, { signal })
  if (outcome.kind === 'done') await record(outcome.data)
  return outcome
}

/** For a confirm, which records the response together with its own outcome, and for the test of an account. */
export const requestUnrecorded = (
  { api }: Pick<Asking, 'api'>,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => api.get(orderId, { signal })

export const readOrder = async (
  session: Asking & Pick<Session, 'interrupted' | 'owner'>,
  orderId: string,
): Promise<DoneOutcome<Order>> => {
  const { interrupted, owner } = session
  const outcome = await requestOrder(session, orderId, interrupted)
  if (outcome.kind === 'done') return outcome
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; nothing has changed', { orderId })
  throw createReadFailure(outcome, { orderId, origin: owner.origin })
}

/** For a read after money was spent: its failures say not to order again. */
export const readSpent = async (
  session: Asking & Pick<Session, 'interrupted'>,
  orderId: string,
): Promise<Order> => {
  const { interrupted } = session
  const outcome = await requestOrder(session, orderId, interrupted)
  if (outcome.kind === 'done') return outcome.data
  if (interrupted.aborted) {
    throw interruption(interrupted, `the order ${orderId} is confirmed; it was not read again`, {
      orderId,
      fix: (suggest) => `Show it: ${suggest`get ${orderId}`}`,
    })
  }
  throw createSpentFailure(outcome, orderId)
}

/** Cards prove that the order is paid, even in an undocumented state. */
export const isPaid = (order: Order): boolean =>
  isPastPending(order.state) || findCards(order.redeem).length > 0

export const toOrderUpdate = (
  { wallet }: Pick<Entry, 'wallet'>,
  order: Order,
  at: number,
  duplicates: readonly DuplicateCard[] = [],
): OrderUpdate => ({
  state: order.state,
  hasCards: findCards(order.redeem).length > 0,
  ...((wallet ?? order.invoice.wallet) === order.invoice.wallet
    ? { total: formatDecimal(order.invoice.total) }
    : { isInOtherCurrency: true }),
  products: formatShownProducts(order, wallet, duplicates),
  at,
})

/** A service that was reset reuses its ids, so the reference must match too. */
export const isSameOrder = (
  { reference, damage }: Pick<Entry, 'reference'> & Damage,
  order: Order,
): boolean =>
  reference === undefined ||
  damage?.includes('reference') === true ||
  isSameReference(reference, order.reference)

/** An order that was charged more than its total, or in another currency. */
export type Overcharge = { readonly entry: Entry; readonly charged: string; readonly currency: string }

export type RecordedRead = { readonly overcharge?: Overcharge; readonly duplicates: readonly DuplicateCard[] }

/** Records the cards of an order, and its state if the journal has it. Without `known`, finds it by its id. */
export const recordRead = async (
  session: Pick<Session, 'journal' | 'owner'>,
  order: Order,
  at: number,
  known?: Entry,
): Promise<RecordedRead> => {
  const { journal, owner } = session
  const readDuplicates = async () => findDuplicates(order.uid, await recordCardsOf(session, order))
  const entry = known ?? (await journal.findOrder(owner, order.uid))
  if (entry === undefined || !isSameOrder(entry, order)) return { duplicates: await readDuplicates() }
  // The payment is recorded first, because recording the cards may fail.
  const update = toOrderUpdate(entry, order, at)
  await journal.recordOrder(entry.number, update, entry)
  const duplicates = await readDuplicates()
  if (duplicates.length > 0)
    await journal.recordOrder(entry.number, toOrderUpdate(entry, order, at, duplicates), entry)
  const charged = findOvercharge(entry, update)
  const currency = order.invoice.wallet
  return { duplicates, overcharge: charged === undefined ? undefined : { entry, charged, currency } }
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
  const cards = hasRedeemData(state) ? Map.groupBy(findCards(redeem), ({ sku }) => sku) : new Map()
  return formatProducts(
    [...products].map(([sku, { request, shopItem }]) => ({
      sku,
      productType: shopItem.productType,
      quote: formatDecimal(request.quote),
      ordered: request.quantity,
      delivered: isFinal(state) ? (cards.get(sku)?.length ?? 0) : undefined,
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
