// Chooses the journal of a command: the file of this machine, or the database that a team shares.
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { type Address, isPostgresAddress, isSameDatabase, parseAddress } from '../../../postgres/address.ts'
import type { Account } from '../../../profiles/account.ts'

export const journalVariable = 'ORDERCTL_JOURNAL'

export type SharedPlace = {
  readonly kind: 'shared'
  readonly address: Address
  /** A command that prints the password. */
  readonly passwordCommand?: string
}

export type JournalPlace = { readonly kind: 'file' } | SharedPlace

const file: JournalPlace = { kind: 'file' }

type Machine = Pick<Context, 'environment' | 'user'>

/** The sandbox's orders stay in the file, because its state is a file of this machine, too. */
export const chooseJournal = (machine: Machine, account: Account | undefined): JournalPlace => {
  const chosen = readVariable(machine)
  if (account?.kind === 'sandbox') return file
  const { journal, journalPasswordCommand: passwordCommand } = account ?? {}
  const command = passwordCommand === undefined ? {} : { passwordCommand }
  if (chosen !== undefined) return { kind: 'shared', address: chosen, ...command }
  return journal === undefined ? file : { kind: 'shared', address: parseFor(machine, journal), ...command }
}

export const parseFor = ({ environment, user }: Machine, text: string): Address =>
  parseAddress(text, {
    user: environment.PGUSER || user(),
    rootCertificate: environment.PGSSLROOTCERT || undefined,
  })

const readVariable = (machine: Machine): Address | undefined => {
  const text = machine.environment[journalVariable]
  if (text === undefined) return undefined
  if (isPostgresAddress(text)) return parseFor(machine, text)
  throw new Failure(
    'usage',
    text === ''
      ? `${journalVariable} is set, but empty`
      : `${journalVariable} is not the address of a database`,
    {
      field: journalVariable,
      fix: `Set it to postgres://user@host/database, or unset it to use the journal of this machine.`,
    },
  )
}

/**
 * Throws if the profile's orders are in another journal: this one does not know them, and could not prevent a second
 * purchase.
 */
export const refuseOtherJournal = (machine: Machine, account: Account, place: JournalPlace): void => {
  if (account.kind === 'sandbox') return
  const known = account.journal ?? account.lastJournal
  if (known === undefined) return
  const address = parseFor(machine, known)
  if (place.kind === 'shared' && isSameDatabase(address, place.address)) return
  const now =
    place.kind === 'shared' ? `${journalVariable} is ${place.address.text}` : `${journalVariable} is not set`
  throw new Failure(
    'local-state',
    `the profile ${account.name} keeps its orders in ${address.text}, but ${now}; nothing was sent`,
    {
      field: journalVariable,
      fix:
        account.journal === undefined
          ? `Set ${journalVariable}=${address.text}, or change the profile: orderctl profile add ${account.name} --replace …`
          : `Unset ${journalVariable}, or change the profile: orderctl profile add ${account.name} --replace …`,
    },
  )
}

/** The address to remember with the profile, if it does not name its journal yet. */
export const findNewJournal = (account: Account, place: JournalPlace): string | undefined =>
  account.kind === 'service' &&
  place.kind === 'shared' &&
  account.journal === undefined &&
  account.lastJournal !== place.address.text
    ? place.address.text
    : undefined
