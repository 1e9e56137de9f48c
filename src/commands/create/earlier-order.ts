// create --idempotent: continues the order that an earlier run placed under the same reference.
import type { Context } from '../../context.ts'
import type { Entry } from '../../journal/entry.ts'
import { refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm/read-for-confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import { guard, type Offer } from '../../operations/offer.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { acceptConfirmed } from '../shared/confirm-order.ts'
import { writeNote } from '../shared/notes.ts'
import type { PlacedOrder } from './submission.ts'

export const continueOrder = (
  context: Context,
  deps: Spending,
  { orderId = '', reference = '', state, confirmedAt }: Entry,
): PlacedOrder => {
  writeNote(
    context,
    `The reference ${sanitize(reference)} belongs to the order ${sanitize(orderId)} (${sanitize(state)}). Continuing with it.\n`,
  )
  return {
    orderId,
    isConfirmed: confirmedAt !== undefined,
    created: undefined,
    readOffer: async (maxTotal) => {
      let found: Offer | undefined
      await acceptConfirmed(context, true, async () => {
        const { offer, differences } = await readForConfirm(deps, orderId)
        refuseChanges(orderId, differences)
        guard(offer, { maxTotal }, deps.serviceNow())
        found = offer
      })
      return found
    },
  }
}
