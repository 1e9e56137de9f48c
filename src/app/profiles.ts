// The saved profiles of this machine, and whether the sandbox may be the default.
import type { Context } from '../context.ts'
import { type AccountId, getAccountId, isSameAccount } from '../contract/account-id.ts'
import { Failure } from '../errors.ts'
import type { Account } from '../profiles/account.ts'
import { findProfilesFolder } from '../profiles/folder.ts'
import type { Profile } from '../profiles/profile.ts'
import { adviseUse, openProfiles, type Profiles } from '../profiles/store.ts'
import { findJournalFile } from './journal/place.ts'

export const profilesOf = (
  { environment, platform, home, stderr }: Context,
  onWarning = stderr.warn,
): Profiles =>
  openProfiles({ folder: findProfilesFolder({ environment, platform, home }), platform, onWarning })

/** An account of the environment needs no profiles: if they cannot be read, there are none. */
export const readProfiles = (context: Context): readonly Profile[] => {
  try {
    return profilesOf(context, () => {}).list()
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}

export const findProfilesOf = (profiles: readonly Profile[], id: AccountId): readonly Profile[] =>
  profiles.filter(({ baseUrl, account }) => isSameAccount(id, getAccountId(baseUrl, account)))

/** Other profiles that keep the orders of the same account in a shared journal. */
export const findOtherProfiles = (profiles: readonly Profile[], account: Account): readonly Profile[] => {
  if (account.kind === 'sandbox') return []
  return findProfilesOf(profiles, getAccountId(account.baseUrl, account.account)).filter(
    ({ name, journal }) => name !== account.name && journal !== undefined,
  )
}

type Machine = Pick<Context, 'environment' | 'platform' | 'home'>

/**
 * Whether the journal has orders of a real account. If no profile is saved, the profiles were lost. False if the journal
 * cannot be read: then create and confirm refuse to run anyway.
 */
const knowsServiceAccount = async (machine: Machine, leavesNoTrace = false): Promise<boolean> => {
  const file = findJournalFile(machine)
  if (file === undefined) return false
  const journal = await import('../journal/read-only.ts')
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
  throw new Failure('no-account', 'no profile is saved, but the journal has orders of a real account', {
    ...adviseUse([]),
    advice: (suggest) =>
      `You can also set ORDERCTL_BASE_URL. To use the sandbox: ${suggest`profile use sandbox`}`,
  })
}
