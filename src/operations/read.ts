// Asks the service for an order, and records the response in the journal. Only this file calls `api.get`. The response to
// `requestUnrecorded` is recorded later, or shows no order.

import { builtin } from '../builtin.ts'
import type { DoneOutcome, Outcome } from '../client/api.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import { formatProducts } from '../contract/order/ordered-products.ts'
import { findCards, listSecrets } from '../contract/order/redeem-cards.ts'
import type { Invoice, Order } from '../contract/schemas.ts'
import { hiddenMark, isShownState } from '../contract/states.ts'
import { toMilliseconds } from '../contract/time.ts'
import { interruption } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import { findOvercharge, type OrderUpdate } from '../journal/orders/apply.ts'
import {
  type Entry,
  findAllById,
  getOrder,
  type Known,
  listCalls,
  type Owner,
} from '../journal/orders/entries.ts'
import { recordFact, recordNews } from '../journal/orders/write-order.ts'
import { createCodeFinder } from '../text/known-codes.ts'
import type { Session } from './dependencies.ts'
import { createSpentFailure, createStrangerFailure, createUnreadFailure } from './failures.ts'
import { type DuplicateCard, findDuplicates, listUnrecorded, recordCardsOf } from './identify-cards.ts'
import {
  isSameOrder,
  needsCalls,
  type OrderRecord,
  type OrderView,
  provesPayment,
  showsDelivery,
  viewOrder,
} from './view.ts'

type Recording = Pick<Session, 'journals' | 'owner' | 'clock' | 'seenCards' | 'onOvercharge'>

export type Asking = Recording & { readonly api: Pick<Session['api'], 'get'> }

/**
 * An order that the user or an earlier step chose. `entry`: it is this order of the journal, and no other with the id.
 */
export type NamedOrder = { readonly orderId: string; readonly entry?: Entry | undefined }

export const observeOrder = async (
  session: Asking,
  named: NamedOrder,
  signal: AbortSignal,
): Promise<OrderRecord & { readonly response: Outcome<Order> }> => {
  const response = await requestUnrecorded(session, named.orderId, signal)
  return { response, ...(await recordResponse(session, named, response)) }
}

/** For a confirm, which records the response together with its own outcome, and for the test of an account. */
export const requestUnrecorded = async (
  { api }: Pick<Asking, 'api'>,
  orderId: string,
  signal: AbortSignal,
): Promise<Outcome<Order>> => {
  const response = await api.get(orderId, { signal })
  return response.kind === 'done' ? { ...response, data: hideCodes(response.data) } : response
}

/** An order that a response shows, and what is known about it. */
export type ReadOrder = OrderRecord & { readonly data: Order; readonly view: OrderView }

/** Throws if the response does not show the order. 'confirmed': this run has confirmed it, or found it confirmed. */
export const readOrder = async (
  session: Asking & Pick<Session, 'interrupted'>,
  named: NamedOrder,
  wants: 'shown' | 'confirmed' = 'shown',
): Promise<ReadOrder> => {
  const { clock, interrupted, owner } = session
  const { orderId } = named
  const { known, cards, response } = await observeOrder(session, named, interrupted)
  const times = { now: clock.now(), serviceNow: response.serverTime }
  const view = viewOrder(known, response, { ...times, cards, wants, isConfirmed: wants === 'confirmed' })
  if (response.kind === 'done') {
    if (known !== undefined && view.reading === 'stranger') throw createStrangerFailure(known.entry)
    return { data: response.data, known, cards, view }
  }
  const isPaid = wants === 'confirmed' && view.money === 'spent'
  if (interrupted.aborted) {
    const facts = isPaid ? `the order ${orderId} is confirmed; it was not read again` : 'interrupted'
    throw interruption(interrupted, facts, { orderId, fix: (suggest) => suggest`get ${orderId}` })
  }
  if (isPaid) throw createSpentFailure(response, orderId)
  throw createUnreadFailure({ known, response, view }, orderId, owner.origin)
}

/** `known`: undefined if its calls cannot be read. */
export const toOrderUpdate = (
  { wallet }: Pick<Entry, 'wallet'>,
  { data: order, serverTime }: Pick<DoneOutcome<Order>, 'data' | 'serverTime'>,
  known: Known | undefined,
  { at, duplicates = [] }: { readonly at: number; readonly duplicates?: readonly DuplicateCard[] },
): OrderUpdate => ({
  state: order.state,
  isPaid: provesPayment(order, known),
  ...readCreatedDate(order),
  serverTime,
  ...((wallet ?? order.invoice.wallet) === order.invoice.wallet
    ? { total: formatDecimal(order.invoice.total) }
    : { isInOtherCurrency: true }),
  products: formatShownProducts(order, wallet, duplicates),
  at,
})

/** A service may send any numbers. */
const readCreatedDate = (order: Order): Pick<OrderUpdate, 'createdDate'> => {
  const createdDate = toMilliseconds(order.createdDate)
  return Number.isSafeInteger(createdDate) && createdDate >= 0 ? { createdDate } : {}
}

const addCalls = async ({ read }: Journal, entry: Entry, order: Order | undefined): Promise<Known> => ({
  entry,
  calls: needsCalls(entry, order) ? await listCalls(read, entry.number) : [],
})

/** The order with this id whose reference the response shows. */
const findShown = (entries: readonly Entry[], response: Outcome<Order>): Entry | undefined =>
  response.kind === 'done' ? entries.find((entry) => isSameOrder(entry, response.data)) : undefined

/** What the journal contains about an order, without recording the response. */
const readStored = async (
  journal: Journal,
  owner: Owner,
  { orderId, entry }: NamedOrder,
  response: Outcome<Order>,
): Promise<Known | undefined> => {
  const all = await findAllById(journal.read, owner, orderId)
  const asked =
    entry === undefined ? (findShown(all, response) ?? all[0]) : await getOrder(journal.read, entry.number)
  return asked && addCalls(journal, asked, response.kind === 'done' ? response.data : undefined)
}

/**
 * Records a response, which may be older than the entry, for the order whose reference it shows, and its cards. For every
 * other order with the id, the response is a stranger. If the journal cannot be used, prints only a warning.
 */
export const recordResponse = async (
  session: Recording,
  named: NamedOrder,
  response: Outcome<Order>,
): Promise<OrderRecord> => {
  const { journals, owner, seenCards } = session
  const { orderId } = named
  const order = response.kind === 'done' ? response.data : undefined
  if (order !== undefined) seenCards.unrecorded.set(orderId, order)
  let record: OrderRecord | undefined
  await journals.attempt('the journal was not updated', async (journal) => {
    record =
      response.kind === 'done'
        ? await recordOrder({ ...session, journal }, named, response)
        : { known: await readStored(journal, owner, named, response) }
    seenCards.unrecorded.delete(orderId)
  })
  const cards = record?.cards ?? (order && listUnrecorded(order)) ?? []
  const duplicates = findDuplicates(orderId, cards)
  if (duplicates.length > 0) seenCards.duplicates.set(orderId, duplicates)
  if (record !== undefined) return record
  // A journal that cannot be written may still know the order.
  await journals.attempt('the journal was not read', async (journal) => {
    record = { known: await readStored(journal, owner, named, response) }
  })
  return record ?? {}
}

type Writing = Omit<Recording, 'journals'> & Pick<Session, 'journal'>

const recordOrder = async (
  session: Writing,
  { orderId, entry: wanted }: NamedOrder,
  response: DoneOutcome<Order>,
): Promise<OrderRecord> => {
  const { journal, owner, clock } = session
  const order = response.data
  const all = await findAllById(journal.read, owner, orderId)
  const shown = findShown(all, response)
  for (const other of all)
    if (other.standing === 'pending' && !isSameOrder(other, order))
      await recordFact(journal, other.number, { kind: 'stranger', at: clock.now() })
  const record =
    shown === undefined
      ? { cards: await recordCardsOf(session, order) }
      : await recordShown(session, shown, response)
  const asked = wanted ?? shown ?? all[0]
  if (asked === undefined || asked.number === shown?.number) return record
  const now = await getOrder(journal.read, asked.number)
  return { ...record, known: now && (await addCalls(journal, now, order)) }
}

const recordShown = async (
  session: Writing,
  entry: Entry,
  response: DoneOutcome<Order>,
): Promise<OrderRecord> => {
  const { journal, clock, onOvercharge } = session
  const order = response.data
  const at = clock.now()
  // The payment is recorded first, because recording the cards may fail.
  const before = await addCalls(journal, entry, order)
  const update = toOrderUpdate(entry, response, before, { at })
  let known: Known = await recordNews(journal, before, { kind: 'seen', ...update })
  // The cards of an order arrive with a change of its state.
  const cards = await recordCardsOf(session, order, { areNew: known !== before })
  const duplicates = findDuplicates(order.uid, cards)
  if (duplicates.length > 0) {
    const more = toOrderUpdate(entry, response, before, { at, duplicates })
    known = await recordNews(journal, known, { kind: 'seen', ...more })
  }
  const charged = findOvercharge(entry, update)
  if (charged !== undefined) onOvercharge({ entry, charged, currency: order.invoice.wallet })
  return { known, cards }
}

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

export const findShare = ({ wallet, records }: Invoice, sku: string): string | undefined => {
  const share = records.find((record) => record.sku === sku)?.total[wallet]
  return share === undefined ? undefined : formatDecimal(share)
}

/**
 * A state that is not a word, and a state, SKU or currency that repeats a code of the order, are never shown or stored.
 * Only their hashes are.
 */
const hideCodes = (order: Order): Order => {
  const { uid, state, products, invoice, redeem } = order
  const codes = listSecrets(findCards(redeem))
  const { isIn } = createCodeFinder(codes)
  const repeats = (name: string): boolean => isIn(name, 'long')
  const hash = (text: string): string =>
    `${hiddenMark}${builtin.crypto().createHash('sha256').update(`${uid}\n${text}`).digest('hex').slice(0, 16)}`
  const shown = isShownState(state, isIn) ? order : { ...order, state: hash(state) }
  if (codes.length === 0) return shown
  const keys = invoice.records.flatMap(({ sku, total }) => [sku, ...Object.keys(total)])
  const names = [...products.keys(), ...(redeem?.keys() ?? []), invoice.wallet, ...keys]
  if (!names.some(repeats)) return shown
  const hide = (text: string): string => (repeats(text) ? hash(text) : text)
  const hideKeys = <Value>(entries: Iterable<readonly [string, Value]>) =>
    Array.from(entries, ([key, value]) => [hide(key), value] as const)
  return {
    ...shown,
    products: new Map(hideKeys(products).map(([sku, product]) => [sku, { ...product, sku }])),
    invoice: {
      ...invoice,
      wallet: hide(invoice.wallet),
      records: invoice.records.map(({ sku, total, ...record }) => ({
        ...record,
        sku: hide(sku),
        total: Object.fromEntries(hideKeys(Object.entries(total))),
      })),
    },
    redeem: redeem && new Map(hideKeys(redeem)),
  }
}
