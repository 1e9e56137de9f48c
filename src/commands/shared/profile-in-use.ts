// Decides whether the sandbox may be the default. It may not if the journal has orders of a real account: then the
// profiles were lost.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { describeUseCommands, type Profiles } from '../../profiles/store.ts'
import { journalsOf } from './journal/open-journal.ts'
import { findStateFile, journalFile } from './journal/state-folder.ts'

type Machine = Pick<Context, 'environment' | 'platform' | 'home'>

/** Undefined if the journal cannot be read as it is. Writes nothing. */
const knowsServiceAccount = async (machine: Machine): Promise<boolean | undefined> => {
  const file = findStateFile(journalFile, machine)
  if (file === undefined) return false
  const journal = await import('../../journal/read-only.ts')
  try {
    return journal.hasServiceAccount(file)
  } catch {
    return undefined
  }
}

/** The name of the profile in use; undefined if none is. Writes nothing. */
export const findProfileInUse = async (
  machine: Machine,
  profiles: Pick<Profiles, 'current'>,
): Promise<string | undefined> => {
  const current = profiles.current()
  return current?.isDefault && (await knowsServiceAccount(machine)) ? undefined : current?.name
}

/** Throws if the sandbox is the default although a real account was used before. */
export const refuseLostProfiles = async (context: Context): Promise<void> => {
  const isKnown = (await knowsServiceAccount(context)) ?? (await knowsAfterMigration(context))
  if (!isKnown) return
  throw new Failure('credentials', 'no profile is saved, but the journal has orders of a real account', {
    fix: `${describeUseCommands([])}, or set ORDERCTL_BASE_URL`,
  })
}

/** False if the journal cannot be opened: then create and confirm refuse to run anyway. */
const knowsAfterMigration = async (context: Context): Promise<boolean> => {
  const journals = journalsOf(context, { kind: 'sandbox', name: 'sandbox' })
  try {
    await journals.openToRead()
    return (await knowsServiceAccount(context)) ?? false
  } catch {
    return false
  } finally {
    await journals.close()
  }
}
