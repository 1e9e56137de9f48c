// A failure of create, confirm or get with the call or the response that caused it. Control flow reads these values and
// the reason, people read the text.
import type { RefusedOutcome } from '../../client/api.ts'
import type { Operation } from '../../contract/refusals.ts'
import { Failure, type FailureReason } from '../../errors.ts'
import type { Call } from '../../journal/orders/entries.ts'

export type RefusedCall = { readonly operation: Operation; readonly outcome: RefusedOutcome }

type Cause = {
  /** A different run may still record its outcome. */
  readonly openCall?: Call
  readonly refused?: RefusedCall
}

export class OrderFailure extends Failure {
  readonly from: Cause

  constructor(from: Cause, ...facts: ConstructorParameters<typeof Failure>) {
    super(...facts)
    this.from = from
  }
}

/** Undefined for a defect. */
export const findReason = (error: unknown): FailureReason | undefined =>
  error instanceof Failure ? error.reason : undefined

/** Empty for every other error. */
export const findCause = (error: unknown): Cause => (error instanceof OrderFailure ? error.from : {})

export const findRefused = (error: unknown, wanted: Operation): RefusedOutcome | undefined => {
  const { refused } = findCause(error)
  return refused?.operation === wanted ? refused.outcome : undefined
}

export const rewrite = (failure: Failure, message: string, details = failure.details): Failure =>
  failure instanceof OrderFailure
    ? new OrderFailure(failure.from, failure.reason, message, details)
    : new Failure(failure.reason, message, details)
