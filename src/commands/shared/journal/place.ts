// Which journal a command uses, the file of this machine or the database that a team shares, and whose orders are its own.
import type { Context } from '../../../context.ts'
import { getAccountId, sandboxAddress } from '../../../contract/account-id.ts'
import { Failure } from '../../../errors.ts'
import type { Owner } from '../../../journal/entry.ts'
import { type Account, journalVariable } from '../../../profiles/account.ts'
import type { Profile } from '../../../profiles/profile.ts'

export type SharedPlace = {
  readonly kind: 'shared'
  /** The address, as it was typed. */
  readonly text: string
  /** A command that prints the password. */
  readonly passwordCommand?: string
}

export type JournalPlace = { readonly kind: 'file' } | SharedPlace

/** An account or a profile. */
type Keeper = Pick<Profile, 'journal' | 'journalPasswordCommand'> & { readonly kind?: string }

/** The sandbox's orders stay in the file, because its state is a file of this machine, too. */
export const chooseJournal = (
  { environment }: Pick<Context, 'environment'>,
  account: Keeper | undefined,
): JournalPlace => {
  if (account?.kind === 'sandbox') return { kind: 'file' }
  const text = environment[journalVariable] ?? account?.journal
  if (text === undefined) return { kind: 'file' }
  // Another server must not get the password of the profile's journal.
  const command = text === account?.journal ? account?.journalPasswordCommand : undefined
  return { kind: 'shared', text, passwordCommand: command }
}

export const sandboxOwner: Owner = {
  profile: 'sandbox',
  origin: sandboxAddress,
  account: { address: sandboxAddress },
}

export const ownerOf = (account: Account): Owner =>
  account.kind === 'sandbox'
    ? sandboxOwner
    : {
        profile: account.name,
        origin: account.baseUrl,
        account: getAccountId(account.baseUrl, account.account),
      }

/** Whether the journal is probably a file on the machine of a CI job, which is lost when the job ends. */
const endsWithJob = ({ environment }: Pick<Context, 'environment'>, { kind }: JournalPlace): boolean =>
  kind === 'file' && Boolean(environment.CI) && !environment.ORDERCTL_STATE_DIR

const shortLivedFix =
  `Set ${journalVariable} to the address of a shared journal, ` +
  `or ORDERCTL_STATE_DIR to a folder that is kept between jobs.`

/** The next job would not know the order, and buy it again. */
export const refuseShortLived = (context: Context, place: JournalPlace): void => {
  if (!endsWithJob(context, place)) return
  throw new Failure(
    'local-state',
    '--idempotent needs a journal that outlives this CI job; nothing was sent',
    { field: 'ORDERCTL_STATE_DIR', fix: shortLivedFix },
  )
}

/** The sandbox spends nothing. */
export const warnOfShortLived = (context: Context, account: Account, place: JournalPlace): void => {
  if (account.kind === 'sandbox' || !endsWithJob(context, place)) return
  context.stderr.warn(
    `the journal of this CI job is lost when the job ends, and the same command buys again then. ${shortLivedFix}`,
  )
}
