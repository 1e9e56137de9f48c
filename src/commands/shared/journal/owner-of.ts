// Finds the owner of an account's orders in the journal.
import { getAccountId, sandboxAddress } from '../../../contract/account-id.ts'
import type { Owner } from '../../../journal/entry.ts'
import type { Account } from '../../../profiles/account.ts'

export const sandboxOwner: Owner = {
  profile: 'sandbox',
  origin: sandboxAddress,
  account: { address: sandboxAddress },
}

export const ownerOf = (account: Account): Owner =>
  account.kind === 'sandbox'
    ? sandboxOwner
    : {
        profile: account.name,
        origin: account.baseUrl,
        account: getAccountId(account.baseUrl, account.account),
      }
