// Finds the account whose journal a command lists, if there is one.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { accountOf } from './session.ts'

/**
 * Undefined if no profile is in use, or the profile was removed: its orders are still in the journal. Nothing is sent,
 * so a missing key does not matter.
 */
export const findListedAccount = async (
  context: Context,
  profile: string | undefined,
): Promise<Account | undefined> => {
  try {
    return await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
