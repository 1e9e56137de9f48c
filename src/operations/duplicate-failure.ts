// Creates the failure for a reference that another order uses, and names the next step.
import { formatUtcTime } from '../contract/timestamp.ts'
import { Failure } from '../errors.ts'
import type { Call, Entry } from '../journal/orders/entry.ts'
import { isHolding } from '../journal/orders/standings.ts'
import type { Suggest } from '../text/suggest.ts'

type Wanted = {
  /** The order that was not confirmed. */
  readonly wanted?: string
  readonly unproven?: Call | undefined
  readonly provenAt?: number | undefined
}

export const createDuplicateFailure = (entry: Entry, { wanted, unproven, provenAt }: Wanted): Failure => {
  const { reference = '', orderId, batch, result } = entry
  const isVoidOfBatch = batch !== undefined && !isHolding(entry)
  const other = orderId === undefined ? 'an order without an id' : `the order ${orderId}`
  const state = unproven === undefined ? entry.state : `${entry.state}, its confirm may have spent money`
  const outcome = wanted === undefined ? 'nothing was sent' : `the order ${wanted} was not confirmed`
  const safeFrom = provenAt === undefined ? undefined : formatUtcTime(provenAt)
  const writeLook = (suggest: Suggest): string => {
    if (isVoidOfBatch) return `It belongs to a batch: ${suggest`batch list`}`
    if (orderId === undefined) return suggest`list`
    return unproven === undefined
      ? `Show it: ${suggest`get ${orderId}`}`
      : `Check it: ${suggest`reconcile ${orderId}`}`
  }
  const writeWayOut = (suggest: Suggest): string => {
    if (safeFrom !== undefined)
      return `Ordering again is safe from ${safeFrom}, if reconcile proves that nothing was spent.`
    if (wanted !== undefined) return `To pay for both: ${suggest`confirm ${wanted} --allow-duplicate`}`
    if (isVoidOfBatch)
      return 'Continue the batch, or choose another reference. --allow-duplicate buys an order of its own, outside of the batch.'
    return orderId !== undefined && (result === 'failed' || result === 'rejected')
      ? `Order its products again, with a new reference: ${suggest`create ${{ again: orderId }}`}`
      : 'Use --idempotent to continue with that order, or --allow-duplicate to order again.'
  }
  const problem = `the reference ${reference} is already used by ${other} (${state}); ${outcome}`
  return new Failure('duplicate', problem, {
    field: 'reference',
    isTaken: isVoidOfBatch ? undefined : true,
    orderId: wanted ?? orderId,
    safeFrom,
    fix: (suggest) => `${writeLook(suggest)}. ${writeWayOut(suggest)}`,
  })
}
