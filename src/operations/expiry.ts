// Determines when an order expires, and decides whether a confirm with an unknown outcome is proven to have spent nothing.
// All times are the service's.
import { dayMs } from '../contract/duration.ts'
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import type { Entry } from '../journal/orders/entry.ts'

/** 1.5 times the documented validity (order-service.md 4.1), to be safe. */
const assumedValidityMs = limits.validityMs * 1.5

/** Ignores an implausible expiry. Both times are the service's. */
export const validateExpiry = (expiresAt: number, createdAt: number): number =>
  expiresAt > createdAt && expiresAt <= createdAt + dayMs ? expiresAt : assumeExpiry(createdAt)

export const assumeExpiry = (createdAt: number): number => createdAt + assumedValidityMs

export const findExpiry = (entry: Entry, order?: Pick<Order, 'createdDate'>): number => {
  const createdAt = entry.createdAt ?? entry.placedAt
  if (entry.expiresAt !== undefined) return validateExpiry(entry.expiresAt, createdAt)
  return assumeExpiry(order === undefined ? createdAt : toMilliseconds(order.createdDate))
}

/** From the `Date` header; without it, the creation time plus the time that has passed on this machine. */
export const estimateServiceTime = (
  { createdAt, placedAt }: Pick<Entry, 'createdAt' | 'placedAt'>,
  now: number,
  serverTime: number | undefined,
): number => serverTime ?? (createdAt ?? placedAt) + (now - placedAt)

/** The `Date` header has a resolution of one second. */
const marginMs = 2_000

export const hasExpired = (expiresAt: number, serviceTime: number): boolean =>
  serviceTime > expiresAt + marginMs

/** A request in progress when the order expires has its response after this time. */
const graceMs = 60_000

/** The minimum distance between the two responses of a proof. */
const apartMs = 60_000

export type Judgement =
  | { readonly kind: 'proven' }
  /** `provenAt`: the earliest time at which another `get` can prove the expiry. `first`: this `get` is the first of two. */
  | { readonly kind: 'too-early' | 'first'; readonly provenAt: number }

/** A `get` shows the order unconfirmed at `serviceTime`. An earlier one did so at `unconfirmedAt`. */
export const judgeUnconfirmed = (
  serviceTime: number,
  expiresAt: number,
  unconfirmedAt: number | undefined,
): Judgement => {
  if (serviceTime <= expiresAt + graceMs) return { kind: 'too-early', provenAt: findEarliestProof(expiresAt) }
  if (unconfirmedAt === undefined || unconfirmedAt > serviceTime)
    return { kind: 'first', provenAt: serviceTime + apartMs }
  if (serviceTime - unconfirmedAt < apartMs) return { kind: 'too-early', provenAt: unconfirmedAt + apartMs }
  return { kind: 'proven' }
}

/** From then on, ordering again is safe if the proof succeeds. */
export const findEarliestProof = (expiresAt: number): number => expiresAt + graceMs + apartMs
