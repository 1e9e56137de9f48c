// What create and confirm share: how a call that spends shows its progress, and how --idempotent joins other runs.

import type { OutputOptions } from '../cli/options.ts'
import type { Context } from '../context.ts'
import { type ConfirmSettings, confirm } from '../operations/confirm/confirm.ts'
import { findReason } from '../operations/failures/order-failure.ts'
import type { Offer } from '../operations/offer.ts'
import { retryAfterOtherRuns, type Waited } from '../operations/other-runs.ts'
import type { Progress } from '../operations/session.ts'
import { sanitize } from '../ui/terminal/sanitize.ts'
import { themeFor } from '../ui/terminal/view.ts'
import { writeNote } from './notes.ts'
import type { CommandSession, SendingSession } from './session.ts'

/** With --idempotent, an order that is already confirmed is a success. Throws every other error. */
export const acceptConfirmed = (context: Context, isIdempotent: boolean, error: unknown): true => {
  const isConfirmed = findReason(error)?.kind === 'confirmed'
  if (!isIdempotent || !isConfirmed) throw error
  writeNote(context, 'The order was already confirmed.\n')
  return true
}

/** With --idempotent, waits for the create or confirm of another run. `continuesTaken`: see retryAfterOtherRuns. */
export const afterOtherRuns = <Result>(
  session: SendingSession,
  { isIdempotent, continuesTaken }: { readonly isIdempotent: boolean; readonly continuesTaken: boolean },
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!isIdempotent) return work()
  const onWaiting = ({ call, entry: { orderId = '', reference = '' }, ms }: Waited) => {
    const what =
      call.operation === 'create'
        ? `create an order with the reference ${sanitize(reference)}`
        : `confirm the order ${sanitize(orderId)}`
    // The wait has a limit, because the other run may have been killed.
    const wait = `Waiting for it (up to ${Math.ceil(ms / 1_000)} s).`
    writeNote(session.context, `Another run has begun to ${what}. ${wait}\n`)
    return session.waiting.begin(() => 'waiting for another run')
  }
  return retryAfterOtherRuns(session, { onWaiting, continuesTaken }, work)
}

/** Sends the confirm, and warns if its response was not a valid success but the order is confirmed. */
export const sendConfirm = async (
  session: SendingSession,
  offer: Offer,
  options: ConfirmSettings,
): Promise<void> => {
  using progress = showProgress(session, 'confirm')
  const { notice } = await confirm(session, offer, { ...options, ...progress })
  if (notice !== undefined) session.context.stderr.warn(sanitize(notice))
}

/** After the first Ctrl-C, orderctl still waits for a pending create or confirm, and says so. */
export const showProgress = (
  { context: { interrupted, stderr, suggest }, waiting }: CommandSession,
  what: 'create' | 'confirm',
): Progress & Disposable => {
  const printNotice = (): void =>
    stderr.write(
      `Interrupted: still waiting for the response to ${what}. To leave at once, press Ctrl-C again. Then run: ${suggest`reconcile`}\n`,
    )
  const stop = (): void => interrupted.removeEventListener('abort', printNotice)
  let settling: ReturnType<typeof waiting.begin> | undefined
  return {
    onSending: () => interrupted.addEventListener('abort', printNotice, { once: true }),
    onSettling: (reason) => {
      // From here on, an interruption ends the wait.
      stop()
      writeNote(
        { stderr },
        `No valid response to ${what} (${sanitize(reason)}). Checking the order for up to 80 s.\n`,
      )
      settling = waiting.begin(() => 'checking the order')
    },
    [Symbol.dispose]: () => {
      settling?.end()
      stop()
    },
  }
}

/** Loads the modules that print the outcome before money is spent, because an update may replace dist/ meanwhile. */
export const preloadOutput = async (
  { stdout, stderr }: Pick<Context, 'stdout' | 'stderr'>,
  { format }: OutputOptions,
): Promise<void> => {
  await import('../ui/screens/failure.ts')
  for (const each of [stdout, stderr]) themeFor(each)
  if (format !== 'screen') return
  await import('../ui/screens/order.ts')
  const { loadTable } = await import('../ui/text/table.ts')
  loadTable()
}
