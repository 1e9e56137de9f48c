// Which journal a command uses, the file of this machine or the database that a team shares, and whose orders are its own.
// Refuses to spend with another journal than that of the account.
import type { Context } from '../../../context.ts'
import { getAccountId, sandboxAddress } from '../../../contract/account-id.ts'
import { Failure } from '../../../errors.ts'
import type { Owner } from '../../../journal/orders/entry.ts'
import { type Address, isPostgresAddress, isSameDatabase, parseAddress } from '../../../postgres/address.ts'
import { type Account, journalVariable } from '../../../profiles/account.ts'
import { environmentName, type Profile } from '../../../profiles/profile.ts'
import { accountName } from '../../../profiles/service-account.ts'

export type SharedPlace = {
  readonly kind: 'shared'
  /** The address, as it was typed. */
  readonly text: string
  /** A command that prints the password. */
  readonly passwordCommand?: string
}

export type JournalPlace = { readonly kind: 'file' } | SharedPlace

/** The sandbox's orders stay in the file, because its state is a file of this machine, too. */
export const chooseJournal = (
  { environment }: Pick<Context, 'environment'>,
  account: (Pick<Profile, 'journal' | 'journalPasswordCommand'> & { readonly kind?: string }) | undefined,
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

const shortLivedAdvice =
  `Set ${journalVariable} to the address of a shared journal, ` +
  `or ORDERCTL_STATE_DIR to a folder that is kept between jobs.`

/** The next job would not know the order, and buy it again. */
export const refuseShortLived = (context: Context, place: JournalPlace): void => {
  if (!endsWithJob(context, place)) return
  throw new Failure(
    'local-state',
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

type Machine = Pick<Context, 'environment' | 'user'>

export const parseJournalAddress = ({ environment, user }: Machine, text: string): Address => {
  if (isPostgresAddress(text)) {
    return parseAddress(text, {
      user: environment.PGUSER || user(),
      rootCertificate: environment.PGSSLROOTCERT || undefined,
    })
  }
  const [name, field, unset] =
    environment[journalVariable] === text
      ? [journalVariable, journalVariable, ' Unset it to use the journal of this machine.']
      : ['the journal', '--journal', '']
  throw new Failure('usage', `${name} is ${text === '' ? 'empty' : 'not the address of a database'}`, {
    field,
    advice: `Write it as postgres://user@host/database.${unset}`,
  })
}

type Keeper = Pick<Profile, 'name' | 'journal' | 'lastJournal'>

/**
 * Throws if the orders of the profile, or of another profile with the same account, are in another journal: this one
 * does not know them, and could not prevent a second purchase.
 */
export const refuseOtherJournal = (
  machine: Machine,
  account: Account,
  place: JournalPlace,
  others: readonly Keeper[] = [],
): void => {
  if (account.kind === 'sandbox') return
  const here = place.kind === 'shared' ? parseJournalAddress(machine, place.text) : undefined
  for (const keeper of [account, ...others]) {
    const known = keeper.journal ?? keeper.lastJournal
    const address = known === undefined ? undefined : parseJournalAddress(machine, known)
    if (address === undefined || (here !== undefined && isSameDatabase(address, here))) continue
    throw keeper === account
      ? createOwnJournalFailure(account, address.text, here)
      : createOtherProfileFailure(account, { name: keeper.name, text: address.text }, here)
  }
}

const describeVariable = (here: Address | undefined): string =>
  `${journalVariable} is ${here === undefined ? 'not set' : here.text}`

const createOwnJournalFailure = (
  { name, journal }: Keeper,
  text: string,
  here: Address | undefined,
): Failure => {
  const way = journal === undefined ? `Set ${journalVariable}=${text}` : `Unset ${journalVariable}`
  return new Failure(
    'local-state',
    `the profile ${name} keeps its orders in ${text}, but ${describeVariable(here)}; nothing was sent`,
    {
      field: journalVariable,
      advice: `${way}. To give the profile another journal, use profile set with --journal.`,
    },
  )
}

const createOtherProfileFailure = (
  { name, journal, lastJournal }: Keeper,
  other: { readonly name: string; readonly text: string },
  here: Address | undefined,
): Failure => {
  const isOfProfile = here !== undefined && (journal ?? lastJournal) !== undefined
  const now = isOfProfile ? `the profile ${name} uses ${here.text}` : describeVariable(here)
  const advice = isOfProfile
    ? 'Give both profiles one journal with profile set --journal.'
    : `Set ${journalVariable}=${other.text}.`
  const variable = name === environmentName ? `set ${accountName}, and use` : 'use'
  return new Failure(
    'local-state',
    `the profile ${other.name} keeps orders of the same account in ${other.text}, but ${now}; nothing was sent`,
    {
      field: journalVariable,
      advice: (suggest) =>
        `${advice} If they are two accounts, name both: ${variable} profile set with --account. ` +
        `If you do not need the profile ${other.name}: ${suggest`profile remove ${other.name}`}`,
    },
  )
}

/** The address to remember with the profile, if it does not name its journal yet. */
export const findNewJournal = (
  machine: Machine,
  account: Account,
  place: JournalPlace,
): string | undefined => {
  if (account.kind === 'sandbox' || account.journal !== undefined || place.kind === 'file') return undefined
  const { text } = parseJournalAddress(machine, place.text)
  return account.lastJournal === text ? undefined : text
}
