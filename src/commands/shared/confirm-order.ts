// Sends one confirm and shows its progress. With --idempotent, other runs may confirm the order. create and confirm
// share it.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type ConfirmOptions, confirm } from '../../operations/confirm/confirm.ts'
import type { Offer } from '../../operations/offer.ts'
import { retryAfterOtherRuns, type Waited } from '../../operations/other-runs.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { withInterruptNotice } from './interrupt-notice.ts'
import { writeNote } from './notes.ts'
import type { SendingSession } from './session.ts'

type ConfirmWork = Pick<ConfirmOptions, 'accepted'> & {
  readonly offer: Offer
  readonly allowDuplicate: boolean
}

export const confirmOrder = async (
  context: Context,
  session: SendingSession,
  { offer, ...options }: ConfirmWork,
): Promise<void> => {
  const { notice } = await withInterruptNotice(context, session, 'confirm', (progress) =>
    confirm(session, offer, { ...progress, ...options }),
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

type Shared = {
  readonly isIdempotent: boolean
  /** See retryAfterOtherRuns. */
  readonly continuesTaken?: boolean
}

/** With --idempotent, waits for the create or confirm of another run, and shows that it waits. */
export const afterOtherRuns = <Result>(
  context: Context,
  session: SendingSession,
  { isIdempotent, continuesTaken = false }: Shared,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!isIdempotent) return work()
  const onWaiting = (waited: Waited) => {
    writeNote(context, formatNote(waited))
    return session.waiting.begin(() => 'waiting for another run')
  }
  return retryAfterOtherRuns(session, { onWaiting, continuesTaken }, work)
}

/** The other run may have been killed since. */
const formatNote = ({ call, entry: { orderId = '', reference = '' }, ms }: Waited): string => {
  const what =
    call.operation === 'create'
      ? `create an order with the reference ${sanitize(reference)}`
      : `confirm the order ${sanitize(orderId)}`
  return `Another run has begun to ${what}. Waiting for it (up to ${Math.ceil(ms / 1_000)} s).\n`
}
