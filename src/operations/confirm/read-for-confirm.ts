// Reads an order before confirm. Refuses an order that is, or may be, confirmed already.
import type { Order } from '../../contract/schemas.ts'
import { isOpen } from '../../journal/orders/entry.ts'
import { createDifferenceFailure, type Difference, findDifferences } from '../compare.ts'
import { findExpiry, hasExpired } from '../expiry.ts'
import { type Offer, offerFrom } from '../offer.ts'
import { isPaid, isSameOrder, readOrder } from '../read.ts'
import { settleByResponse } from '../reconcile.ts'
import { withFacts } from '../record.ts'
import type { Session } from '../session.ts'
import { refuseChangesOfBatch } from '../slot-failures.ts'
import {
  createConfirmedFailure,
  createOpenConfirmFailure,
  createUnprovenExpiryFailure,
} from './confirm-failures.ts'

export type ReadForConfirm = {
  readonly order: Order
  readonly offer: Offer
  /** How the order differs from the one that was placed. */
  readonly differences: readonly Difference[]
  /** See Entry. */
  readonly placedWith: string | undefined
}

export const readForConfirm = (session: Session, orderId: string): Promise<ReadForConfirm> =>
  withFacts('no confirm was sent', () => readUnconfirmed(session, orderId))

const readUnconfirmed = async (session: Session, orderId: string): Promise<ReadForConfirm> => {
  const { journal, owner } = session
  // No response of the service can revoke a confirmation that the journal has.
  const known = await journal.findOrder(owner, orderId)
  if (known?.standing === 'confirmed') throw createConfirmedFailure(orderId, known.state)
  const response = await readOrder(session, orderId)
  const order = response.data
  if (isPaid(order)) throw createConfirmedFailure(orderId, order.state)
  if (known === undefined)
    return { order, offer: offerFrom(order, undefined), differences: [], placedWith: undefined }
  const differences = findDifferences(known, order)
  if (known.batch !== undefined) refuseChangesOfBatch(orderId, differences)
  // The reference decides which order may be confirmed, so another one cannot be accepted.
  if (!isSameOrder(known, order))
    throw createDifferenceFailure(
      orderId,
      differences,
      `the service shows another order under the id ${orderId}`,
      (suggest) => `Another reference cannot be accepted. Show that order: ${suggest`get ${orderId}`}`,
    )
  const { entry, unproven, provenAt } = await settleByResponse(session, known, response)
  if (unproven !== undefined && isOpen(unproven)) throw createOpenConfirmFailure(unproven, orderId)
  if (unproven !== undefined && hasExpired(findExpiry(entry, order), session.serviceNow())) {
    throw createUnprovenExpiryFailure(entry, provenAt)
  }
  return { order, offer: offerFrom(order, entry.expiresAt), differences, placedWith: entry.placedWith }
}
