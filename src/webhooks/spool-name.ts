// Names the folder in which the deliveries of an account wait to be forwarded.
import { builtin } from '../builtin.ts'
import type { AccountId } from '../contract/account-id.ts'

/** Each account has a spool of its own, because it has a target of its own. */
export const nameSpool = ({ address, name }: AccountId): string => {
  const account = `${address}${name === undefined ? '' : `#${name}`}`
  const digest = builtin.crypto().createHash('sha256').update(account).digest('hex').slice(0, 12)
  // A file system may not allow the whole name.
  return `${account.replace(/[^a-zA-Z\d.-]+/g, '_').slice(0, 60)}-${digest}`
}
