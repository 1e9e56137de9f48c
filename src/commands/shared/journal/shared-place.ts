// Parses the address of a shared journal, and refuses to spend with another journal than the profile's own.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { type Address, isSameDatabase } from '../../../postgres/address.ts'
import { isPostgresAddress, parseAddress } from '../../../postgres/parse-address.ts'
import type { Account } from '../../../profiles/account.ts'
import { type JournalPlace, journalVariable } from './place.ts'

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

/**
 * Throws if the profile's orders are in another journal: this one does not know them, and could not prevent a second
 * purchase.
 */
export const refuseOtherJournal = (machine: Machine, account: Account, place: JournalPlace): void => {
  if (account.kind === 'sandbox') return
  const known = account.journal ?? account.lastJournal
  if (known === undefined) return
  const address = parseJournalAddress(machine, known)
  const other = place.kind === 'shared' ? parseJournalAddress(machine, place.text) : undefined
  if (other !== undefined && isSameDatabase(address, other)) return
  const now = other === undefined ? `${journalVariable} is not set` : `${journalVariable} is ${other.text}`
  throw new Failure(
    'local-state',
    `the profile ${account.name} keeps its orders in ${address.text}, but ${now}; nothing was sent`,
    {
      field: journalVariable,
      fix: `${account.journal === undefined ? `Set ${journalVariable}=${address.text}` : `Unset ${journalVariable}`}. To give the profile another journal, use orderctl profile add with --replace and --journal.`,
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
