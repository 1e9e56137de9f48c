// Decides whether the sandbox may be the default. It may not if the journal has orders of a real account: then the
// profiles were lost.
import type { Context } from '../../context.ts'
import { Failure, writeFix } from '../../errors.ts'
import { describeUseCommands, type Profiles } from '../../profiles/store.ts'
import { findStateFile, journalFile } from './journal/state-folder.ts'

type Machine = Pick<Context, 'environment' | 'platform' | 'home'>

/** False if the journal cannot be read: then create and confirm refuse to run anyway. */
const knowsServiceAccount = async (machine: Machine, leavesNoTrace = false): Promise<boolean> => {
  const file = findStateFile(journalFile, machine)
  if (file === undefined) return false
  const journal = await import('../../journal/read-only.ts')
  try {
    return journal.hasServiceAccount(file, leavesNoTrace)
  } catch {
    return false
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
export const refuseLostProfiles = async (context: Context, leavesNoTrace?: boolean): Promise<void> => {
  if (!(await knowsServiceAccount(context, leavesNoTrace))) return
  throw new Failure('credentials', 'no profile is saved, but the journal has orders of a real account', {
    fix: (suggest) => `${writeFix(describeUseCommands([]), suggest)}, or set ORDERCTL_BASE_URL`,
  })
}
