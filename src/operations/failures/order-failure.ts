// A failure of create, confirm or get with its reason as a value. Control flow reads the reason, people read the text.
import type { RefusedOutcome } from '../../client/outcome.ts'
import type { Operation } from '../../contract/refusals.ts'
import { Failure } from '../../errors.ts'
import type { Call } from '../../journal/orders/entry.ts'

export type Reason =
  /** A different run may still record the call's outcome. */
  | { readonly kind: 'open-call'; readonly call: Call }
  /** The order is confirmed already. */
  | { readonly kind: 'confirmed' }
  /** A different order holds the reference. */
  | { readonly kind: 'taken' }
  /** The batch no longer allows the order. `slot-taken`: it buys the same cards with a different order. */
  | { readonly kind: 'cancelled' | 'changed' | 'slot-taken' }
  | { readonly kind: 'refused'; readonly operation: Operation; readonly outcome: RefusedOutcome }

export class OrderFailure extends Failure {
  readonly reason: Reason

  constructor(reason: Reason, ...facts: ConstructorParameters<typeof Failure>) {
    super(...facts)
    this.reason = reason
  }
}

/** Undefined for every other error. */
export const findReason = (error: unknown): Reason | undefined =>
  error instanceof OrderFailure ? error.reason : undefined

export const findRefused = (error: unknown, wanted: Operation): RefusedOutcome | undefined => {
  const reason = findReason(error)
  return reason?.kind === 'refused' && reason.operation === wanted ? reason.outcome : undefined
}

export const rewrite = (failure: Failure, message: string, details = failure.details): Failure =>
  failure instanceof OrderFailure
    ? new OrderFailure(failure.reason, failure.kind, message, details)
    : new Failure(failure.kind, message, details)
