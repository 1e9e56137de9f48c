// What orderctl says about an order at one moment: the standing of the journal joined with the last response. Screens,
// JSON, next steps, guards and the exit codes of orders use only this. First the view and its facts, for which fates.ts has a row; then
// what a response proves. Only this file and journal/orders/ judge the service's word.

import { builtin } from '../builtin.ts'
import type { DoneOutcome, Outcome } from '../client/api.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import { countReceived, findCards, listSecrets, type Shortfall } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import {
  hasReached,
  hasRedeemData,
  hiddenMark,
  isFinal,
  isKnownState,
  isPastPending,
  isShownState,
  pendingState,
} from '../contract/states.ts'
import { toMilliseconds } from '../contract/time.ts'
import type { ExitName } from '../errors.ts'
import { type Entry, hasReference, type Known } from '../journal/orders/entries.ts'
import { countsAsUnconfirmed, estimateProofTime, hasExpired, type Times } from '../journal/orders/expiry.ts'
import {
  findResult,
  isHolding,
  isOlder,
  isUnprovenOrder,
  type VoidReason,
} from '../journal/orders/standings.ts'
import { createCodeFinder } from '../text/known-codes.ts'
import { findFate, type Money, type Progress, type Reading, type Verdict, type Wants } from './fates.ts'
import { type CardOfOrder, findDuplicates, listUnrecorded } from './identify-cards.ts'

export type OrderView = Verdict & {
  readonly money: Money
  readonly progress: Progress
  /** The response shows the order in its final state. */
  readonly isFinal: boolean
  readonly reading: Reading
  /** Why the order is void, unless it may be paid after all. */
  readonly voidReason: VoidReason | undefined
  /** Only a person said that the order is paid, or a person said wrongly that it is not. */
  readonly decision: 'spent' | 'refuted' | undefined
  /** When a further `get` may prove that nothing was spent, by the journal's clock. */
  readonly provenAt: number | undefined
  /** That of `exits` for what the command needs. */
  readonly exit: ExitName
  /** The products with fewer cards than ordered, if the order is final. */
  readonly shortfalls: readonly Shortfall[]
  /** How many cards the service has delivered, but no longer shows. */
  readonly vanished: number
  /** How many cards have the code of a different card, if the order is final. */
  readonly duplicates: number
}

/** What the journal has of an order when a response to `get` is recorded. */
export type OrderRecord = {
  readonly known?: Known | undefined
  /** The cards of the response. Undefined if they could not be recorded. */
  readonly cards?: readonly CardOfOrder[] | undefined
}

/** An order as the journal and the last response show it. */
export type Sight = OrderRecord & { readonly response: Outcome<Order>; readonly view: OrderView }

type Response = Outcome<Order> | undefined
type Options = Times & {
  readonly wants: Wants
  /** This run has confirmed the order, or found it confirmed. The journal may not have recorded that. */
  readonly isConfirmed?: boolean
  /** The cards of the response, if the journal has recorded them. */
  readonly cards?: readonly CardOfOrder[] | undefined
}

export const viewOrder = (known: Known | undefined, response: Response, options: Options): OrderView => {
  const isConfirmed = options.isConfirmed === true || known?.entry.standing === 'confirmed'
  const reading = findReading(known, response, isConfirmed)
  const shown = response?.kind === 'done' && reading === 'current' ? response.data : undefined
  const money = isConfirmed ? 'spent' : findMoney(known, shown)
  const counts = countCards(known, shown)
  const result = findProgress(known, shown, money, options)
  const progress = result === 'successful' && counts.shortfalls.length > 0 ? 'incomplete' : result
  const duplicates =
    shown === undefined ? 0 : findDuplicates(shown.uid, options.cards ?? listUnrecorded(shown)).length
  const provenAt =
    known && money !== 'spent' && mayProve(known, reading, shown)
      ? estimateProofTime(known.entry, options)
      : undefined
  const { decision, orderId, request, batch, standing, voidReason } = known?.entry ?? {}
  const verdict = findFate(known, money, progress, reading, {
    repeated: duplicates > 0,
    'by-hand': decision === 'spent',
    proof: provenAt !== undefined,
    // Its batch buys such an order again.
    again: orderId !== undefined && request !== undefined && batch === undefined,
  })
  const showsEnd = reading === 'current' && (progress === 'incomplete' || isFinal(progress))
  return {
    ...{ money, progress, reading, provenAt, isFinal: showsEnd },
    ...verdict,
    voidReason: standing === 'void' && money === 'unspent' ? voidReason : undefined,
    exit: verdict.exits[options.wants],
    ...(showsEnd ? { ...counts, duplicates } : { shortfalls: [], vanished: 0, duplicates: 0 }),
    decision: decision === 'reported' ? 'refuted' : decision,
  }
}

/** Whether an order has reached a documented state, or passed it. */
export const hasReachedState = (
  { state }: Order,
  { reading, progress }: OrderView,
  wanted: string,
): boolean => hasReached(reading === 'behind' ? (isFinal(progress) ? progress : 'confirmed') : state, wanted)

/**
 * A service may delete the redeem data of an old order, so what the journal has recorded counts, too. A card that was listed
 * twice is one card of a successful order. Of a partial one it counts as two, because the service may have replaced it, and
 * --missing would buy the other one again.
 */
const countCards = (
  known: Known | undefined,
  shown: Order | undefined,
): Pick<OrderView, 'shortfalls' | 'vanished'> => {
  if (shown === undefined) return { shortfalls: [], vanished: 0 }
  const stored = parseProducts(known?.entry.products ?? '') ?? []
  const seen = new Map(
    stored.map(({ sku, delivered = 0, duplicates = 0 }) => [
      sku,
      shown.state === 'successful' ? delivered - duplicates : delivered,
    ]),
  )
  const counted = countReceived(shown)
  const all = counted.map((each) => ({ ...each, received: Math.max(each.received, seen.get(each.sku) ?? 0) }))
  const sumOf = (list: readonly Shortfall[]): number => list.reduce((sum, { received }) => sum + received, 0)
  return {
    shortfalls: all.filter(({ received, ordered }) => received < ordered),
    vanished: sumOf(all) - sumOf(counted),
  }
}

const findReading = (known: Known | undefined, response: Response, isConfirmed: boolean): Reading => {
  if (response === undefined) return 'none'
  if (response.kind !== 'done') return isForgotten(response) ? 'forgotten' : 'unreadable'
  const order = response.data
  if (known !== undefined && !isSameOrder(known.entry, order)) return 'stranger'
  const isBehind = showsUnconfirmed(order, known) || isOlder(order.state, known?.entry.result)
  return isConfirmed && isBehind ? 'behind' : 'current'
}

/** In an undocumented state, which is not the service's word before a confirm. */
const isOdd = (order: Order | undefined, known: Known | undefined): order is Order =>
  order !== undefined && !isKnownState(order.state) && !showsUnconfirmed(order, known)

const findMoney = (known: Known | undefined, shown: Order | undefined): Money => {
  if (shown !== undefined && provesPayment(shown, known)) return 'spent'
  if (known === undefined) return shown?.state === pendingState ? 'not-confirmed-so-far' : 'maybe'
  const isUnproven = isUnprovenOrder(known.entry)
  // It may have been confirmed outside orderctl.
  if (isOdd(shown, known) && (isUnproven || hasCodes(shown))) return 'maybe'
  if (!isUnproven) return 'unspent'
  return known.entry.standing === 'doubtful' ? 'not-confirmed-so-far' : 'maybe'
}

const findProgress = (
  known: Known | undefined,
  shown: Order | undefined,
  money: Money,
  times: Times,
): Progress => {
  const { result, voidReason } = known?.entry ?? {}
  if (money === 'spent')
    return findResult(result, shown?.state ?? '') ?? (isOdd(shown, known) ? 'undocumented' : 'in-progress')
  if (known !== undefined && !isHolding(known.entry))
    return voidReason === 'expired' || voidReason === 'not-spent' ? 'expired' : 'not-created'
  if (isOdd(shown, known)) return 'undocumented'
  return isExpired(known, shown, times) ? 'expired' : 'waiting'
}

const isExpired = (known: Known | undefined, shown: Order | undefined, times: Times): boolean => {
  if (known !== undefined) return hasExpired(known.entry, times)
  if (shown === undefined || times.serviceNow === undefined) return false
  return hasExpired({ createdDate: toMilliseconds(shown.createdDate), placedAt: times.now }, times)
}

/** Whether later responses like this one can prove that nothing was spent. */
const mayProve = (known: Known, reading: Reading, shown: Order | undefined): boolean =>
  isUnprovenOrder(known.entry) &&
  reading !== 'stranger' &&
  reading !== 'forgotten' &&
  (shown === undefined || countsAsUnconfirmed(shown, known))

/** A service that was reset reuses its ids, so the reference must match too. */
export const isSameOrder = (
  entry: Pick<Entry, 'reference' | 'referenceFold'>,
  { reference }: Pick<Order, 'reference'>,
): boolean =>
  (entry.reference === undefined && entry.referenceFold === undefined) || hasReference(entry, reference)

/** The service does not know the order. */
export const isForgotten = (response: Outcome<Order>): boolean =>
  response.kind === 'refused' && response.refusal === 'order-not-found'

/** A link, a value or an empty card is none. */
export const hasCodes = ({ redeem }: Pick<Order, 'redeem'>): boolean =>
  findCards(redeem).some(({ code, pin, serial }) => (code ?? pin ?? serial) !== undefined)

/** Whether the state is a word for an unconfirmed order: `created`, or the service's own word before a confirm. */
const showsUnconfirmed = ({ state }: Order, known: Known | undefined): boolean =>
  state === pendingState ||
  known?.calls.some(({ operation, serviceState }) => operation === 'confirm' && serviceState === state) ===
    true

/** Whether a response may show the order as before its confirm. */
export const needsCalls = ({ confirms }: Entry, order: Order | undefined): boolean =>
  confirms > 0 && (order === undefined || !isPastPending(order.state))

/**
 * A documented state after `created`. In an undocumented state after a confirm, also a code, PIN or serial number. A link or
 * an empty card may be a template, so it proves nothing.
 */
export const provesPayment = (order: Order, known: Known | undefined): boolean =>
  isPastPending(order.state) ||
  (known !== undefined && known.entry.confirms > 0 && hasCodes(order) && !showsUnconfirmed(order, known))

/**
 * A state that is not a word, and a state, SKU or currency that repeats a code of the order, are never shown or stored.
 * Only their hashes are.
 */
export const hideCodes = (order: Order): Order => {
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

/** Whether a state is final, and whether the order then has cards. */
export const showsDelivery = (state: string): 'with-cards' | 'without-cards' | undefined => {
  if (!isFinal(state)) return undefined
  return hasRedeemData(state) ? 'with-cards' : 'without-cards'
}

/** After a refusal: the order is not confirmed so far. */
export const showsNoConfirm = ({
  data,
  isOld = false,
}: Pick<DoneOutcome<Order>, 'data' | 'isOld'>): boolean => data.state === pendingState && !isOld
