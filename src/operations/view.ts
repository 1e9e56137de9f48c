// What orderctl says about an order at one moment: the standing of the journal joined with the last response. Screens,
// JSON, exit codes, next steps and guards use only this.
import type { Outcome } from '../client/api.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import { countReceived, type Shortfall } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { hasReached, isFinal, isKnownState, pendingState } from '../contract/states.ts'
import { toMilliseconds } from '../contract/time.ts'
import type { ExitName } from '../errors.ts'
import type { Known } from '../journal/orders/entries.ts'
import { countsAsUnconfirmed, estimateProofTime, hasExpired, type Times } from '../journal/orders/expiry.ts'
import { findResult, isHolding, isOlder, isUnprovenOrder } from '../journal/orders/standings.ts'
import { type CardOfOrder, findDuplicates, listUnrecorded } from './cards/seen-cards.ts'
import { hasCodes, isSameOrder, provesPayment, showsUnconfirmed } from './evidence.ts'
import type { OrderRecord } from './session.ts'

/** `unspent`: proven, or no confirm of the order was begun. `not-confirmed-so-far`: a refusal, which is no proof. */
export type Money = 'unspent' | 'not-confirmed-so-far' | 'maybe' | 'spent'

export type Progress =
  | 'not-created'
  | 'waiting'
  | 'expired'
  | 'in-progress'
  | 'successful'
  /** Successful, but cards are missing. They may still come. */
  | 'incomplete'
  | 'partial'
  | 'failed'
  | 'rejected'
  | 'undocumented'

/**
 * What the response is. `behind`: it shows the order as before a confirm or a result that is known. `stranger`: it shows a
 * different order under the id. `none`: the service was not asked.
 */
type Reading = 'current' | 'behind' | 'stranger' | 'forgotten' | 'unreadable' | 'none'

/** How long it makes sense to wait for the order. `open`: until it changes. */
export type Wait = 'none' | 'short' | 'long' | 'open'
export const waitMs: Readonly<Record<Wait, number>> = {
  none: 0,
  short: 2 * 60_000,
  long: 30 * 60_000,
  open: Number.POSITIVE_INFINITY,
}

/** What the command needs to succeed: to show the order, that it is confirmed, or that it is final. */
type Wants = 'shown' | 'confirmed' | 'final'

type Next =
  | 'none'
  | 'create'
  | 'confirm'
  | 'watch'
  | 'redeem'
  | 'explain'
  | 'order-again'
  | 'reconcile'
  | 'wait-for-proof'
  | 'settle-by-hand'

export type OrderView = {
  readonly money: Money
  readonly progress: Progress
  /** The response shows the order in its final state. */
  readonly isFinal: boolean
  readonly reading: Reading
  /** Only a person said that the order is paid, or a person said wrongly that it is not. */
  readonly decision: 'spent' | 'refuted' | undefined
  readonly wait: Wait
  /** When a further `get` may prove that nothing was spent, by the journal's clock. */
  readonly provenAt: number | undefined
  readonly exit: ExitName
  readonly next: Next
  /** The products with fewer cards than ordered, if the order is final. */
  readonly shortfalls: readonly Shortfall[]
  /** How many cards the service has delivered, but no longer shows. */
  readonly vanished: number
  /** How many cards have the code of a different card, if the order is final. */
  readonly duplicates: number
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
  const isShort = shown !== undefined && counts.shortfalls.length > 0
  const result = findProgress({ known, shown, money, isExpired: isExpiredOf(known, shown, options) })
  const progress = result === 'successful' && isShort ? 'incomplete' : result
  const duplicates =
    shown === undefined ? 0 : findDuplicates(shown.uid, options.cards ?? listUnrecorded(shown)).length
  const facts = { known, reading, money, progress, duplicates }
  const provenAt =
    known && mayProve(known, facts, shown) ? estimateProofTime(known.entry, options) : undefined
  const showsEnd = reading === 'current' && isEnd(progress)
  const { decision } = known?.entry ?? {}
  return {
    ...{ money, progress, reading, provenAt, isFinal: showsEnd },
    ...(showsEnd ? { ...counts, duplicates } : { shortfalls: [], vanished: 0, duplicates: 0 }),
    decision: decision === 'reported' ? 'refuted' : decision,
    wait: findWait(facts),
    exit: findExit(facts, options.wants),
    next: findNext(facts, provenAt),
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
  if (response.kind !== 'done') {
    const isForgotten = response.kind === 'refused' && response.refusal === 'order-not-found'
    return isForgotten ? 'forgotten' : 'unreadable'
  }
  const order = response.data
  if (known !== undefined && !isSameOrder(known.entry, order)) return 'stranger'
  const isBehind =
    showsUnconfirmed(order, known ?? { calls: [] }) || isOlder(order.state, known?.entry.result)
  return isConfirmed && isBehind ? 'behind' : 'current'
}

const findMoney = (known: Known | undefined, shown: Order | undefined): Money => {
  if (shown !== undefined && provesPayment(shown, known)) return 'spent'
  if (known === undefined) return shown?.state === pendingState ? 'not-confirmed-so-far' : 'maybe'
  // It may have been confirmed outside orderctl.
  if (shown !== undefined && isOdd(shown, known) && (isUnprovenOrder(known.entry) || hasCodes(shown)))
    return 'maybe'
  const { standing } = known.entry
  if (!isUnprovenOrder(known.entry)) return 'unspent'
  return standing === 'doubtful' ? 'not-confirmed-so-far' : 'maybe'
}

/** In an undocumented state, which is not the service's word before a confirm. */
const isOdd = (order: Order, known: Known): boolean =>
  !isKnownState(order.state) && !showsUnconfirmed(order, known)

const isExpiredOf = (known: Known | undefined, shown: Order | undefined, times: Times): boolean => {
  if (known !== undefined) return hasExpired(known.entry, times)
  if (shown === undefined || times.serviceNow === undefined) return false
  const createdDate = toMilliseconds(shown.createdDate)
  return hasExpired({ createdDate, placedAt: times.now }, times)
}

type Facts = {
  readonly known: Known | undefined
  readonly reading: Reading
  readonly money: Money
  readonly progress: Progress
  readonly duplicates: number
}

/** Whether later responses like this one can prove that nothing was spent. */
const mayProve = (known: Known, { reading, money }: Facts, shown: Order | undefined): boolean =>
  isUnprovenOrder(known.entry) &&
  money !== 'spent' &&
  reading !== 'stranger' &&
  reading !== 'forgotten' &&
  (shown === undefined || countsAsUnconfirmed(shown, known))

type ProgressFacts = Pick<Facts, 'known' | 'money'> & {
  readonly shown: Order | undefined
  readonly isExpired: boolean
}

const findProgress = ({ known, shown, money, isExpired }: ProgressFacts): Progress => {
  const state = shown?.state ?? pendingState
  if (money === 'spent') {
    const isOdd = shown !== undefined && !isKnownState(state)
    return findResult(known?.entry.result, state) ?? (isOdd ? 'undocumented' : 'in-progress')
  }
  if (known !== undefined && !isHolding(known.entry)) {
    const { voidReason } = known.entry
    return voidReason === 'expired' || voidReason === 'not-spent' ? 'expired' : 'not-created'
  }
  if (!isKnownState(state) && !(known !== undefined && showsUnconfirmed({ state }, known)))
    return 'undocumented'
  return isExpired ? 'expired' : 'waiting'
}

/** A confirm of the order is known, or may have spent. */
const hasConfirm = (known: Known | undefined): boolean =>
  known !== undefined && (known.entry.standing === 'confirmed' || isUnprovenOrder(known.entry))

const findWait = ({ known, reading, money, progress, duplicates }: Facts): Wait => {
  if (known !== undefined && !isHolding(known.entry) && money === 'unspent') return 'none'
  if (reading === 'stranger' || reading === 'forgotten') return 'short'
  if (money === 'spent') {
    if (reading === 'behind' || reading === 'unreadable') return 'long'
    // The service's support can say what happened to a repeated code. Waiting cannot.
    if (progress === 'incomplete' && duplicates === 0) return 'short'
    if (isEnd(progress)) return 'none'
    return progress === 'in-progress' ? 'open' : 'long'
  }
  if (known !== undefined && isUnprovenOrder(known.entry)) return 'short'
  if (reading === 'unreadable' || progress === 'undocumented') return 'long'
  return progress === 'waiting' ? 'open' : 'none'
}

const isEnd = (progress: Progress): boolean => progress === 'incomplete' || isFinal(progress)

const exitOfFinal: Readonly<Partial<Record<Progress, ExitName>>> = {
  failed: 'failed',
  rejected: 'failed',
  partial: 'partial',
}

/** After a wait for a state that was reached, missing and repeated cards do not count. */
export const findReachedExit = ({ isFinal: hasEnded, progress }: OrderView, wanted: string): ExitName =>
  (hasEnded && progress !== wanted ? exitOfFinal[progress] : undefined) ?? 'ok'

const findExit = ({ known, reading, money, progress, duplicates }: Facts, wants: Wants): ExitName => {
  if (reading === 'stranger' || reading === 'forgotten')
    return money === 'spent' || hasConfirm(known) ? 'unknown' : 'refused'
  if (known === undefined && money !== 'spent' && reading === 'unreadable') return 'unavailable'
  if (wants === 'shown') return reading === 'unreadable' ? 'unavailable' : 'ok'
  if (money === 'spent') {
    // Only a person says that the order is paid, and the service shows the contrary.
    const isOnlyDecided = reading === 'behind' && known?.entry.decision === 'spent'
    const isShown =
      wants === 'confirmed'
        ? reading !== 'unreadable' && !isOnlyDecided
        : reading === 'current' && isEnd(progress)
    const isShort = progress === 'incomplete' || (progress === 'successful' && duplicates > 0)
    if (isShown && isShort && wants === 'final') return 'partial'
    return isShown ? (exitOfFinal[progress] ?? 'ok') : 'unknown'
  }
  const isUnproven = known !== undefined && isUnprovenOrder(known.entry)
  if (money === 'maybe' || (wants === 'final' && isUnproven)) return 'unknown'
  if (progress === 'expired') return 'expired'
  return progress === 'not-created' || reading === 'unreadable' ? 'unavailable' : 'refused'
}

const findNext = (facts: Facts, provenAt: number | undefined): Next => {
  const { known, reading, money, progress } = facts
  const isGone = reading === 'stranger' || reading === 'forgotten'
  if (money === 'spent') {
    if (isGone) return 'none'
    // The missing cards of a successful order may still come.
    if (reading === 'behind' || reading === 'unreadable' || !isFinal(progress)) return 'watch'
    return progress === 'successful' ? 'redeem' : 'explain'
  }
  if (known === undefined) {
    if (money === 'maybe') return progress === 'undocumented' ? 'watch' : 'none'
    return progress === 'waiting' ? 'confirm' : 'none'
  }
  const { standing, voidReason, orderId, request, batch } = known.entry
  if (isUnprovenOrder(known.entry)) {
    if (isGone) return 'settle-by-hand'
    if (standing === 'doubtful' && progress === 'waiting') return 'confirm'
    if (reading === 'none' || reading === 'unreadable') return 'reconcile'
    return provenAt === undefined ? 'settle-by-hand' : 'wait-for-proof'
  }
  if (money === 'maybe') return 'watch'
  // The id of a stranger belongs to a different order, so no command contains it.
  if (standing === 'creating' || voidReason === 'lost' || voidReason === 'stranger') return 'create'
  if (reading === 'stranger') return 'none'
  if (standing === 'pending' && progress !== 'expired') return isGone ? 'none' : 'confirm'
  if (standing === 'pending' && reading === 'unreadable') return 'reconcile'
  // Its batch buys such an order again.
  return orderId !== undefined && request !== undefined && batch === undefined ? 'order-again' : 'none'
}
