// What orderctl says about an order at one moment: the standing of the journal joined with the last response. Screens,
// JSON, next steps, guards and the exit codes of orders use only this. First the view and its facts, then what a response
// proves, then the decision table (`fates`), which has a row for each view. Only this file and journal/orders/ judge the
// service's word. ui/screens/state.ts has the sentences.

import type { DoneOutcome, Outcome } from '../client/api.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import { countReceived, findCards, type Shortfall } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import {
  hasReached,
  hasRedeemData,
  isFinal,
  isKnownState,
  isPastPending,
  pendingState,
} from '../contract/states.ts'
import { toMilliseconds } from '../contract/time.ts'
import type { ExitName } from '../errors.ts'
import { type Entry, hasReference, type Known } from '../journal/orders/entries.ts'
import {
  countsAsUnconfirmed,
  estimateProofTime,
  findResult,
  hasExpired,
  isHolding,
  isOlder,
  isUnprovenOrder,
  type Times,
  type VoidReason,
} from '../journal/orders/standings.ts'
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

/**
 * `unspent`: proven, or no confirm of the order was begun. `not-confirmed-so-far`: a refusal, which is no
 * proof, or an order that is not in the journal and is shown as created.
 */
export type Money = 'unspent' | 'not-confirmed-so-far' | 'maybe' | 'spent'

/** `incomplete`: successful, but cards are missing. They may still come. */
export type Progress =
  | ('not-created' | 'waiting' | 'expired')
  | ('in-progress' | 'successful' | 'incomplete' | 'partial' | 'failed' | 'rejected' | 'undocumented')

/**
 * What the response is. `behind`: it shows the order as before a confirm or a result that is known. `stranger`: it shows a
 * different order under the id. `none`: the service was not asked.
 */
export type Reading = 'current' | 'behind' | 'stranger' | 'forgotten' | 'unreadable' | 'none'

/** How long it makes sense to wait for the order. `open`: until it changes. */
export const waitMs = { none: 0, short: 120_000, long: 1_800_000, open: Number.POSITIVE_INFINITY } as const
type Wait = keyof typeof waitMs

/** What the command needs to succeed: to show the order, that it is confirmed, or that it is final. */
export type Wants = 'shown' | 'confirmed' | 'final'

/** What the sentence on the screen is about: the money and the progress, or the response. */
export type Subject = 'progress' | 'stranger' | 'behind' | 'by-hand'

type Next =
  | ('none' | 'create' | 'confirm' | 'watch' | 'redeem' | 'explain' | 'order-again')
  | ('reconcile' | 'wait-for-proof' | 'settle-by-hand')

/** What a row of the table says. */
type Verdict = {
  readonly says: Subject
  readonly wait: Wait
  readonly exits: Readonly<Record<Wants, ExitName>>
  readonly next: Next
}

type OneOrTwo<Word extends string> = Word | `${Word}|${Word}`
/** `repeated`: cards have the codes of others. `again`: create --again may order it anew. */
type Condition = 'repeated' | 'by-hand' | 'proof' | 'again'
type Fate = readonly [
  progress: OneOrTwo<Progress> | 'any',
  reading: OneOrTwo<Reading>,
  /** Of a row that needs one more. */
  condition: Condition | '',
  says: Subject,
  wait: Wait,
  ...exits: readonly [shown: ExitName, confirmed: ExitName, final: ExitName],
  next: Next,
]

/**
 * What the journal has of an order that is not paid. `lost`: no id, or that of a different order. `void`: for another
 * reason. `unproven`: a confirm of it may have spent.
 */
type Case = 'spent' | `${'absent' | 'lost' | 'void' | 'pending' | 'unproven'}, ${Exclude<Money, 'spent'>}`

/** What orderctl says about an order. The first row that fits decides. An exit code depends on what the command needs. */
// biome-ignore format: one row a line
const fates: Readonly<Partial<Record<Case, readonly Fate[]>>> = {
  //progress                  reading         condition   says        wait     shown          confirmed      final          next
  spent: [
    ['in-progress',            'current|none', '',         'progress', 'open',  'ok',          'ok',          'timed-out',   'watch'],
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'ok',          'unknown',     'watch'],
    ['incomplete',             'current',      'repeated', 'progress', 'none',  'ok',          'ok',          'partial',     'watch'],
    ['incomplete',             'current',      '',         'progress', 'short', 'ok',          'ok',          'partial',     'watch'],
    ['successful',             'current',      'repeated', 'progress', 'none',  'ok',          'ok',          'partial',     'redeem'],
    ['successful',             'current',      '',         'progress', 'none',  'ok',          'ok',          'ok',          'redeem'],
    ['successful',             'none',         '',         'progress', 'none',  'ok',          'ok',          'unknown',     'redeem'],
    ['partial',                'current',      '',         'progress', 'none',  'ok',          'partial',     'partial',     'explain'],
    ['partial',                'none',         '',         'progress', 'none',  'ok',          'partial',     'unknown',     'explain'],
    ['failed|rejected',        'current',      '',         'progress', 'none',  'ok',          'failed',      'failed',      'explain'],
    ['failed|rejected',        'none',         '',         'progress', 'none',  'ok',          'failed',      'unknown',     'explain'],
    ['any',                    'behind',       'by-hand',  'by-hand',  'long',  'ok',          'unknown',     'unknown',     'watch'],
    ['in-progress|successful', 'behind',       '',         'behind',   'long',  'ok',          'ok',          'unknown',     'watch'],
    ['partial',                'behind',       '',         'behind',   'long',  'ok',          'partial',     'unknown',     'watch'],
    ['failed|rejected',        'behind',       '',         'behind',   'long',  'ok',          'failed',      'unknown',     'watch'],
    ['any',                    'unreadable',   '',         'progress', 'long',  'unavailable', 'unknown',     'unknown',     'watch'],
    ['any',                    'forgotten',    '',         'progress', 'short', 'unknown',     'unknown',     'unknown',     'none'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'unknown',     'unknown',     'unknown',     'none']],
  'absent, not-confirmed-so-far': [
    ['waiting',                'current',      '',         'progress', 'open',  'ok',          'refused',     'timed-out',   'confirm'],
    ['expired',                'current',      '',         'progress', 'none',  'ok',          'expired',     'expired',     'none']],
  'absent, maybe': [
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'unknown',     'unknown',     'watch'],
    ['waiting',                'none',         '',         'progress', 'open',  'ok',          'unknown',     'timed-out',   'none'],
    ['waiting',                'unreadable',   '',         'progress', 'long',  'unavailable', 'unavailable', 'unavailable', 'none'],
    ['waiting',                'forgotten',    '',         'progress', 'short', 'refused',     'refused',     'refused',     'none']],
  'lost, unspent': [
    ['not-created',            'current|none', '',         'progress', 'none',  'ok',          'unavailable', 'unavailable', 'create'],
    ['not-created',            'unreadable',   '',         'progress', 'none',  'unavailable', 'unavailable', 'unavailable', 'create'],
    ['not-created',            'forgotten',    '',         'progress', 'none',  'refused',     'refused',     'refused',     'create'],
    ['not-created',            'stranger',     '',         'stranger', 'none',  'refused',     'refused',     'refused',     'create']],
  'lost, maybe': [
    ['not-created',            'current',      '',         'progress', 'none',  'ok',          'unknown',     'unknown',     'watch']],
  'void, unspent': [
    ['not-created',            'current|none', 'again',    'progress', 'none',  'ok',          'unavailable', 'unavailable', 'order-again'],
    ['not-created',            'unreadable',   'again',    'progress', 'none',  'unavailable', 'unavailable', 'unavailable', 'order-again'],
    ['expired',                'current|none', 'again',    'progress', 'none',  'ok',          'expired',     'expired',     'order-again'],
    ['expired',                'unreadable',   'again',    'progress', 'none',  'unavailable', 'expired',     'expired',     'order-again'],
    ['any',                    'forgotten',    'again',    'progress', 'none',  'refused',     'refused',     'refused',     'order-again'],
    ['not-created',            'current|none', '',         'progress', 'none',  'ok',          'unavailable', 'unavailable', 'none'],
    ['not-created',            'unreadable',   '',         'progress', 'none',  'unavailable', 'unavailable', 'unavailable', 'none'],
    ['expired',                'current|none', '',         'progress', 'none',  'ok',          'expired',     'expired',     'none'],
    ['expired',                'unreadable',   '',         'progress', 'none',  'unavailable', 'expired',     'expired',     'none'],
    ['any',                    'forgotten',    '',         'progress', 'none',  'refused',     'refused',     'refused',     'none'],
    ['any',                    'stranger',     '',         'stranger', 'none',  'refused',     'refused',     'refused',     'none']],
  'void, maybe': [
    ['any',                    'current',      '',         'progress', 'none',  'ok',          'unknown',     'unknown',     'watch']],
  'pending, unspent': [
    ['waiting',                'current|none', '',         'progress', 'open',  'ok',          'refused',     'timed-out',   'confirm'],
    ['waiting',                'unreadable',   '',         'progress', 'long',  'unavailable', 'unavailable', 'unavailable', 'confirm'],
    ['waiting',                'forgotten',    '',         'progress', 'short', 'refused',     'refused',     'refused',     'none'],
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'refused',     'refused',     'confirm'],
    ['expired',                'current|none', 'again',    'progress', 'none',  'ok',          'expired',     'expired',     'order-again'],
    ['expired',                'current|none', '',         'progress', 'none',  'ok',          'expired',     'expired',     'none'],
    ['expired',                'unreadable',   '',         'progress', 'long',  'unavailable', 'expired',     'expired',     'reconcile'],
    ['expired',                'forgotten',    'again',    'progress', 'short', 'refused',     'refused',     'refused',     'order-again'],
    ['expired',                'forgotten',    '',         'progress', 'short', 'refused',     'refused',     'refused',     'none'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'refused',     'refused',     'refused',     'none']],
  'pending, maybe': [
    ['undocumented',           'current',      '',         'progress', 'long',  'ok',          'unknown',     'unknown',     'watch']],
  'unproven, not-confirmed-so-far': [
    ['waiting',                'current|none', '',         'progress', 'short', 'ok',          'refused',     'unknown',     'confirm'],
    ['waiting',                'unreadable',   '',         'progress', 'short', 'unavailable', 'unavailable', 'unknown',     'confirm'],
    ['expired',                'current',      'proof',    'progress', 'short', 'ok',          'expired',     'unknown',     'wait-for-proof'],
    ['expired',                'current',      '',         'progress', 'short', 'ok',          'expired',     'unknown',     'settle-by-hand'],
    ['expired',                'none',         '',         'progress', 'short', 'ok',          'expired',     'unknown',     'reconcile'],
    ['expired',                'unreadable',   '',         'progress', 'short', 'unavailable', 'expired',     'unknown',     'reconcile'],
    ['any',                    'forgotten',    '',         'progress', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand']],
  'unproven, maybe': [
    ['any',                    'current',      'proof',    'progress', 'short', 'ok',          'unknown',     'unknown',     'wait-for-proof'],
    ['any',                    'current',      '',         'progress', 'short', 'ok',          'unknown',     'unknown',     'settle-by-hand'],
    ['any',                    'none',         '',         'progress', 'short', 'ok',          'unknown',     'unknown',     'reconcile'],
    ['any',                    'unreadable',   '',         'progress', 'short', 'unavailable', 'unknown',     'unknown',     'reconcile'],
    ['any',                    'forgotten',    '',         'progress', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand'],
    ['any',                    'stranger',     '',         'stranger', 'short', 'unknown',     'unknown',     'unknown',     'settle-by-hand']],
}

const findCase = (known: Known | undefined, money: Money): Case => {
  if (money === 'spent') return money
  if (known === undefined) return `absent, ${money}`
  const { standing, voidReason } = known.entry
  if (isUnprovenOrder(known.entry)) return `unproven, ${money}`
  if (isHolding(known.entry)) return `pending, ${money}`
  const isLost = standing === 'creating' || voidReason === 'lost' || voidReason === 'stranger'
  return `${isLost ? 'lost' : 'void'}, ${money}`
}

const includes = (cell: string, word: string): boolean => cell === 'any' || cell.split('|').includes(word)

export const findFate = (
  known: Known | undefined,
  money: Money,
  progress: Progress,
  reading: Reading,
  conditions: Readonly<Record<Condition, boolean>>,
): Verdict => {
  const name = findCase(known, money)
  const fate = fates[name]?.find(
    ([ofProgress, ofReading, condition]) =>
      includes(ofProgress, progress) &&
      includes(ofReading, reading) &&
      (condition === '' || conditions[condition]),
  )
  if (fate === undefined) throw new Error(`no row for an order that is ${name}, ${progress}, ${reading}`)
  const [, , , says, wait, shown, confirmed, final, next] = fate
  return { says, wait, exits: { shown, confirmed, final }, next }
}
