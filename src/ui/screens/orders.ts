// The fields of an order: all JSON, the table and the CSV of orders are made from this list. A command prints some of them,
// or more about it, and never gives a name a second type. What the service sent is below `service`, and nowhere else. Then the
// orders that reconcile has asked for.

import { type Decimal, parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/order/ordered-products.ts'
import { findCards } from '../../contract/order/redeem-cards.ts'
import { findGeneratedId } from '../../contract/order/reference.ts'
import type { Order } from '../../contract/schemas.ts'
import { hideHash } from '../../contract/states.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import type { OrderView } from '../../operations/view.ts'
import { type NamedActor, nameActor } from '../../text/words.ts'
import { type OwnedCard, shownCardFields } from '../cards/card-fields.ts'
import { sanitize } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import { describeProducts, formatAge, formatMoney, formatRelative, type Moment } from '../text/formats.ts'
import {
  chooseFields,
  column,
  fieldsOf,
  leaveOut,
  listOf,
  type ResultFields,
  sparse,
  wordOf,
} from '../text/result-fields.ts'
import { type Cell, right } from '../text/table.ts'
import {
  findShownWord,
  findViewStyle,
  findWordStyle,
  formatSuggestion,
  refutedAdvice,
  type Suggestion,
  stateCell,
  stateText,
} from './state.ts'

export type ShownProduct = {
  readonly sku: string
  readonly productType: string
  readonly quote: Decimal | string
  readonly quantity: number
  readonly delivered?: number | undefined
  /** These two only if a response shows them. */
  readonly name?: string
  readonly currency?: string
}

/** An order as a command knows it. */
export type OrderFacts = {
  /** Undefined if the journal does not know the order. */
  readonly entry: Partial<Entry> | undefined
  readonly view: Pick<OrderView, 'money' | 'progress' | 'decision' | 'reading' | 'voidReason' | 'duplicates'>
  /** What the response shows, masked, except for its redeem data. */
  readonly order?: Order
  /** Undefined if they are not known. */
  readonly products: readonly ShownProduct[] | undefined
  /** When it expires, for people. */
  readonly expiresAt: Moment | undefined
  readonly batch: { readonly id: string; readonly name: string } | undefined
  readonly by: NamedActor | undefined
  /** When the state was last seen, if it may have changed since. */
  readonly staleSince: number | undefined
  /** The last word of the service, if its document does not have it. */
  readonly undocumentedWord: string | undefined
  /** Masked unless they are revealed. */
  readonly cards?: readonly OwnedCard[]
  /** The response, masked unless it is revealed. */
  readonly service?: object
}

const absent = '–'

const readState = ({ entry, order, view }: OrderFacts): string =>
  order === undefined ? (entry?.state ?? '') : hideHash(findShownWord(order.state, view))

const showTotal = ({ entry: { total = '', wallet } = {} }: OrderFacts): string => {
  const amount = parseDecimal(total)
  return amount === undefined || wallet === undefined ? absent : formatMoney(amount, wallet)
}

/** With the word of the service, if its document does not have it. */
const showState = (row: OrderFacts, { theme, now, width }: View): Cell => {
  const { undocumentedWord, staleSince } = row
  const state = readState(row)
  const { text, paint } = stateCell(state, theme, findWordStyle(state))
  const word = undocumentedWord === undefined ? '' : ` (${undocumentedWord})`
  // On a narrow terminal, the total and the reference matter more. The note below the table counts these orders.
  const age = staleSince === undefined || width < 100 ? '' : `, ${formatRelative(staleSince, now)}`
  return { text: `${text}${word}${age}`, paint }
}

/** Undefined if the journal does not know them. */
const formatProducts = ({ entry }: OrderFacts): string | undefined => {
  const parsed = parseProducts(entry?.products ?? '')
  return parsed && describeProducts(parsed)
}

/** Generated references differ only in their end. */
const showReference = ({ entry: { reference = absent } = {} }: OrderFacts, { width }: View): string => {
  const id = width === Infinity ? undefined : findGeneratedId(reference)
  return id === undefined ? reference : `…${id}`
}

const formatPerson = ({ by }: OrderFacts): string | undefined => by && nameActor(by)

const sumOf = (counts: readonly (number | undefined)[] = [undefined]): number | undefined =>
  counts.some((count) => count === undefined)
    ? undefined
    : counts.reduce<number>((sum, count = 0) => sum + count, 0)

/** Counts the cards of a product that the order shows, or has delivered. */
export const createDeliveredCount = ({ redeem }: Order, { isFinal, shortfalls }: OrderView) => {
  const received = Map.groupBy(findCards(redeem), ({ sku }) => sku)
  // A final order may not show all the cards any more that it has delivered.
  return (sku: string, ordered: number): number =>
    isFinal
      ? (shortfalls.find((each) => each.sku === sku)?.received ?? ordered)
      : (received.get(sku)?.length ?? 0)
}

export const listShownProducts = (order: Order, masked: Order, view: OrderView): ShownProduct[] => {
  const countDelivered = createDeliveredCount(order, view)
  const skus = [...order.products.keys()]
  return [...masked.products].map(([sku, { request, shopItem }], index) => ({
    ...{ sku, ...request, name: shopItem.name, productType: shopItem.productType },
    currency: shopItem.baseCurrency,
    delivered: countDelivered(skus[index] ?? sku, request.quantity),
  }))
}

/** A person, and the machine that the person used. */
export const actorFields: ResultFields<NamedActor> = [
  ['role', 'text', 'the database role, if the journal is shared', ({ role }) => role],
  ['user', 'text', 'the login name', ({ user }) => user],
  ['host', 'text', 'the machine', ({ host }) => host],
  ['writtenBy', 'text', 'the database role that wrote the row', ({ writtenBy }) => writtenBy],
]

const productFields: ResultFields<ShownProduct> = [
  ['sku', 'text', 'the SKU', ({ sku }) => sku],
  ['name', 'text', "the product's name, if the service was asked", ({ name }) => name],
  ['productType', 'text', 'fixed or range', ({ productType }) => productType],
  ['quote', 'amount', 'the value of one card', ({ quote }) => quote],
  ['currency', 'text', 'of the quote, if the service was asked', ({ currency }) => currency],
  ['quantity', 'count', 'the number of cards that were ordered', ({ quantity }) => quantity],
  ['delivered', 'count', 'the number of cards that were delivered', ({ delivered }) => delivered],
]

type CardCounts = Readonly<Partial<Record<string, number | undefined>>>

/** The number of cards, by what became of them. */
export const toCountFields = (...names: readonly string[]): ResultFields<CardCounts> =>
  names.map((name) => [name, 'count', `cards ${name}`, (counts) => counts[name]])

const countCards = ({ entry, products, view }: OrderFacts): CardCounts => ({
  ordered: sumOf(products?.map(({ quantity }) => quantity)),
  delivered: sumOf(products?.map(({ delivered }) => delivered)),
  duplicate: view.duplicates || (entry?.duplicateCards ?? 0),
})

/** CSV is for an accountant: what each order cost, when, and who placed it. An id is never cut, so that it can be copied. */
export const orderFields: ResultFields<OrderFacts> = [
  column('id', 'text', "the order's id", ({ entry, order }) => order?.uid ?? entry?.orderId, {
    title: 'ORDER',
    csv: 'order',
    cell: ({ entry }) => entry?.orderId ?? absent,
  }),
  column(
    'reference',
    'text',
    'your name for the order',
    ({ entry, order }) => order?.reference ?? entry?.reference,
    { title: 'REFERENCE', csv: 'reference', cell: showReference, narrow: 'cut' },
  ),
  column('state', 'text', 'the word that screens show', readState, {
    title: 'STATE',
    csv: 'state',
    cell: showState,
  }),
  [
    'money',
    wordOf('unspent', 'not-confirmed-so-far', 'maybe', 'spent'),
    'what is known of its payment',
    ({ view }) => view.money,
  ],
  [
    'progress',
    wordOf(
      ...['not-created', 'waiting', 'expired', 'in-progress', 'successful', 'incomplete'],
      ...['partial', 'failed', 'rejected', 'undocumented'],
    ),
    'its progress',
    ({ view }) => view.progress,
  ],
  ['decision', wordOf('spent', 'refuted'), 'what a person decided', ({ view }) => view.decision],
  column('products', listOf(productFields), 'what was ordered', ({ products }) => products, {
    ...{ title: 'PRODUCTS', csv: 'products', narrow: 'leave-out', minWidth: 16 },
    cell: (row) => formatProducts(row) ?? absent,
    csvText: formatProducts,
  }),
  column(
    'total',
    'amount',
    'what the order costs',
    ({ entry, order }) => order?.invoice.total ?? entry?.total,
    { title: 'TOTAL', csv: 'amount', cell: showTotal, csvText: ({ entry }) => entry?.total, ...right },
  ),
  column('currency', 'text', 'of the total', ({ entry, order }) => order?.invoice.wallet ?? entry?.wallet, {
    csv: 'currency',
  }),
  ['wallet', 'text', 'the wallet that pays', ({ entry, order }) => entry?.wallet ?? order?.invoice.wallet],
  column('by', actorFields, 'the person who placed the order', ({ by }) => by, {
    ...{ title: 'BY', csv: 'person', narrow: 'leave-out', isOptional: true },
    cell: (row) => formatPerson(row) ?? absent,
    csvText: formatPerson,
  }),
  column(
    'placedAt',
    'time',
    'when orderctl sent its create, or when the service created it',
    ({ entry, order }) => entry?.placedAt ?? order?.createdDate,
    {
      ...{ title: 'AGE', csv: 'placed', ...right, narrow: 'leave-out' },
      cell: ({ entry }, { now }) => formatAge(entry?.placedAt ?? Number.NaN, now),
    },
  ),
  column('confirmedAt', 'time', 'from when it is known to be confirmed', ({ entry }) => entry?.confirmedAt, {
    csv: 'confirmed',
  }),
  [
    'changedAt',
    'time',
    'when the journal, or else the service, last changed it',
    ({ entry, order }) => entry?.changedAt ?? order?.modifiedDate,
  ],
  ['expiresAt', 'time', 'until when it can be confirmed; null once it is paid', ({ expiresAt }) => expiresAt],
  column('profile', 'text', 'the profile that placed it', ({ entry }) => entry?.profile, {
    title: 'PROFILE',
    csv: 'profile',
    narrow: 'leave-out',
  }),
  ['origin', 'text', 'the base URL of its service', ({ entry }) => entry?.origin],
  ['placedWith', 'text', 'mcp if an assistant placed it', ({ entry }) => entry?.placedWith],
  ['webhookHost', 'text', 'the host of its webhook', ({ entry }) => entry?.webhookHost],
  ['batchId', 'text', "the id of its batch's plan; equal plans share it", ({ batch }) => batch?.id],
  ['batchName', 'text', 'the name of its batch', ({ batch }) => batch?.name],
  [
    'standing',
    wordOf('creating', 'pending', 'confirming', 'doubtful', 'confirmed', 'void'),
    'what the journal knows',
    ({ entry }) => entry?.standing,
  ],
  [
    'result',
    wordOf('successful', 'partial', 'failed', 'rejected'),
    'how it ended',
    ({ entry }) => entry?.result,
  ],
  [
    'serviceState',
    'text',
    "the service's last word, once it differs from created",
    ({ entry }) => entry?.serviceState && hideHash(entry.serviceState),
  ],
  ['stale', 'flag', 'it was last read over an hour ago', ({ staleSince }) => staleSince !== undefined],
  ['cardCounts', toCountFields('ordered', 'delivered', 'duplicate'), 'how many cards it has', countCards],
  ['cards', listOf(shownCardFields), 'its cards, in the order of redeem', ({ cards }) => cards ?? []],
  ['service', 'object', "the service's last response, masked without --reveal", ({ service }) => service],
]

/** What the journal has of an order. */
export const listedFields = leaveOut(orderFields, 'cards', 'service')

/** Of redeem. */
export const redeemedFields = chooseFields(
  orderFields,
  ...['id', 'reference', 'state', 'money', 'progress', 'cardCounts', 'cards', 'service'],
)

/** On stderr, of create and confirm. */
export const waitingType = sparse(
  fieldsOf({
    operation: ['text', 'create or confirm: the call of the other run'],
    orderId: ['text', 'the order, if it has an id'],
    reference: ['text', 'its reference'],
    endsAt: ['time', 'when the wait ends at the latest'],
  }),
  ...['operation', 'reference', 'endsAt'],
)

export type ReconciledRow = OrderFacts & {
  readonly entry: Entry
  readonly view: OrderView
  /** The state before reconcile. */
  readonly was: string
  readonly next: Suggestion
  readonly problem?: string | undefined
}

export const reconciledFields: ResultFields<ReconciledRow> = [
  ...listedFields,
  ['was', 'text', 'its state before', ({ was }) => was],
  ['safeFrom', 'time', 'when reconcile can first prove what was spent', ({ view }) => view.provenAt],
  ['problem', 'text', 'why the service did not show the order', ({ problem }) => problem],
  ['next', 'text', 'the next command', ({ next }) => next.command],
  ['advice', 'text', 'what to do', ({ next }) => next.advice],
]

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { was, problem } = row
  const { orderId = 'An order without an id', reference, state } = row.entry
  const style = findViewStyle(row.view)
  const next = formatSuggestion(row.next)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(sanitize(orderId))}  ${stateText(state, theme, style)}${change}, ${style.meaning}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable response:')} ${sanitize(problem)}`]),
    ...(row.view.decision === 'refuted'
      ? [`  ${theme.bad('Settled as not spent, but it is paid.')} ${refutedAdvice}`]
      : []),
    ...(next === '' ? [] : [`  ${next}`]),
    '',
  ].join('\n')
}
