// When an order expires, and what time it is at the service.
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import type { Entry } from '../journal/entry.ts'

const longestValidityMs = 24 * 60 * 60 * 1000

/** Half as long again as orders normally are valid (section 4.1). */
const assumedValidityMs = limits.validityMs * 1.5

/** An expiry from an answer is believed only if it is plausible. Both times are the service's. */
export const believedExpiry = (expiresAt: number, createdAt: number): number =>
  expiresAt > createdAt && expiresAt <= createdAt + longestValidityMs ? expiresAt : assumedExpiry(createdAt)

export const assumedExpiry = (createdAt: number): number => createdAt + assumedValidityMs

/** By the service's clock. */
export const expiryOf = (entry: Entry, order?: Pick<Order, 'createdDate'>): number => {
  const createdAt = entry.createdAt ?? entry.placedAt
  if (entry.expiresAt !== undefined) return believedExpiry(entry.expiresAt, createdAt)
  return assumedExpiry(order === undefined ? createdAt : toMilliseconds(order.createdDate))
}

/** From the `Date` of an answer; without one, the time that has passed here since the creation. */
export const serviceTimeAt = (
  { createdAt, placedAt }: Pick<Entry, 'createdAt' | 'placedAt'>,
  now: number,
  serverTime: number | undefined,
): number => serverTime ?? (createdAt ?? placedAt) + (now - placedAt)

/** The `Date` of an answer has whole seconds. */
const marginMs = 2_000

export const hasExpired = (expiresAt: number, serviceTime: number): boolean =>
  serviceTime > expiresAt + marginMs
