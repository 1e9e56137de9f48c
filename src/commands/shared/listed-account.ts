// Finds the account whose journal a command lists, if that matters.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { mentionsJournal } from '../../profiles/mentions-journal.ts'
import { journalVariable } from './journal/place.ts'

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
    const { accountOf } = await import('./session.ts')
    // Nothing is sent, so a missing key or plain http does not matter.
    return await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
