// What lists share: whose journal they read, and what they leave out.
import type { Context } from '../../context.ts'
import type { Journal } from '../../journal/journal.ts'
import { listOrders } from '../../journal/orders/list-orders.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import { mentionsJournal } from '../../profiles/folder.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import { createUnknownProfileFailure } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { findAccountWithoutKey } from '../account.ts'
import { profilesOf } from '../profiles.ts'

/**
 * The account whose journal is listed. A removed profile has none, but its orders are still in the journal. Also
 * undefined without shared journals, because then every account has the same one, and loading the profiles takes longer.
 */
export const findListedAccount = async (
  context: Context,
  profile: string | undefined,
): Promise<Account | undefined> => {
  const isShared = context.environment[journalVariable] !== undefined || mentionsJournal(context)
  return isShared ? findAccountWithoutKey(context, profile) : undefined
}

/**
 * Refuses a name that neither a saved profile nor an order in the journal has. Call it only if nothing was found: a
 * removed profile still has orders.
 */
export const refuseUnknownProfile = async (
  context: Context,
  journal: Journal,
  profile: string | undefined,
): Promise<void> => {
  if (profile === undefined) return
  if (profile === sandbox || profile === environmentName) return
  const saved = profilesOf(context).list()
  if (saved.some(({ name }) => name === profile)) return
  if ((await listOrders(journal.read, { profile, limit: 1 })).length > 0) return
  throw createUnknownProfileFailure(profile, saved, '--profile')
}

/** A table never mixes sandbox and real orders. `profile` is that of the newest row that is left out. */
export const describeHidden = (
  { suggest }: Pick<Context, 'suggest'>,
  what: 'orders' | 'batches',
  profile: string,
): string => {
  const [own, others] = what === 'orders' ? ['Sandbox orders', 'Orders'] : ['Sandbox batches', 'Batches']
  const command = what === 'orders' ? suggest`list ${{ profile }}` : suggest`batch list ${{ profile }}`
  return `${profile === 'sandbox' ? own : `${others} of ${sanitize(profile)}`} are not listed. Show them: ${command}\n`
}
