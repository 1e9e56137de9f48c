// Determines when an order expires, by the service's clock.
import { dayMs } from '../contract/duration.ts'
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import type { Entry } from '../journal/entry.ts'

const maxValidityMs = dayMs

/** 1.5 times the documented validity (order-service.md 4.1), to be safe. */
const assumedValidityMs = limits.validityMs * 1.5

/** Ignores an implausible expiry. Both times are the service's. */
export const validateExpiry = (expiresAt: number, createdAt: number): number =>
  expiresAt > createdAt && expiresAt <= createdAt + maxValidityMs ? expiresAt : assumeExpiry(createdAt)

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
