// What is known about an order follows from what happened to it. `apply` has one step for each kind of fact, and
// findStanding is the only judge of the standing. Pure: no SQL, clock or randomness. write-order.ts reads and writes the
// rows. The rules are those of docs/decisions/0003.

import { toMillionths } from '../../contract/money/decimal.ts'
import { mergeProducts } from '../../contract/order/ordered-products.ts'
import { isAmount, isTime } from '../tables/table.ts'
import type { Call, Entry, Known, StartedCall } from './entries.ts'
import { toProductColumns } from './products.ts'
import {
  countsAsUnconfirmed,
  findResult,
  hasExpired,
  initialState,
  isOpen,
  isSeenAgain,
  isUnproven,
  isUnprovenOrder,
  judgeUnconfirmed,
  mayHaveSpent,
  type Standing,
  type VoidReason,
} from './standings.ts'

type ResponseFacts = { readonly status?: number | undefined; readonly refusal?: string | undefined }

/** The content of a response to create about its new order. */
type CreatedFacts = {
  readonly orderId: string
  readonly total?: string | undefined
  /** The products with their shares of the invoice (see formatProducts). */
  readonly products?: string | undefined
  /** The `Date` of the response, and its `expiresAt`. */
  readonly createdAt?: number | undefined
  readonly expiresAt?: number | undefined
}

export type CreateEnd =
  | (CreatedFacts & { readonly outcome: 'done' })
  | (ResponseFacts & { readonly outcome: 'not-sent' | 'refused' | 'unknown' })
  /** The response is not as documented, but has an order id. */
  | (ResponseFacts & CreatedFacts & { readonly outcome: 'unknown' })

export type ConfirmEnd = ResponseFacts & { readonly outcome: Exclude<Call['outcome'], 'sending'> }

/** What a response that shows the order contains. */
export type OrderUpdate = {
  /** The service's word. */
  readonly state: string
  /** It proves that the order is paid. */
  readonly isPaid: boolean
  /** The order's `createdDate`, and the response's `Date`. Both by the service's clock. */
  readonly createdDate?: number
  readonly serverTime?: number | undefined
  /** Its invoice's total. */
  readonly total?: string | undefined
  /** The invoice is not in the order's currency, so the charge is unknown. The order's total counts. */
  readonly isInOtherCurrency?: boolean
  /** See formatProducts. */
  readonly products?: string | undefined
  readonly at: number
}

/** What the response to a `get` says, of reconcile or before a confirm. */
type Check = {
  /** The service's word. Undefined if it does not know the order. */
  readonly state: string | undefined
  readonly hasCodes: boolean
  /** A cache may have sent it, or it took too long. */
  readonly isOld: boolean
  /** How many confirms the order had when the `get` was sent. */
  readonly confirms: number
  /** Its `Date`. */
  readonly serviceTime: number | undefined
  readonly at: number
}

/** What happened to an order. `at`: by the clock of the machine that recorded it. */
export type Fact =
  | ({ readonly kind: 'create-ended'; readonly call: number; readonly at: number } & CreateEnd)
  /** The intent is on disk before the first byte is sent. */
  | {
      readonly kind: 'confirm-begun'
      readonly call: Call
      readonly total: string
      readonly counts: bigint
      readonly wallet: string
      /** When the budgets were checked, and until when the run holds the order, both by the database's clock. */
      readonly reservedAt: number
      readonly heldUntil?: number | undefined
      readonly at: number
    }
  | ({ readonly kind: 'confirm-ended'; readonly call: number; readonly at: number } & ConfirmEnd)
  | ({ readonly kind: 'seen' } & OrderUpdate)
  /** The create gave no id within its deadline. */
  | { readonly kind: 'lost'; readonly at: number }
  /** A `get` shows a different order under its id: after a repeated response to create, or a reset of the service. */
  | { readonly kind: 'stranger'; readonly at: number }
  /** Its slot wants other cards: they were moved to a different slot, or given up, while the order was created. */
  | { readonly kind: 'unwanted'; readonly at: number }
  /** A response to a `get` of reconcile, or before a confirm. No other response frees a reference, except a stranger's. */
  | ({ readonly kind: 'checked' } & Check)
  /** A person settled it. */
  | {
      readonly kind: 'decided'
      readonly isSpent: boolean
      readonly by: string
      readonly reason: string
      readonly at: number
    }

type Kind = Fact['kind']
/** What became of a call: its end, or what `get` showed after it. */
export type CallFact = FactOf<'create-ended' | 'confirm-ended' | 'seen'>
type FactOf<Wanted extends Kind> = Extract<Fact, { readonly kind: Wanted }>

/** The end of a call that was not sent. */
export const toUnsent = ({ operation, call, startedAt: at }: StartedCall): CallFact => ({
  kind: operation === 'create' ? 'create-ended' : 'confirm-ended',
  ...{ call, outcome: 'not-sent', at },
})

/** The columns and calls that change. */
type Change = { readonly entry?: Partial<Entry>; readonly calls?: readonly Call[] }

/** `now` is by the database's clock. */
export const apply = (order: Known, fact: Fact, now: number): Known => {
  const step = steps[fact.kind] as (order: Known, fact: Fact, now: number) => Change
  const { entry: changes, calls = order.calls } = step(order, fact, now)
  const changed = { ...order.entry, ...changes }
  const standing = findStanding({ entry: changed, calls })
  const entry = {
    ...changed,
    standing,
    reservedAt: mayHaveSpent({ standing }) ? changed.reservedAt : undefined,
    // After a refusal, the order is void again only with a proof.
    voidReason: standing === 'doubtful' ? undefined : changed.voidReason,
  }
  const isChanged = dated.some((name) => entry[name] !== order.entry[name])
  return { entry: isChanged ? { ...entry, changedAt: fact.at } : entry, calls }
}

/** The columns whose changes are dated in changed_at. */
const dated = ['standing', 'voidReason', 'decision', 'orderId', 'serviceState', 'result'] as const

export const findStanding = ({ entry, calls }: Known): Standing => {
  const { confirmedAt, orderId, confirms, damage = [] } = entry
  if (confirmedAt !== undefined) return 'confirmed'
  const begun = calls.filter(isConfirm)
  // The missing row of a confirm is that of an unproven one, if the order has such.
  const isMissing = begun.length < confirms && isUnprovenOrder(entry)
  if (isUnreadable(entry) || isMissing || begun.some(isOpen) || begun.some(seemsDone)) return 'confirming'
  if (begun.some(isUnproven)) return 'doubtful'
  const isVoid = damage.includes('void_reason') ? entry.standing === 'void' : entry.voidReason !== undefined
  if (isVoid) return 'void'
  return orderId === undefined ? 'creating' : 'pending'
}

const isConfirm = ({ operation }: Call): boolean => operation === 'confirm'

/** The payment of such a confirm is recorded with it, so the order's row was changed by hand. */
const seemsDone = ({ outcome, settled }: Call): boolean => outcome === 'done' && settled === undefined

/** It may have spent. Only a payment leads away from that. */
const isUnreadable = ({ damage = [] }: Known['entry']): boolean =>
  damage.includes('standing') || damage.includes('confirms')

/** It was created, and is neither known to be paid nor void. */
const isUndecided = (order: Known): boolean =>
  !isUnreadable(order.entry) && ['pending', 'confirming', 'doubtful'].includes(findStanding(order))

const steps: {
  readonly [Each in Kind]: (order: Known, fact: FactOf<Each>, now: number) => Change
} = {
  // An order without an id cannot be confirmed, so its reference is free. Only this response gives an order its id. A
  // void order stays void, because its reference may be in use again.
  'create-ended': (order, fact) => {
    const created = 'orderId' in fact ? fact : undefined
    const calls = endCall(order, fact)
    if (created === undefined) return { calls, ...makeVoid(order, 'creating', voidAfterCreate[fact.outcome]) }
    return { calls, entry: order.entry.orderId === undefined ? readCreated(order.entry, created) : {} }
  },
  // It makes an earlier sighting of a proof worthless. The order counts with the accepted total and wallet, if they
  // differ from the placed order's.
  'confirm-begun': ({ entry, calls }, { call, total, counts, wallet, reservedAt, heldUntil }) => {
    const isAccepted = call.accepted !== undefined
    const isOtherWallet = isAccepted && entry.wallet !== undefined && entry.wallet !== wallet
    return {
      calls: [...calls, call],
      entry: {
        ...{ confirms: entry.confirms + 1, unconfirmedAt: undefined, unconfirmedHere: undefined, reservedAt },
        total: isAccepted ? total : (entry.total ?? total),
        counts: isOtherWallet ? counts : findHigher(entry.counts, counts),
        wallet: isAccepted ? wallet : (entry.wallet ?? wallet),
        heldUntil: heldUntil ?? entry.heldUntil,
      },
    }
  },
  // 'not-sent' is a proof for this confirm only, and a refusal is no proof.
  'confirm-ended': (order, fact, now) => {
    // A saved outcome may be written twice, and a person may have decided in between.
    if (order.calls.some(({ number, outcome }) => number === fact.call && outcome === 'done')) return {}
    const ended = { ...order, calls: endCall(order, fact) }
    if (fact.outcome !== 'done') return { calls: ended.calls }
    return pay(ended, fact, now, isProven(order.entry) ? {} : { serviceState: 'confirmed' })
  },
  seen: (order, fact, now) => {
    const entry = readSeen(order.entry, fact)
    return fact.isPaid ? pay(order, fact, now, entry) : { entry }
  },
  lost: (order) => makeVoid(order, 'creating', 'lost'),
  stranger: (order) => makeVoid(order, 'pending', 'stranger'),
  unwanted: (order) => makeVoid(order, 'pending', 'unwanted'),
  checked: (order, check) => {
    const { confirms, at } = check
    if (order.entry.confirms !== confirms || !isUndecided(order)) return {}
    const judgement = judgeCheck(order, check)
    if (judgement === 'first') return { entry: { unconfirmedAt: check.serviceTime, unconfirmedHere: at } }
    if (judgement === 'too-early') return {}
    return {
      entry: { voidReason: 'expired' },
      calls: settle(order, isUnproven, { settled: 'expired', at }),
    }
  },
  decided: (order, decision, now) => {
    if (decision.isSpent)
      return findStanding(order) === 'confirmed' ? {} : pay(order, decision, now, { decision: 'spent' })
    if (!mayDecideUnspent(order)) return {}
    return {
      entry: {
        ...{ voidReason: 'not-spent', confirmedAt: undefined, result: undefined, decision: undefined },
        ...{ charged: undefined, overcharged: undefined },
        // The decision is also about a confirm whose row is missing.
        confirms: order.calls.filter(isConfirm).length,
      },
      calls: settle(order, seemsEffective, { settled: 'no-effect', ...decision }),
    }
  },
}

/** An order that was never confirmed expires, even if the service has deleted it. A confirm needs a proof. */
const judgeCheck = (order: Known, check: Check): ReturnType<typeof judgeUnconfirmed> => {
  const { entry, calls } = order
  const { state, hasCodes, isOld, serviceTime: serviceNow, at: now } = check
  // Codes before a confirm prove nothing, but the order may have been confirmed outside orderctl.
  if (!calls.some(isUnproven))
    return findStanding(order) === 'pending' && !hasCodes && hasExpired(entry, { now, serviceNow })
      ? 'proven'
      : 'too-early'
  const counts = state !== undefined && !isOld && countsAsUnconfirmed({ state }, order)
  return counts && serviceNow !== undefined ? judgeUnconfirmed(entry, { now, serviceNow }) : 'too-early'
}

const voidAfterCreate = { 'not-sent': 'not-sent', refused: 'refused', unknown: 'lost', done: 'lost' } as const

/** A call that has ended keeps its outcome. */
const endCall = (
  { calls }: Known,
  { call, outcome, at, ...response }: FactOf<'create-ended' | 'confirm-ended'>,
): readonly Call[] =>
  calls.map((each) => {
    const isEnded = each.outcome !== 'sending' && each.outcome !== 'unknown'
    if (each.number !== call || isEnded || each.outcome === outcome) return each
    const { status, refusal } = response as ResponseFacts
    return { ...each, outcome, status, refusal, respondedAt: at }
  })

const readCreated = (entry: Entry, { orderId, total, products, createdAt, expiresAt }: CreatedFacts) => ({
  ...{ orderId, total, createdAt, products: products ?? entry.products },
  expiresAt: isTime(expiresAt) ? expiresAt : undefined,
  counts: findHigher(entry.counts, total === undefined ? undefined : toMillionths(total)),
})

const makeVoid = (order: Known, standing: Standing, voidReason: VoidReason): Change =>
  findStanding(order) === standing ? { entry: { voidReason } } : {}

/** The payment is known, and not only by a person's decision. */
const isProven = ({ standing, decision }: Entry): boolean => standing === 'confirmed' && decision !== 'spent'

/** It may prove what a person decided, or the contrary. Without an id, an order cannot be paid. */
const pay = (
  order: Known,
  by: Pick<Settlement, 'at' | 'by' | 'reason'>,
  now: number,
  changes: Partial<Entry>,
): Change => {
  const { entry } = order
  if (entry.orderId === undefined) return { calls: order.calls }
  const { decision } = entry
  const isRefuted = entry.standing === 'void' && entry.voidReason === 'not-spent'
  return {
    entry: {
      ...{
        voidReason: undefined,
        confirmedAt: entry.confirmedAt ?? by.at,
        reservedAt: entry.reservedAt ?? now,
      },
      decision: isRefuted ? 'refuted' : decision === 'spent' ? undefined : decision,
      ...changes,
    },
    calls: settle(order, isUnproven, { settled: 'took-effect', ...by }),
  }
}

/** `by` and `reason`: of a person's decision. */
type Settlement = {
  readonly settled: NonNullable<Call['settled']>
  readonly at: number
  readonly by?: string
  readonly reason?: string
}

const settle = (
  { calls }: Known,
  isSettled: (call: Call) => boolean,
  { settled, at, by, reason }: Settlement,
): readonly Call[] =>
  calls.map((call) => (isSettled(call) ? { ...call, settled, settledAt: at, settledBy: by, reason } : call))

/** A person may also decide that a confirm had no effect although it seemed to. */
const seemsEffective = ({ operation, outcome, settled = 'took-effect' }: Call): boolean =>
  operation === 'confirm' && outcome !== 'not-sent' && settled === 'took-effect'

/**
 * A known payment can be wrong only if a person decided it, or if no `get` ever showed the order's reference under its
 * id. The decision is recorded with the confirms that it is about.
 */
const mayDecideUnspent = (order: Known): boolean => {
  const { decision, referenceShown } = order.entry
  if (isUnreadable(order.entry)) return false
  if (findStanding(order) !== 'confirmed') return isUndecided(order)
  const hasDecidable = order.calls.some(
    ({ operation, outcome, settled }) =>
      operation === 'confirm' && outcome !== 'not-sent' && settled !== 'expired',
  )
  return decision === 'spent' || (referenceShown === 0 && hasDecidable)
}

/** What an order counts as never falls. */
const findHigher = (one: bigint | undefined, other: bigint | undefined): bigint | undefined =>
  one !== undefined && (other === undefined || one > other) ? one : other

/** The columns that a response changes, except the standing's. */
const readSeen = (entry: Entry, update: OrderUpdate): Partial<Entry> => {
  const { at, createdDate, serverTime } = update
  const facts = findFacts(entry, update)
  const isEarlier = isTime(createdDate) && createdDate < (entry.createdDate ?? Infinity)
  return {
    ...facts,
    serviceState:
      (entry.serviceState ?? initialState) === facts.serviceState ? entry.serviceState : facts.serviceState,
    ...(entry.products === facts.products ? {} : toProductColumns(facts.products)),
    ...(isSeenAgain(entry, at) ? { seenAt: at } : {}),
    referenceShown: entry.referenceShown === 0 ? 1 : entry.referenceShown,
    createdDate: isEarlier ? createdDate : entry.createdDate,
    createdAt: entry.createdAt ?? serverTime,
  }
}

type ResponseColumns = Pick<Entry, 'result' | 'total' | 'charged' | 'counts' | 'overcharged' | 'products'> & {
  readonly serviceState: string
}

/** The columns as they are after the update. */
const findFacts = (entry: Entry, update: OrderUpdate): ResponseColumns => {
  const { charged, overcharged, products } = entry
  // A damaged total is read anew.
  const total = isAmount(entry.total) ? entry.total : (update.total ?? entry.total)
  const counts = entry.counts ?? findLargest(total, charged)
  const result = findResult(entry.result, update.state)
  const known = {
    serviceState: update.state,
    result,
    ...{ total, charged, counts, overcharged, products },
  }
  const isOutdated = entry.standing === 'confirmed' && !update.isPaid
  // An unfinished order has not delivered less than the finished one.
  const isTakenBack = entry.result !== undefined && findResult(undefined, update.state) !== result
  if (isOutdated || isTakenBack) return known
  const charge = findCharged({ total, charged }, update)
  const atLeast = findLargest(total, charge)
  const isMore = counts !== undefined && atLeast !== undefined && atLeast > counts
  const isInOtherCurrency = update.isInOtherCurrency === true && update.isPaid
  return {
    ...known,
    charged: charge,
    counts: isMore ? atLeast : counts,
    overcharged: (isMore && update.isPaid) || isInOtherCurrency ? 1 : overcharged,
    products: mergeProducts(products, update.products),
  }
}

const findCharged = (
  { total, charged }: Pick<Entry, 'total' | 'charged'>,
  update: OrderUpdate,
): string | undefined => {
  if (update.total === undefined || !update.isPaid) return charged
  return update.total === (charged ?? total ?? update.total) ? charged : update.total
}

/** The charge, if the response is the first to show that it is, or may be, more than was known. */
export const findOvercharge = (entry: Entry, update: OrderUpdate): string | undefined => {
  const { total, charged, counts, overcharged } = findFacts(entry, update)
  const isKnown = entry.overcharged === 1 && counts === entry.counts
  return overcharged !== 1 || isKnown ? undefined : (charged ?? total)
}

/** Undefined if no text is an amount. */
const findLargest = (...amounts: readonly (string | undefined)[]): bigint | undefined =>
  amounts
    .map((amount) => (amount === undefined ? undefined : toMillionths(amount)))
    .reduce(findHigher, undefined)
