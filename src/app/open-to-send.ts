// What a command must have before it sends a create or confirm: the journal that has all orders of its account, and, for a
// job that runs again, one that outlives the job. Then how --idempotent runs again: it joins other runs and waits for the
// service.

import type { Context } from '../context.ts'
import { getAccountId } from '../contract/account-id.ts'
import { Failure, interruption } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import { type Session, withFacts } from '../operations/dependencies.ts'
import { findReason, rewrite } from '../operations/failures.ts'
import type { Wait } from '../operations/other-runs.ts'
import { retryAfterOtherRuns } from '../operations/other-runs.ts'
import { isSameDatabase } from '../postgres/address.ts'
import { type Account, accountName, journalVariable, type ServiceAccount } from '../profiles/account.ts'
import { environmentName } from '../profiles/store.ts'
import { waitingType } from '../ui/screens/orders.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { readSparse, renderJson } from '../ui/text/result-fields.ts'
import { findProfilesOf, readProfiles } from './account.ts'
import type { Journals } from './journals.ts'
import { describeJournal, type JournalPlace, parseJournalAddress } from './journals.ts'
import type { CommandSession } from './open-session.ts'
import { writeNote } from './terminal.ts'

/** A command that sends has opened its journal. */
export type SendingSession = CommandSession & Session

/**
 * Opens the journal of a command that sends requests. Throws if it cannot be used: nothing may be sent that it does not
 * record first. A command that never spends may also update a journal that must not be spent with.
 */
export const openToSend = async (
  session: CommandSession,
  { spends }: { readonly spends: boolean },
): Promise<SendingSession> => {
  const { context, account, journals } = session
  const { place, openOrCreate } = journals
  if (spends && account.kind === 'service') refuseOtherJournal(context, account, place)
  const saysUnsent = spends ? account.kind === 'service' : place.kind === 'shared'
  const journal = await (saysUnsent ? beforeSending(openOrCreate) : openOrCreate())
  const { conflict } = journal
  if (spends && conflict !== undefined) await beforeSending(() => Promise.reject(conflict))
  return { ...session, journal }
}

const beforeSending = (open: Journals['openOrCreate']): Promise<Journal> =>
  withFacts('nothing was sent', open)

/**
 * Throws if the profile, or another profile with the same account, names another journal: this one does not know the
 * orders there, and could not prevent a second purchase.
 */
const refuseOtherJournal = (context: Context, account: ServiceAccount, place: JournalPlace): void => {
  const here = place.kind === 'shared' ? parseJournalAddress(context, place.text) : undefined
  const same = findProfilesOf(readProfiles(context), getAccountId(account.baseUrl, account.account))
  const others = same.filter(({ name }) => name !== account.name)
  for (const { name, journal } of [account, ...others]) {
    const address = journal === undefined ? undefined : parseJournalAddress(context, journal)
    if (address === undefined || (here !== undefined && isSameDatabase(address, here))) continue
    const isOwn = name === account.name
    const declare = account.name === environmentName ? `set ${accountName}, and use` : 'use'
    throw new Failure(
      'other-journal',
      `the profile ${name} keeps the orders of this account in ${address.text}, but this command uses ${describeJournal(context, place).name}; nothing was sent`,
      {
        field: journalVariable,
        advice: (suggest) =>
          isOwn
            ? `Unset ${journalVariable}. To give the profile another journal, use profile set with --journal.`
            : `Set ${journalVariable}=${address.text}, or give both profiles one journal with profile set --journal. ` +
              `If they are two accounts, name both: ${declare} profile set --account. ` +
              `If you do not need the profile ${name}: ${suggest`profile remove ${name}`}`,
      },
    )
  }
}

/** Whether the journal is probably a file on the machine of a CI job, which is lost when the job ends. */
const endsWithJob = ({ environment }: Pick<Context, 'environment'>, { kind }: JournalPlace): boolean =>
  kind === 'file' && Boolean(environment.CI) && !environment.ORDERCTL_STATE_DIR

const shortLivedAdvice =
  `Set ${journalVariable} to the address of a shared journal, ` +
  `or ORDERCTL_STATE_DIR to a folder that is kept between jobs.`

/** The next job would not know the order, and buy it again. */
export const refuseShortLived = (context: Context, place: JournalPlace): void => {
  if (!endsWithJob(context, place)) return
  throw new Failure(
    'no-durable-journal',
    '--idempotent needs a journal that outlives this CI job; nothing was sent',
    { field: 'ORDERCTL_STATE_DIR', advice: shortLivedAdvice },
  )
}

/** The sandbox spends nothing. */
export const warnOfShortLived = (context: Context, account: Account, place: JournalPlace): void => {
  if (account.kind === 'sandbox' || !endsWithJob(context, place)) return
  context.stderr.warn(
    `the journal of this CI job is lost when the job ends, and the same command buys again then. ${shortLivedAdvice}`,
  )
}

/** With --idempotent, an order that is already confirmed is a success. Throws every other error. */
export const acceptConfirmed = (context: Context, isIdempotent: boolean, error: unknown): true => {
  const isConfirmed = findReason(error) === 'already-confirmed'
  if (!isIdempotent || !isConfirmed) throw error
  writeNote(context, 'The order was already confirmed.\n')
  return true
}

/**
 * For an error that suggests a different command, such as watch. Without --idempotent, the same command would order anew, or
 * be refused.
 */
export const refuseRetry = (isIdempotent: boolean, error: unknown): unknown =>
  isIdempotent || !(error instanceof Failure) || error.details.fix === undefined
    ? error
    : rewrite(error, error.message, { ...error.details, retryable: false })

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
  const { context } = session
  const onWaiting = ({ call: { operation }, entry: { orderId = '', reference = '' }, ms }: Wait) => {
    if (context.stderr.warnings !== undefined) {
      const endsAt = context.clock.now() + ms
      const waiting = readSparse(waitingType.sparse, {
        operation,
        orderId: orderId || undefined,
        reference,
        endsAt,
      })
      context.stderr.write(renderJson({ waiting }, { oneLine: true }))
    }
    const what =
      operation === 'create'
        ? `create an order with the reference ${sanitize(reference)}`
        : `confirm the order ${sanitize(orderId)}`
    // The wait has a limit, because the other run may have been killed.
    const wait = `Waiting for it (up to ${Math.ceil(ms / 1_000)} s).`
    writeNote(context, `Another run has begun to ${what}. ${wait}\n`)
    return session.waiting.begin(() => 'waiting for another run')
  }
  const forMs = retryFor ?? (context.environment.CI ? retryInCiMs : 0)
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
