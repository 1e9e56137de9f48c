// Parses the address of a shared journal, and refuses to spend with another journal than that of the account.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { type Address, isPostgresAddress, isSameDatabase, parseAddress } from '../../../postgres/address.ts'
import type { Account } from '../../../profiles/account.ts'
import { journalVariable } from '../../../profiles/account.ts'
import { environmentName, type Profile } from '../../../profiles/profile.ts'
import { accountName } from '../../../profiles/service-account.ts'
import type { Suggest } from '../../../text/suggest.ts'
import type { JournalPlace } from './place.ts'

type Machine = Pick<Context, 'environment' | 'user'>

export const parseJournalAddress = ({ environment, user }: Machine, text: string): Address => {
  if (!isPostgresAddress(text)) throw createWrongAddress(text, environment[journalVariable] === text)
  return parseAddress(text, {
    user: environment.PGUSER || user(),
    rootCertificate: environment.PGSSLROOTCERT || undefined,
  })
}

const createWrongAddress = (text: string, isVariable: boolean): Failure =>
  new Failure(
    'usage',
    `${isVariable ? journalVariable : 'the journal'} is ${text === '' ? 'empty' : 'not the address of a database'}`,
    {
      field: isVariable ? journalVariable : '--journal',
      fix: `Write it as postgres://user@host/database.${isVariable ? ' Unset it to use the journal of this machine.' : ''}`,
    },
  )

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
  const findElsewhere = ({ journal, lastJournal }: Keeper): Address | undefined => {
    const known = journal ?? lastJournal
    const address = known === undefined ? undefined : parseJournalAddress(machine, known)
    if (address === undefined || (here !== undefined && isSameDatabase(address, here))) return undefined
    return address
  }
  const own = findElsewhere(account)
  if (own !== undefined) throw createOwnJournalFailure(account, own, here)
  for (const other of others) {
    const address = findElsewhere(other)
    if (address !== undefined) throw createOtherProfileFailure(account, { name: other.name, address }, here)
  }
}

const describeVariable = (here: Address | undefined): string =>
  here === undefined ? `${journalVariable} is not set` : `${journalVariable} is ${here.text}`

const createOwnJournalFailure = (
  { name, journal }: Keeper,
  { text }: Address,
  here: Address | undefined,
): Failure =>
  new Failure(
    'local-state',
    `the profile ${name} keeps its orders in ${text}, but ${describeVariable(here)}; nothing was sent`,
    {
      field: journalVariable,
      fix: `${journal === undefined ? `Set ${journalVariable}=${text}` : `Unset ${journalVariable}`}. To give the profile another journal, use profile set with --journal.`,
    },
  )

const createOtherProfileFailure = (
  { name, journal, lastJournal }: Keeper,
  other: { readonly name: string; readonly address: Address },
  here: Address | undefined,
): Failure => {
  const { text } = other.address
  const isOfProfile = here !== undefined && (journal ?? lastJournal) !== undefined
  const now = isOfProfile ? `the profile ${name} uses ${here.text}` : describeVariable(here)
  const fix = isOfProfile
    ? 'Give both profiles one journal: use profile set with --journal.'
    : `Set ${journalVariable}=${text}.`
  const variable = name === environmentName ? `set ${accountName}, and use` : 'use'
  const listWays = (suggest: Suggest): string[] => [
    `If they are two accounts, name both: ${variable} profile set with --account.`,
    `If you do not need the profile ${other.name}: ${suggest`profile remove ${other.name}`}`,
  ]
  return new Failure(
    'local-state',
    `the profile ${other.name} keeps orders of the same account in ${text}, but ${now}; nothing was sent`,
    { field: journalVariable, fix: (suggest) => [fix, ...listWays(suggest)].join(' ') },
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
