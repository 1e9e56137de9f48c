// Whether the sandbox may be the default: not if the journal has orders of a real account, for then the profiles were lost.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { describeUseCommands, type Profiles } from '../../profiles/store.ts'
import { journalsOf } from './journal/open-journal.ts'
import { journalFile, keptFile } from './journal/state-folder.ts'

type Surroundings = Pick<Context, 'environment' | 'platform' | 'home'>

/** Undefined if the journal cannot be read as it is. Writes nothing. */
const knowsServiceAccount = async (surroundings: Surroundings): Promise<boolean | undefined> => {
  const file = keptFile(journalFile, surroundings)
  if (file === undefined) return false
  const look = await import('../../journal/read-only.ts')
  try {
    return look.hasServiceAccount(file)
  } catch {
    return undefined
  }
}

/** The name of the profile in use; undefined if none is. Writes nothing. */
export const profileInUse = async (
  surroundings: Surroundings,
  profiles: Pick<Profiles, 'current'>,
): Promise<string | undefined> => {
  const current = profiles.current()
  return current?.isDefault && (await knowsServiceAccount(surroundings)) ? undefined : current?.name
}

/** Throws if orders would fall to the sandbox although an account was in use before. */
export const refuseLostProfiles = async (context: Context): Promise<void> => {
  const isKnown = (await knowsServiceAccount(context)) ?? (await knowsAfterMigration(context))
  if (!isKnown) return
  throw new Failure(
    'credentials',
    'no profile is in use: none is saved, but the journal has orders of another account than the sandbox',
    { fix: `${describeUseCommands([])}, or set ORDERCTL_BASE_URL` },
  )
}

/** A journal that cannot be opened at all is refused by create and confirm, so it need not be known here. */
const knowsAfterMigration = async (context: Context): Promise<boolean> => {
  const journals = journalsOf(context)
  try {
    await journals.openToRead()
    return (await knowsServiceAccount(context)) ?? false
  } catch {
    return false
  } finally {
    await journals.close()
  }
}
