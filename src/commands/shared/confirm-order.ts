// Sends one confirm and shows its progress. create and confirm share it.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type ConfirmOptions, confirm } from '../../operations/confirm/confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import type { Offer } from '../../operations/offer.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { withInterruptNotice } from './interrupt-notice.ts'
import { writeNote } from './notes.ts'
import type { Session } from './session.ts'

type ConfirmWork = Pick<ConfirmOptions, 'accepted'> & {
  readonly deps: Spending
  readonly offer: Offer
  readonly allowDuplicate: boolean
}

export const confirmOrder = async (
  context: Context,
  session: Session,
  { deps, offer, ...options }: ConfirmWork,
): Promise<void> => {
  const { notice } = await withInterruptNotice(context, session, 'confirm', (progress) =>
    confirm(deps, offer, { ...progress, ...options }),
  )
  if (notice !== undefined) context.stderr.write(`warning: ${sanitize(notice)}\n`)
}

/** Returns whether the order was confirmed before. Without --idempotent, that is an error. */
export const acceptConfirmed = async (
  { stderr }: Context,
  isIdempotent: boolean,
  confirmIt: () => Promise<void>,
): Promise<boolean> => {
  try {
    await confirmIt()
    return false
  } catch (error) {
    const isConfirmed = error instanceof Failure && error.details.already === true
    if (!isIdempotent || !isConfirmed) throw error
    writeNote({ stderr }, 'The order was already confirmed.\n')
    return true
  }
}
