// Whether an order has probably expired.
import { limits } from '../../contract/limits.ts'
import type { Order } from '../../contract/schemas.ts'
import { pendingState } from '../../contract/states.ts'
import type { Here } from '../terminal/view.ts'
import { toInstant } from '../text/time.ts'

/** The response to `get` has no expiry, so the usual ten minutes are assumed. */
export const hasExpired = ({ state, createdDate }: Order, { now }: Here): boolean => {
  const created = toInstant(createdDate)
  return state === pendingState && created !== undefined && now > created + limits.validityMs
}
