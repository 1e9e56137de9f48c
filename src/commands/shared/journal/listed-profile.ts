// Checks the profile that selects what a command lists from the journal.
import type { Context } from '../../../context.ts'
import type { Journal } from '../../../journal/journal.ts'
import { environmentName, sandbox } from '../../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../../profiles/store.ts'
import { profilesOf } from '../profiles-of.ts'

/**
 * Refuses a name that neither a saved profile nor an order in the journal has. Call it if nothing was found: a removed
 * profile still has orders.
 */
export const refuseUnknownProfile = async (
  context: Context,
  journal: Journal | undefined,
  profile: string,
): Promise<void> => {
  if (profile === sandbox || profile === environmentName) return
  const saved = profilesOf(context).list()
  if (saved.some(({ name }) => name === profile)) return
  if (((await journal?.listOrders({ profile, limit: 1 })) ?? []).length > 0) return
  throw createUnknownProfileFailure(profile, saved, '--profile')
}
