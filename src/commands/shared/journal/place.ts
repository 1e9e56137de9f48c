// Chooses the journal of a command: the file of this machine, or the database that a team shares.
import type { Context } from '../../../context.ts'
import { journalVariable } from '../../../profiles/account.ts'
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

/** Whether the journal is probably a file on the machine of a CI job, which is lost when the job ends. */
export const endsWithJob = ({ environment }: Pick<Context, 'environment'>, { kind }: JournalPlace): boolean =>
  kind === 'file' && Boolean(environment.CI) && !environment.ORDERCTL_STATE_DIR
