// The audit: whose codes left orderctl, how, by whom and when. Never the codes.
import type { Context } from '../../context.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Reveal } from '../../journal/reveals.ts'
import type { Session } from './session.ts'

/** Who got which codes; before they leave. */
export const noteReveal = async (
  context: Context,
  { journals, owner, clock }: Session,
  { uid, redeem }: Pick<Order, 'uid' | 'redeem'>,
  how: Reveal['how'] = 'reveal',
): Promise<void> => {
  const skus = [...(redeem ?? new Map()).keys()]
  if (skus.length === 0) return
  await journals.attempt('that codes are shown was not noted', (journal) =>
    journal.noteReveal({
      ...owner,
      orderId: uid,
      skus,
      at: clock.now(),
      who: context.user(),
      how,
    }),
  )
}
