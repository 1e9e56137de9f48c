// Finds the journal of the account in use, and reads it for completion.
import type { Context } from '../../context.ts'
import { getAccountId } from '../../contract/account-id.ts'
import { parseBaseUrl } from '../../contract/base-url.ts'
import type { Owner } from '../../journal/entry.ts'
import type { ReadRows } from '../../journal/read-only.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import type { Profiles } from '../../profiles/store.ts'
import { sandboxOwner } from '../shared/journal/place.ts'
import { findStateFile, journalFile } from '../shared/journal/state-folder.ts'
import { findProfileInUse, profilesOf } from '../shared/profiles.ts'
import type { Asked, TypedLine } from './source.ts'

/** Without warnings, which would break the line that the user is typing. */
export const readProfiles = (context: Context): Profiles => profilesOf(context, () => {})

export const typedValue = ({ flags }: TypedLine, long: string): string | undefined =>
  flags.findLast(({ option }) => option.long === long)?.value

export type OwnerInUse = Owner & {
  readonly wallet?: string
  readonly products?: string
  /** The address of the journal that its team shares. */
  readonly journal?: string
}

/** The account that `profiles/account.ts` would choose. Contradictions and missing keys are ignored. */
export const findOwner = async ({ context, line }: Asked): Promise<OwnerInUse | undefined> => {
  const {
    ORDERCTL_BASE_URL: address,
    ORDERCTL_PROFILE: chosen,
    ORDERCTL_ACCOUNT: declared,
  } = context.environment
  const named = typedValue(line, '--profile')
  if (named === undefined && address !== undefined) {
    const read = parseBaseUrl(address, true)
    if ('problems' in read) return undefined
    return { profile: environmentName, origin: read.baseUrl, account: getAccountId(read.baseUrl, declared) }
  }
  const profiles = readProfiles(context)
  const name = named ?? chosen ?? (await findProfileInUse(context, profiles))
  if (name === sandbox) return sandboxOwner
  const profile = name === undefined ? undefined : profiles.get(name)
  if (profile === undefined) return undefined
  const { baseUrl: origin, wallet, products, journal } = profile
  return {
    profile: profile.name,
    origin,
    account: getAccountId(origin, declared ?? profile.account),
    wallet,
    products,
    journal,
  }
}

type ReadOnly = typeof import('../../journal/read-only.ts')

/** Undefined if there is no journal yet. The journal is the one that `chooseJournal` would choose. */
const openReader = async (context: Context, owner: OwnerInUse | undefined): Promise<ReadRows | undefined> => {
  const shared = owner === sandboxOwner ? undefined : (context.environment.ORDERCTL_JOURNAL ?? owner?.journal)
  if (shared !== undefined) return (await import('./shared-reader.ts')).openSharedReader(context, shared)
  const file = findStateFile(journalFile, context)
  return file === undefined ? undefined : (await loadQueries()).createFileReader(file)
}

const loadQueries = (): Promise<ReadOnly> => import('../../journal/read-only.ts')

type Query<Row> = (read: ReadRows, journal: ReadOnly, owner: Owner) => Promise<readonly Row[]>

/** Reads the journal of the account in use, for that account. */
export const queryAccount = async <Row>(asked: Asked, query: Query<Row>): Promise<readonly Row[]> => {
  const owner = await findOwner(asked)
  const read = owner && (await openReader(asked.context, owner))
  return read === undefined ? [] : query(read, await loadQueries(), owner as Owner)
}

/** Reads the journal of the account in use, for any account. */
export const queryListed = async <Row>(
  asked: Asked,
  query: (read: ReadRows, journal: ReadOnly) => Promise<readonly Row[]>,
): Promise<readonly Row[]> => {
  const read = await openReader(asked.context, await findOwner(asked))
  return read === undefined ? [] : query(read, await loadQueries())
}
