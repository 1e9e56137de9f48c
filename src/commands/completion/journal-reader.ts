// Finds the journal of the account in use, and reads it for completion.

import { sandboxOwner } from '../../app/journal/place.ts'
import { findJournalFile } from '../../app/journal/state-folder.ts'
import { findProfileInUse, profilesOf } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import { getAccountId } from '../../contract/account-id.ts'
import { parseBaseUrl } from '../../contract/base-url.ts'
import type { Owner } from '../../journal/orders/entry.ts'
import type { Reader, Selection } from '../../journal/read-only.ts'
import { environmentName, type Profile, sandbox } from '../../profiles/profile.ts'
import type { Asked } from './source.ts'

/** Without warnings, which would break the line that the user is typing. */
export const openQuietProfiles = (context: Context) => profilesOf(context, () => {})

const findNamedProfile = ({ line }: Asked): string | undefined =>
  line.flags.findLast(({ option }) => option.long === '--profile')?.value

export type OwnerInUse = Owner & Partial<Pick<Profile, 'wallet' | 'products' | 'journal'>>

/** The account that `profiles/account.ts` would choose. Contradictions and missing keys are ignored. */
export const findOwner = async (asked: Asked): Promise<OwnerInUse | undefined> => {
  const { context } = asked
  const {
    ORDERCTL_BASE_URL: address,
    ORDERCTL_PROFILE: chosen,
    ORDERCTL_ACCOUNT: declared,
  } = context.environment
  const named = findNamedProfile(asked)
  if (named === undefined && address !== undefined) {
    const read = parseBaseUrl(address, true)
    if ('problems' in read) return undefined
    return { profile: environmentName, origin: read.baseUrl, account: getAccountId(read.baseUrl, declared) }
  }
  const profiles = openQuietProfiles(context)
  const name = named ?? chosen ?? (await findProfileInUse(context, profiles))
  if (name === sandbox) return sandboxOwner
  const profile = name === undefined ? undefined : profiles.get(name)
  if (profile === undefined) return undefined
  const { baseUrl: origin, wallet, products, journal } = profile
  const account = getAccountId(origin, declared ?? profile.account)
  return { profile: profile.name, origin, account, wallet, products, journal }
}

type Queries = typeof import('../../journal/read-only.ts')

const loadQueries = (): Promise<Queries> => import('../../journal/read-only.ts')

type Query<Row> = (queries: Queries, access: Reader, selection: Selection) => Promise<readonly Row[]>

/** Reads the rows of the account in use from its journal, which is the one that `chooseJournal` would choose. */
export const queryAccount = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> => {
  const owner = await findOwner(asked)
  return owner === undefined ? [] : queryJournal(asked.context, owner, query, owner)
}

/** Reads the rows that `list` shows: those of every account, or of the named profile. */
export const queryListed = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> =>
  queryJournal(asked.context, await findOwner(asked), query, { profile: findNamedProfile(asked) })

const queryJournal = async <Row>(
  context: Context,
  owner: OwnerInUse | undefined,
  query: Query<Row>,
  selection: Selection,
): Promise<readonly Row[]> => {
  const shared = owner === sandboxOwner ? undefined : (context.environment.ORDERCTL_JOURNAL ?? owner?.journal)
  const queries = await loadQueries()
  const identify = () => ({ osUser: context.user(), host: context.host() })
  if (shared !== undefined) {
    const { openSharedReader } = await import('./shared-reader.ts')
    return query(queries, openSharedReader(context, shared, identify), selection)
  }
  const file = findJournalFile(context)
  return file === undefined
    ? []
    : queries.readFromFile(file, identify, (access) => query(queries, access, selection))
}
