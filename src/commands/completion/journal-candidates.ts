// Words that the journal knows: orders, references, products and wallets of the account in force.
import type { Context } from '../../context.ts'
import { getAccountId } from '../../contract/account-id.ts'
import { parseBaseUrl } from '../../contract/base-url.ts'
import type { ProductLine } from '../../contract/order-request.ts'
import { isFinished, isVoid, journalOnlyStates, type Owner } from '../../journal/entry.ts'
import type { RecentOrder } from '../../journal/read-only.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import type { Profiles } from '../../profiles/store.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { sandboxOwner } from '../shared/journal/owner-of.ts'
import { journalFile, keptFile } from '../shared/journal/state-folder.ts'
import { profileInUse } from '../shared/profile-in-use.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import type { TypedLine } from './parse-line.ts'

type Asked = { readonly context: Context; readonly line: TypedLine }

/** Without warnings: they would disturb the line that is being typed. */
export const readProfiles = (context: Context): Profiles => profilesOf(context, () => {})

const typedValue = ({ flags }: TypedLine, long: string): string | undefined =>
  flags.findLast(({ option }) => option.long === long)?.value

type OwnerInForce = Owner & { readonly wallet?: string; readonly products?: string }

/** The account that `profiles/account.ts` would choose. Contradictions and keys do not matter here. */
export const ownerInForce = async ({ context, line }: Asked): Promise<OwnerInForce | undefined> => {
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
  const name = named ?? chosen ?? (await profileInUse(context, profiles))
  if (name === sandbox) return sandboxOwner
  const profile = name === undefined ? undefined : profiles.get(name)
  if (profile === undefined) return undefined
  const { baseUrl: origin, wallet, products } = profile
  return {
    profile: profile.name,
    origin,
    account: getAccountId(origin, declared ?? profile.account),
    ...(wallet === undefined ? {} : { wallet }),
    ...(products === undefined ? {} : { products }),
  }
}

/** A page of a terminal or two. */
const most = 100
/** Where there are ids and references. */
const share = most / 2

/** What each command can do something with; what the journal knows of it may be old. */
const useful = new Map<string, (state: string) => boolean>([
  ['confirm', (state) => state === 'created' || state === journalOnlyStates.unknown],
  ['watch', (state) => !isFinished(state)],
  ['reconcile', (state) => !isFinished(state)],
  ['redeem', (state) => !isVoid(state)],
])

const inForce = async <Row>(
  asked: Asked,
  look: (file: string, owner: Owner, journal: typeof import('../../journal/read-only.ts')) => Row[],
): Promise<Row[]> => {
  const owner = await ownerInForce(asked)
  const file = keptFile(journalFile, asked.context)
  if (owner === undefined || file === undefined) return []
  return look(file, owner, await import('../../journal/read-only.ts'))
}

/** The name last: a shell cuts off what is too long for its line. */
const described = (
  { state, placedAt }: Pick<RecentOrder, 'state' | 'placedAt'>,
  name: string | undefined,
  { clock }: Context,
): string =>
  [state, formatRelative(placedAt, clock.now()), name].filter((part) => part !== undefined).join(', ')

/** `@last`, ids, and `ref:REFERENCE`; newest first. */
export const orderWords = (asked: Asked): Promise<Candidate[]> =>
  inForce(asked, (file, owner, { readNewestOrders }) =>
    readNewestOrders(file, owner, (rows) => namesIn(rows, asked)),
  )

const namesIn = (rows: Iterable<RecentOrder>, { context, line }: Asked): Candidate[] => {
  const fits = useful.get(line.path) ?? (() => true)
  const given = new Set(line.operands)
  const isOffered = (value: string): boolean => value.startsWith(line.word) && !given.has(value)
  let last: RecentOrder | undefined
  const ids: Candidate[] = []
  const references = new Map<string, Candidate>()
  for (const row of rows) {
    const { orderId, reference, state } = row
    // As `@last` is found: the newest that was placed from here; never an older one in its place.
    if (row.isOwn === 1) last ??= row
    const isFull =
      Math.max(ids.length, references.size) === most || Math.min(ids.length, references.size) >= share
    if (isFull && last !== undefined) break
    if (isFull || !fits(state)) continue
    if (orderId !== undefined && isOffered(orderId))
      ids.push({ value: orderId, description: described(row, reference, context) })
    const named = `ref:${reference}`
    if (reference !== undefined && isOffered(named) && !references.has(named))
      references.set(named, { value: named, description: described(row, orderId, context) })
  }
  const lastWord = (): Candidate[] =>
    last?.orderId === undefined || !fits(last.state) || !isOffered('@last')
      ? []
      : [{ value: '@last', description: described(last, last.orderId, context) }]
  const each = ids.length > 0 && references.size > 0 ? share : most
  return [...lastWord(), ...ids.slice(0, each), ...references.values().take(each)]
}

/** Of the orders that `list` lists: of all accounts, or of the one that is named. */
export const referenceWords = async ({ context, line }: Asked): Promise<Candidate[]> => {
  const file = keptFile(journalFile, context)
  if (file === undefined) return []
  const { readNewestListed } = await import('../../journal/read-only.ts')
  return readNewestListed(file, typedValue(line, '--profile'), (rows) => {
    const found = new Map<string, Candidate>()
    for (const row of rows) {
      const { reference, orderId } = row
      if (reference === undefined || !reference.startsWith(line.word) || found.has(reference)) continue
      found.set(reference, {
        value: reference,
        description: described(row, orderId, context),
      })
      if (found.size === most) break
    }
    return [...found.values()]
  })
}

/** What was ordered, newest first; of one order alone where the line names it and the journal has it. */
export const orderedProducts = async (asked: Asked): Promise<ProductLine[]> => {
  const rows = await inForce(asked, (file, owner, { readNewestRequests }) => readNewestRequests(file, owner))
  const [named] = asked.line.operands
  const meant = rows.filter(
    ({ orderId, reference }) => named !== undefined && (named === orderId || named === `ref:${reference}`),
  )
  const chosen = named === '@last' ? rows.slice(0, 1) : meant
  const { readRequestedProducts } = await import('../../journal/requested-products.ts')
  return (chosen.length > 0 ? chosen : rows).flatMap((row) => readRequestedProducts(row) ?? [])
}

/** The profile's own first. */
export const walletWords = async (asked: Asked): Promise<Candidate[]> => {
  const own = (await ownerInForce(asked))?.wallet
  const rows = await inForce(asked, (file, owner, { readNewestRequests }) => readNewestRequests(file, owner))
  return unique([
    ...(own === undefined ? [] : [{ value: own, description: 'the usual one of this profile' }]),
    ...rows.flatMap(({ wallet, placedAt }) =>
      wallet === undefined
        ? []
        : [
            {
              value: wallet,
              description: `paid from ${formatRelative(placedAt, asked.context.clock.now())}`,
            },
          ],
    ),
  ])
}

/** The first of each value. */
export const unique = (candidates: readonly Candidate[]): Candidate[] =>
  [...Map.groupBy(candidates, ({ value }) => value).values()].map(([first]) => first as Candidate)
