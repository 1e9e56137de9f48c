// Sends one confirm, with its progress on the terminal. What create and confirm have in common.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type ConfirmOptions, confirm } from '../../operations/confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import type { Offer } from '../../operations/offer.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { patiently } from './interrupt-notice.ts'
import type { Session } from './session.ts'

type Work = Pick<ConfirmOptions, 'accepted'> & {
  readonly deps: Spending
  readonly offer: Offer
  readonly allowDuplicate: boolean
}

export const confirmOrder = async (
  context: Context,
  session: Session,
  { deps, offer, ...options }: Work,
): Promise<void> => {
  const { notice } = await patiently(context, session, 'confirm', (progress) =>
    confirm(deps, offer, { ...progress, ...options }),
  )
  if (notice !== undefined) context.stderr.write(`warning: ${safeText(notice)}\n`)
}

/** For --idempotent: runs the work, and whether it found the order confirmed before. */
export const wasConfirmedBefore = async (
  { stderr }: Context,
  isIdempotent: boolean,
  work: () => Promise<void>,
): Promise<boolean> => {
  try {
    await work()
    return false
  } catch (error) {
    const isSo = error instanceof Failure && error.details.already === true
    if (!isIdempotent || !isSo) throw error
    stderr.write('The order was already confirmed.\n')
    return true
  }
}
