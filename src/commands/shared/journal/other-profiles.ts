// Finds other profiles of this machine that keep the orders of the same account in a shared journal.
import type { Context } from '../../../context.ts'
import { getAccountId, isSameAccount } from '../../../contract/account-id.ts'
import { Failure } from '../../../errors.ts'
import type { Account } from '../../../profiles/account.ts'
import type { Profile } from '../../../profiles/profile.ts'
import { profilesOf } from '../profiles-of.ts'

export const findOtherProfiles = (profiles: readonly Profile[], account: Account): readonly Profile[] => {
  if (account.kind === 'sandbox') return []
  const id = getAccountId(account.baseUrl, account.account)
  return profiles.filter(
    (each) =>
      each.name !== account.name &&
      (each.journal ?? each.lastJournal) !== undefined &&
      isSameAccount(id, getAccountId(each.baseUrl, each.account)),
  )
}

/** An account of the environment needs no profiles: if they cannot be read, there are none. */
export const readProfiles = (context: Context): readonly Profile[] => {
  try {
    return profilesOf(context, () => {}).list()
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}
