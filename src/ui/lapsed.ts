// Whether an order's time to be confirmed is over, as far as the order itself tells.
import { limits } from '../contract/limits.ts'
import type { Order } from '../contract/schemas.ts'
import { pendingState } from '../contract/states.ts'
import { instantOf } from './time.ts'
import type { Here } from './view.ts'

/** Get does not answer when it expires: this is the usual ten minutes. */
export const hasLapsed = ({ state, createdDate }: Order, { now }: Here): boolean => {
  const created = instantOf(createdDate)
  return state === pendingState && created !== undefined && now > created + limits.validityMs
}
