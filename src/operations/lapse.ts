// When an order that nobody confirmed is nobody's any more. Judged by the service's time, never by this machine's.
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { millisecondsOf } from '../contract/timestamp.ts'

/** The `Date` of an answer has whole seconds. */
const marginMs = 2_000

/** Where nobody told when it expires: half as long again as orders normally have (section 4.1). */
const guessMs = limits.validityMs * 1.5

export const hasLapsed = (
  { createdDate }: Pick<Order, 'createdDate'>,
  expiresAt: number | undefined,
  serviceNow: number,
): boolean =>
  serviceNow > (expiresAt === undefined ? millisecondsOf(createdDate) + guessMs : expiresAt) + marginMs
