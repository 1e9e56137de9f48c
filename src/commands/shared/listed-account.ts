// Finds the account whose journal a command lists, if that matters, and refuses an unknown profile.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import { findProfilesFolder, mentionsJournal } from '../../profiles/folder.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { accountOf } from './account.ts'
import { profilesOf } from './profiles.ts'

/**
 * Undefined if no profile is in use, or the profile was removed: its orders are still in the journal. Also undefined
 * without shared journals, because then every account has the same one, and loading the profiles takes longer.
 */
export const findListedAccount = async (
  context: Context,
  profile: string | undefined,
): Promise<Account | undefined> => {
  try {
    const isShared =
      context.environment[journalVariable] !== undefined || mentionsJournal(findProfilesFolder(context))
    if (!isShared) return undefined
    // Nothing is sent, so a missing key or plain http does not matter.
    return await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Refuses a name that neither a saved profile nor an order in the journal has. Call it only if nothing was found: a
 * removed profile still has orders.
 */
export const refuseUnknownProfile = async (
  context: Context,
  journal: Journal | undefined,
  profile: string | undefined,
): Promise<void> => {
  if (profile === undefined) return
  if (profile === sandbox || profile === environmentName) return
  const saved = profilesOf(context).list()
  if (saved.some(({ name }) => name === profile)) return
  if (((await journal?.listOrders({ profile, limit: 1 })) ?? []).length > 0) return
  throw createUnknownProfileFailure(profile, saved, '--profile')
}

/** Sandbox and real orders never stand in one table. `profile`: of the newest row that is left out. */
export const describeHidden = (
  { suggest }: Pick<Context, 'suggest'>,
  what: 'orders' | 'batches',
  profile: string,
): string => {
  const [own, others] = what === 'orders' ? ['Sandbox orders', 'Orders'] : ['Sandbox batches', 'Batches']
  const command = what === 'orders' ? suggest`list ${{ profile }}` : suggest`batch list ${{ profile }}`
  return `${profile === 'sandbox' ? own : `${others} of ${sanitize(profile)}`} are not listed. Show them: ${command}\n`
}
