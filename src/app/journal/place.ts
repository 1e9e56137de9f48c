// Which journal a command uses, the file of this machine or the database that a team shares, and whose orders are its own.
// Refuses to spend with another journal than that of the account.
import path from 'node:path'
import type { Context } from '../../context.ts'
import { getAccountId, sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { journalFile } from '../../journal/file-names.ts'
import type { Owner } from '../../journal/orders/entry.ts'
import { type Address, isPostgresAddress, isSameDatabase, parseAddress } from '../../postgres/address.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import { accountName } from '../../profiles/service-account.ts'
import { stateFolderPath } from './state-folder.ts'

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

/** The name of the journal in messages, and the address of a shared one. */
export const describeJournal = (
  context: Context,
  place: JournalPlace,
): { readonly name: string; readonly place: string | undefined } => {
  if (place.kind === 'file')
    return { name: path.join(stateFolderPath(context), journalFile), place: undefined }
  const { text } = parseJournalAddress(context, place.text)
  return { name: text, place: text }
}

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

type Keeper = Pick<Profile, 'name' | 'journal'>

/**
 * Throws if the profile, or another profile with the same account, names another journal: this one does not know the
 * orders there, and could not prevent a second purchase.
 */
export const refuseOtherJournal = (
  context: Context,
  account: Account,
  place: JournalPlace,
  others: readonly Keeper[] = [],
): void => {
  if (account.kind === 'sandbox') return
  const here = place.kind === 'shared' ? parseJournalAddress(context, place.text) : undefined
  for (const { name, journal } of [account, ...others]) {
    const address = journal === undefined ? undefined : parseJournalAddress(context, journal)
    if (address === undefined || (here !== undefined && isSameDatabase(address, here))) continue
    const isOwn = name === account.name
    const declare = account.name === environmentName ? `set ${accountName}, and use` : 'use'
    throw new Failure(
      'local-state',
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
