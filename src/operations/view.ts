// What orderctl says about an order at one moment: the standing of the journal joined with the last response. Screens,
// JSON, exit codes, next steps and guards are made from it, and from nothing else.
import { builtin } from '../builtin.ts'
import type { DoneOutcome, Outcome } from '../client/outcome.ts'
import { findCards } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { hiddenMark, isStateWord } from '../contract/state-words.ts'
import {
  hasReached,
  hasRedeemData,
  isFinal,
  isKnownState,
  isPastPending,
  pendingState,
} from '../contract/states.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import type { ExitName } from '../exit-codes.ts'
import { type Call, type Entry, hasReference, isUnproven } from '../journal/orders/entry.ts'
import { findResult, isHolding, isUnprovenOrder } from '../journal/orders/standings.ts'
import { estimateProofTime, hasExpired, type Times } from './expiry.ts'
import { foldCode } from './seen-cards.ts'

/** An order of the journal. Its calls are read only if needsCalls. */
export type Known = { readonly entry: Entry; readonly calls: readonly Call[] }

type Confirms = { readonly entry: Pick<Entry, 'confirms'> } & Pick<Known, 'calls'>

/** `unspent`: proven, or no confirm of the order was begun. `not-confirmed-so-far`: a refusal, which is no proof. */
export type Money = 'unspent' | 'not-confirmed-so-far' | 'maybe' | 'spent'

export type Progress =
  | 'not-created'
  | 'waiting'
  | 'expired'
  | 'in-progress'
  | 'successful'
  | 'partial'
  | 'failed'
  | 'rejected'
  | 'undocumented'

/**
 * What the response is. `behind`: it shows the order as before the confirm, which is known. `stranger`: it shows a different
 * order under the id. `none`: the service was not asked.
 */
export type Reading = 'current' | 'behind' | 'stranger' | 'forgotten' | 'unreadable' | 'none'

/** How long waiting for the order makes sense. `open`: until it changes. */
export type Wait = 'none' | 'short' | 'long' | 'open'
export const waitMs: Readonly<Record<Wait, number>> = {
  none: 0,
  short: 2 * 60_000,
  long: 30 * 60_000,
  open: Number.POSITIVE_INFINITY,
}

/** What the command needs to succeed: to show the order, that it is confirmed, or that it is final. */
export type Wants = 'shown' | 'confirmed' | 'final'

export type Next =
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
  /** The order is not expected to change. */
  readonly isFinal: boolean
  readonly reading: Reading
  readonly wait: Wait
  /** When a further `get` may prove that nothing was spent, by the clock of the journal. */
  readonly provenAt: number | undefined
  readonly exit: ExitName
  readonly next: Next
}

type Response = Outcome<Order> | undefined
type Options = Times & { readonly wants: Wants }

export const viewOrder = (known: Known | undefined, response: Response, options: Options): OrderView => {
  const reading = findReading(known, response)
  const shown = response?.kind === 'done' && reading === 'current' ? response.data : undefined
  const money = findMoney(known, shown)
  const progress = findProgress({ known, shown, money, isExpired: isExpiredOf(known, shown, options) })
  const facts = { known, reading, money, progress }
  const mayProve = money !== 'spent' && reading !== 'stranger' && reading !== 'forgotten'
  const provenAt =
    known !== undefined && isUnprovenOrder(known.entry) && mayProve
      ? estimateProofTime(known.entry, options)
      : undefined
  return {
    ...{ money, progress, reading, provenAt, isFinal: isFinal(progress) },
    wait: findWait(facts),
    exit: findExit(facts, options.wants),
    next: findNext(facts, provenAt),
  }
}

/** A service that was reset reuses its ids, so the reference must match too. */
export const isSameOrder = (
  entry: Pick<Entry, 'reference' | 'referenceFold'>,
  { reference }: Pick<Order, 'reference'>,
): boolean =>
  (entry.reference === undefined && entry.referenceFold === undefined) || hasReference(entry, reference)

/** A link, a value or an empty card is none. */
export const hasCodes = ({ redeem }: Pick<Order, 'redeem'>): boolean =>
  findCards(redeem).some(({ code, pin, serial }) => (code ?? pin ?? serial) !== undefined)

/** What the service may call an order that is not confirmed: its own word before each confirm, too. */
const showsUnconfirmed = ({ state }: Pick<Order, 'state'>, { calls }: Pick<Known, 'calls'>): boolean =>
  state === pendingState ||
  calls.some(({ operation, serviceState }) => operation === 'confirm' && serviceState === state)

/** Whether a response may show the order as before its confirm. */
export const needsCalls = ({ confirms }: Pick<Entry, 'confirms'>, order: Order | undefined): boolean =>
  confirms > 0 && (order === undefined || !isPastPending(order.state))

/**
 * A documented state after `created`. In an undocumented state after a confirm, also a code, PIN or serial number. A link or
 * an empty card may be a template, so it proves nothing.
 */
export const provesPayment = (order: Order, known: Confirms | undefined): boolean =>
  isPastPending(order.state) ||
  (known !== undefined && known.entry.confirms > 0 && hasCodes(order) && !showsUnconfirmed(order, known))

/** A state that is not a word, or that repeats a code, is neither shown nor stored: only its hash is. */
export const hideState = (order: Order): Order => {
  const { uid, state, redeem } = order
  if (isKnownState(state)) return order
  const codes = findCards(redeem).flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
  const folded = codes.map(foldCode).filter((text) => text !== '')
  if (isStateWord(state) && !folded.some((text) => foldCode(state).includes(text))) return order
  const hash = builtin.crypto().createHash('sha256').update(`${uid}\n${state}`).digest('hex').slice(0, 16)
  return { ...order, state: `${hiddenMark}${hash}` }
}

/** Whether an order has reached a documented state, or passed it. */
export const hasReachedState = ({ state }: Order, { reading }: OrderView, wanted: string): boolean =>
  hasReached(reading === 'behind' ? 'confirmed' : state, wanted)

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

/** Whether the response counts in a proof that no confirm took effect. It was asked for after the last of them. */
export const countsAsUnconfirmed = (order: Order, { entry, calls }: Known): boolean => {
  const unproven = calls.filter(isUnproven)
  return (
    isUnprovenOrder(entry) &&
    (order.state === pendingState ||
      unproven.every(({ serviceState = pendingState }) => serviceState === order.state))
  )
}

const findReading = (known: Known | undefined, response: Response): Reading => {
  if (response === undefined) return 'none'
  if (response.kind !== 'done') {
    const isForgotten = response.kind === 'refused' && response.refusal === 'order-not-found'
    return isForgotten ? 'forgotten' : 'unreadable'
  }
  if (known === undefined) return 'current'
  if (!isSameOrder(known.entry, response.data)) return 'stranger'
  return known.entry.standing === 'confirmed' && showsUnconfirmed(response.data, known) ? 'behind' : 'current'
}

const findMoney = (known: Known | undefined, shown: Order | undefined): Money => {
  if (known?.entry.standing === 'confirmed') return 'spent'
  if (shown !== undefined && provesPayment(shown, known)) return 'spent'
  if (known === undefined) return shown?.state === pendingState ? 'not-confirmed-so-far' : 'maybe'
  const { standing } = known.entry
  if (!isUnprovenOrder(known.entry)) return 'unspent'
  return standing === 'doubtful' ? 'not-confirmed-so-far' : 'maybe'
}

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
}

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

const findWait = ({ known, reading, money, progress }: Facts): Wait => {
  if (reading === 'stranger' || reading === 'forgotten') return 'short'
  if (money === 'spent') {
    if (reading === 'behind' || reading === 'unreadable') return 'long'
    if (isFinal(progress)) return 'none'
    return progress === 'in-progress' ? 'open' : 'long'
  }
  if (known !== undefined && isUnprovenOrder(known.entry)) return 'short'
  if (reading === 'unreadable' || progress === 'undocumented') return 'long'
  return progress === 'waiting' ? 'open' : 'none'
}

const exitOfFinal: Readonly<Partial<Record<Progress, ExitName>>> = {
  failed: 'failed',
  rejected: 'failed',
  partial: 'partial',
}

const findExit = ({ known, reading, money, progress }: Facts, wants: Wants): ExitName => {
  if (reading === 'stranger' || reading === 'forgotten') return hasConfirm(known) ? 'unknown' : 'refused'
  if (wants === 'shown') return reading === 'unreadable' ? 'unavailable' : 'ok'
  if (money === 'spent') {
    const isShown = reading !== 'unreadable' && (wants === 'confirmed' || isFinal(progress))
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
    if (reading === 'behind' || !isFinal(progress)) return 'watch'
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
  if (standing === 'creating' || voidReason === 'lost') return 'create'
  if (standing === 'pending' && progress !== 'expired') return isGone ? 'none' : 'confirm'
  // An order of a batch is bought again by its batch.
  return orderId !== undefined && request !== undefined && batch === undefined ? 'order-again' : 'none'
}
