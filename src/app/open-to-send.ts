// What a command must have before it sends a create or confirm: the journal that has all orders of its account, and, for a
// job that runs again, one that outlives the job.

import type { Context } from '../context.ts'
import { getAccountId } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import { type Session, withFacts } from '../operations/dependencies.ts'
import { isSameDatabase } from '../postgres/address.ts'
import { type Account, accountName, journalVariable, type ServiceAccount } from '../profiles/account.ts'
import { environmentName } from '../profiles/profile.ts'
import { findProfilesOf, readProfiles } from './account.ts'
import type { Journals } from './journal/journals.ts'
import { describeJournal, type JournalPlace, parseJournalAddress } from './journal/journals.ts'
import type { CommandSession } from './open-session.ts'

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
