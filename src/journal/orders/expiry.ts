// When an order expires, for people and for the proof that its confirms spent nothing, and what that proof needs. All
// times are the service's, unless a comment says otherwise.

import { dayMs } from '../../contract/duration.ts'
import { orderLimits } from '../../contract/limits.ts'
import { pendingState } from '../../contract/states.ts'
import { endOfDates } from '../../contract/time.ts'
import { type Entry, isUnproven, type Known } from './entries.ts'
import { isUnprovenOrder } from './standings.ts'

/** 1.5 times the documented validity (order-service.md 4.1), to be safe. */
const assumedValidityMs = orderLimits.validityMs * 1.5
/** For a proof, if the service did not say how long the order is valid. */
const longestValidityMs = dayMs

export type OrderDates = Pick<Entry, 'createdAt' | 'createdDate' | 'expiresAt' | 'placedAt' | 'request'>

/** `now` is by the journal's clock. `serviceNow` is undefined if no response had a `Date`. */
export type Times = { readonly now: number; readonly serviceNow: number | undefined }

const isPlausible = (expiresAt: number | undefined, createdAt: number): expiresAt is number =>
  expiresAt !== undefined && expiresAt > createdAt && expiresAt < endOfDates

/** For people. Undefined if the service did not give the time with its response to create. */
export const findExpiry = ({
  createdAt,
  createdDate,
  expiresAt,
  request,
}: OrderDates): number | undefined => {
  // An order that was created elsewhere has no response to create.
  const start = request === undefined ? createdDate : createdAt
  if (start === undefined) return undefined
  return request !== undefined && isPlausible(expiresAt, start) ? expiresAt : start + assumedValidityMs
}

/** The `Date` header has a resolution of one second. */
const marginMs = 2_000

/** The longest time from the intent to create to its response, by default. */
const responseMs = 45_000

/** For people. Without the service's time, by the journal's clock. */
export const hasExpired = (order: OrderDates, { now, serviceNow }: Times): boolean => {
  const expiry = findExpiry(order)
  const { placedAt, createdAt } = order
  if (expiry !== undefined && serviceNow !== undefined) return serviceNow > expiry + marginMs
  const validityMs = expiry === undefined || createdAt === undefined ? assumedValidityMs : expiry - createdAt
  return now > placedAt + validityMs + responseMs
}

/** For proofs. Undefined if no response had a `Date`, so that nothing can be proven. */
const findLastMoment = ({ createdAt, createdDate, expiresAt, request }: OrderDates): number | undefined => {
  if (createdAt === undefined) return undefined
  const date = createdDate ?? createdAt
  if (request === undefined) return Math.max(createdAt, date) + longestValidityMs
  if (!isPlausible(expiresAt, createdAt)) return createdAt + longestValidityMs
  // The clock behind `createdDate` and `expiresAt` may be slower than the clock behind `Date`.
  return expiresAt + Math.max(0, createdAt - date)
}

/** Whether a `get` with this state, sent after the last confirm, counts in a proof that no confirm took effect. */
export const countsAsUnconfirmed = (
  { state }: { readonly state: string },
  { entry, calls }: Pick<Known, 'calls'> & { readonly entry: Pick<Entry, 'standing'> },
): boolean =>
  isUnprovenOrder(entry) &&
  (state === pendingState ||
    calls.filter(isUnproven).every(({ serviceState = pendingState }) => serviceState === state))

/** The response to a request that is in progress at the expiry has arrived after this time. */
const graceMs = 60_000

/** The minimum distance between the two responses of a proof. */
const apartMs = 60_000

type Unproven = OrderDates & Pick<Entry, 'unconfirmedAt' | 'unconfirmedHere'>

/**
 * When the second of two responses can be a proof, by the clock here: a front-end server's `Date` may run ahead, so as much
 * time must have passed here, too. If the clock was set back since the order was placed, that time begins with the first.
 */
const findSecondTime = ({ placedAt, unconfirmedHere }: Unproven, validMs: number, now: number): number => {
  const first = Math.min(now, unconfirmedHere ?? now)
  return now < placedAt ? first + Math.max(validMs, apartMs) : Math.max(first, placedAt + validMs) + apartMs
}

/**
 * A `get` that was fresh shows the order unconfirmed now; `unconfirmedAt` is when an earlier `get` did so. 'first':
 * this `get` is the first of two.
 */
export const judgeUnconfirmed = (
  order: Unproven,
  { now, serviceNow }: Times & { readonly serviceNow: number },
): 'too-early' | 'first' | 'proven' => {
  const lastMoment = findLastMoment(order)
  if (lastMoment === undefined || serviceNow <= lastMoment + graceMs) return 'too-early'
  const { createdAt = lastMoment, placedAt, unconfirmedAt, unconfirmedHere } = order
  const validMs = lastMoment - createdAt
  if (placedAt <= now && now < placedAt + validMs) return 'too-early'
  const isKnown = unconfirmedAt !== undefined && unconfirmedHere !== undefined
  // If one of the clocks was set back since then, that `get` counts no more.
  if (!isKnown || unconfirmedAt > serviceNow || unconfirmedHere > now) return 'first'
  const isApart = serviceNow - unconfirmedAt >= apartMs && now >= findSecondTime(order, validMs, now)
  return isApart ? 'proven' : 'too-early'
}

/** The earliest time of a proof, by the journal's clock. Undefined if only a person can settle the order. */
export const estimateProofTime = (order: Unproven, { now, serviceNow }: Times): number | undefined => {
  const lastMoment = findLastMoment(order)
  if (lastMoment === undefined || serviceNow === undefined) return undefined
  const { createdAt = lastMoment, unconfirmedAt = Math.max(lastMoment + graceMs, serviceNow) } = order
  const leftMs = Math.max(0, unconfirmedAt + apartMs - serviceNow)
  return Math.max(now + leftMs, findSecondTime(order, lastMoment - createdAt, now))
}
