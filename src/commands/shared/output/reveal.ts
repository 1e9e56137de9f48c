// The only function that shows codes. It first records who sees them.
import type { Context } from '../../../context.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { Reveal } from '../../../journal/reveals.ts'
import type { Session } from '../session.ts'

/** The codes that are shown: those of these SKUs in this order. */
export type ShownCodes = {
  readonly orderId: string
  readonly skus: readonly string[]
}

export const codesOf = ({ uid, redeem }: Pick<Order, 'uid' | 'redeem'>): ShownCodes => ({
  orderId: uid,
  skus: [...(redeem ?? new Map()).keys()],
})

/** Records in the journal that codes leave orderctl, and then shows them. The journal never gets the codes. */
export const revealCodes = async <Result>(
  { user }: Pick<Context, 'user'>,
  { journals, owner, clock }: Pick<Session, 'journals' | 'owner' | 'clock'>,
  { orderId, skus, how }: ShownCodes & Pick<Reveal, 'how'>,
  show: () => Result,
): Promise<Awaited<Result>> => {
  if (skus.length > 0) {
    await journals.attempt('the reveal was not recorded', (journal) =>
      journal.recordReveal({ ...owner, orderId, skus, at: clock.now(), who: user(), how }),
    )
  }
  return await show()
}
