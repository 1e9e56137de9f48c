// What create and confirm share: how a call that spends shows its progress, and how --idempotent joins other runs and
// waits for the service.

import type { Context } from '../context.ts'
import { Failure, interruption } from '../errors.ts'
import { type ConfirmSettings, confirm } from '../operations/confirm/confirm.ts'
import { findReason } from '../operations/failures/order-failure.ts'
import type { Offer } from '../operations/offer.ts'
import { retryAfterOtherRuns, type Waited } from '../operations/other-runs.ts'
import type { Progress } from '../operations/session.ts'
import { loadEntities } from '../text/entities.ts'
import { sanitize } from '../ui/terminal/sanitize.ts'
import { themeFor } from '../ui/terminal/view.ts'
import { writeNote } from './notes.ts'
import { formatOf, type OutputOptions } from './output/output.ts'
import type { CommandSession, SendingSession } from './session.ts'

/** With --idempotent, an order that is already confirmed is a success. Throws every other error. */
export const acceptConfirmed = (context: Context, isIdempotent: boolean, error: unknown): true => {
  const isConfirmed = findReason(error) === 'already-confirmed'
  if (!isIdempotent || !isConfirmed) throw error
  writeNote(context, 'The order was already confirmed.\n')
  return true
}

type Repeating = {
  readonly options: { readonly idempotent: boolean; readonly retryFor?: number | undefined }
  /** See retryAfterOtherRuns. */
  readonly continuesTaken: boolean
}

/**
 * With --idempotent, waits for the create or confirm of another run, and runs `work` again while the service is
 * unavailable: that outcome says that nothing was spent.
 */
export const repeatSafely = <Result>(
  session: SendingSession,
  { options: { idempotent, retryFor }, continuesTaken }: Repeating,
  work: () => Promise<Result>,
): Promise<Result> => {
  if (!idempotent) return work()
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
  const forMs = retryFor ?? (session.context.environment.CI ? retryInCiMs : 0)
  return whileUnavailable(session, forMs, () =>
    retryAfterOtherRuns(session, { onWaiting, continuesTaken }, work),
  )
}

const retryInCiMs = 2 * 60_000
const longestPauseMs = 15_000

const whileUnavailable = async <Result>(
  { context, interrupted }: SendingSession,
  forMs: number,
  work: () => Promise<Result>,
): Promise<Result> => {
  const { clock, random } = context
  const endsAt = clock.monotonic() + forMs
  for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      const isDown =
        error instanceof Failure && error.kind === 'unavailable' && error.details.retryable !== false
      // Jobs that wait for the same service do not all come back at once.
      const ms = pauseMs * (1 + random())
      const leftMs = endsAt - clock.monotonic()
      if (!isDown || ms > leftMs) throw error
      writeNote(
        context,
        `${sanitize(error.message).replace(/\.$/, '')}. Trying again for up to ${Math.ceil(leftMs / 1_000)} s.\n`,
      )
      await clock.sleep(ms, interrupted)
      if (interrupted.aborted)
        throw interruption(interrupted, `${error.message}; interrupted before the next attempt`)
    }
  }
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
  options: OutputOptions,
): Promise<void> => {
  await import('../ui/screens/failure.ts')
  for (const each of [stdout, stderr]) themeFor(each)
  loadEntities()
  if (formatOf(options) !== 'screen') return
  await import('../ui/screens/order.ts')
  const { loadTable } = await import('../ui/text/table.ts')
  loadTable()
}
