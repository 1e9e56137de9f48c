// The failures of an order whose batch does not allow it to be created or confirmed. Each includes the next step.
import { Failure } from '../../errors.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import { createDifferenceFailure, type Difference } from '../compare.ts'

/** The batch no longer allows this order. */
export const createClaimFailure = (reason: keyof typeof claimProblems, facts: string, orderId?: string) =>
  new Failure(`batch-${reason}`, `${claimProblems[reason]}; ${facts}`, {
    orderId,
    fix: (suggest) => suggest`batch list`,
  })

const claimProblems = {
  cancelled: 'the batch of this order is cancelled',
  changed: 'the batch buys the products of this order with a different order',
}

/** A different order of the slot is confirmed, or may still be. `wanted` is the order that was not confirmed. */
export const createSlotTakenFailure = (by: Entry | undefined, wanted?: string): Failure => {
  const { orderId, state = 'creating' } = by ?? {}
  const other = orderId === undefined ? 'another order' : `the order ${orderId}`
  const outcome = wanted === undefined ? 'nothing was sent' : `the order ${wanted} was not confirmed`
  return new Failure('slot-taken', `the batch buys the same cards with ${other} (${state}); ${outcome}`, {
    orderId: wanted,
    fix: (suggest) => (orderId === undefined ? suggest`list` : suggest`get ${orderId}`),
  })
}

/** A batch buys exactly the cards of its rows. */
export const refuseChangesOfBatch = (orderId: string, differences: readonly Difference[]): void => {
  if (differences.length === 0) return
  const problem = `the order ${orderId} differs from the order that its batch placed`
  const advice = 'Changes to an order of a batch cannot be accepted.'
  throw createDifferenceFailure(orderId, differences, problem, { advice })
}
