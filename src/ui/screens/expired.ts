// Whether an order can no longer be confirmed, as far as the order itself tells.
import { limits } from '../../contract/limits.ts'
import type { Order } from '../../contract/schemas.ts'
import { pendingState } from '../../contract/states.ts'
import type { Here } from '../terminal/view.ts'
import { instantOf } from '../text/time.ts'

/** `get` does not answer the expiry, so ten minutes are assumed. */
export const hasExpired = ({ state, createdDate }: Order, { now }: Here): boolean => {
  const created = instantOf(createdDate)
  return state === pendingState && created !== undefined && now > created + limits.validityMs
}
