// Candidates from the journal: orders, references, products and wallets of the account in use.
import type { Context } from '../../context.ts'
import type { ProductLine } from '../../contract/order-request.ts'
import { lastWord } from '../../contract/order-words.ts'
import type { RecentOrder } from '../../journal/read-only.ts'
import { isNeverCreated } from '../../journal/standings.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { isUsable } from '../shared/usable-orders.ts'
import { type Asked, findOwner, queryAccount, queryListed, typedValue } from './journal-reader.ts'
import { removeRepeated } from './source.ts'

/** One or two terminal pages. */
const maxCandidates = 100
/** The maximum of ids, and of references, if there are both. */
const maxOfEach = maxCandidates / 2

/** The name comes last, because a shell cuts off the end of a long description. */
const describeOrder = (
  { state, placedAt }: Pick<RecentOrder, 'state' | 'placedAt'>,
  name: string | undefined,
  { clock }: Context,
): string =>
  [state, formatRelative(placedAt, clock.now()), name].filter((part) => part !== undefined).join(', ')

/** `@last`, ids, and `ref:REFERENCE`; newest first. */
export const findOrders = (asked: Asked): Promise<readonly Candidate[]> =>
  queryAccount(asked, (read, { readNewestOrders }, owner) =>
    readNewestOrders(read, owner, (rows) => collectNames(rows, asked)),
  )

const collectNames = (rows: Iterable<RecentOrder>, { context, line }: Asked): Candidate[] => {
  const fits = (order: RecentOrder): boolean => isUsable(line.path, order)
  const given = new Set(line.operands)
  const isOffered = (value: string): boolean => value.startsWith(line.word) && !given.has(value)
  // After an attempt that created no order, `confirm @last` is refused.
  const keepsAttempts = line.path === 'confirm'
  let last: RecentOrder | undefined
  const ids: Candidate[] = []
  const references = new Map<string, Candidate>()
  for (const row of rows) {
    const { orderId, reference } = row
    // A created order whose id is not known is not replaced by an older one.
    if (keepsAttempts ? row.isOwn === 1 : isLast(row)) last ??= row
    const isFull =
      Math.max(ids.length, references.size) === maxCandidates ||
      Math.min(ids.length, references.size) >= maxOfEach
    if (isFull && last !== undefined) break
    if (isFull || !fits(row)) continue
    if (orderId !== undefined && isOffered(orderId))
      ids.push({ value: orderId, description: describeOrder(row, reference, context) })
    const named = `ref:${reference}`
    if (reference !== undefined && isOffered(named) && !references.has(named))
      references.set(named, { value: named, description: describeOrder(row, orderId, context) })
  }
  const offerLast = (): Candidate[] =>
    last?.orderId === undefined || !fits(last) || !isOffered(lastWord)
      ? []
      : [{ value: lastWord, description: describeOrder(last, last.orderId, context) }]
  const each = ids.length > 0 && references.size > 0 ? maxOfEach : maxCandidates
  return [...offerLast(), ...ids.slice(0, each), ...references.values().take(each)]
}

/** References of the orders that `list` shows: those of every account, or of the given profile. */
export const findReferences = (asked: Asked): Promise<readonly Candidate[]> =>
  queryListed(asked, (read, { readNewestOrders }) =>
    readNewestOrders(read, { profile: typedValue(asked.line, '--profile') }, (rows) =>
      collectReferences(rows, asked),
    ),
  )

const collectReferences = (rows: Iterable<RecentOrder>, { context, line }: Asked): Candidate[] => {
  const found = new Map<string, Candidate>()
  for (const row of rows) {
    const { reference, orderId } = row
    if (reference === undefined || !reference.startsWith(line.word) || found.has(reference)) continue
    found.set(reference, { value: reference, description: describeOrder(row, orderId, context) })
    if (found.size === maxCandidates) break
  }
  return [...found.values()]
}

/** The roles and login names of everyone who wrote to the journal. */
export const findActors = async (asked: Asked): Promise<Candidate[]> => {
  const names = await queryListed(asked, (read, { readActorNames }) => readActorNames(read, maxCandidates))
  return names.map((value) => ({ value }))
}

const isLast = (order: RecentOrder): boolean => order.isOwn === 1 && !isNeverCreated(order)

/** The ordered products, newest first. If the line names an order of the journal, only its products. */
export const findOrderedProducts = async (asked: Asked): Promise<ProductLine[]> => {
  const rows = await queryAccount(asked, (read, { readNewestRequests }, owner) =>
    readNewestRequests(read, owner),
  )
  const [named] = asked.line.operands
  const fromNamed = rows.filter(
    ({ orderId, reference }) => named !== undefined && (named === orderId || named === `ref:${reference}`),
  )
  const chosen = named === lastWord ? rows.filter(isLast).slice(0, 1) : fromNamed
  const { readRequestedProducts } = await import('../../journal/requested-products.ts')
  return (chosen.length > 0 ? chosen : rows).flatMap((row) => readRequestedProducts(row) ?? [])
}

/** The default wallet of the profile, then those of its orders. */
export const findUsedWallets = async (asked: Asked): Promise<Candidate[]> => {
  const own = (await findOwner(asked))?.wallet
  const rows = await queryAccount(asked, (read, { readNewestRequests }, owner) =>
    readNewestRequests(read, owner),
  )
  return removeRepeated([
    ...(own === undefined ? [] : [{ value: own, description: 'default wallet of this profile' }]),
    ...rows.flatMap(({ wallet, placedAt }) =>
      wallet === undefined
        ? []
        : [
            {
              value: wallet,
              description: `last used ${formatRelative(placedAt, asked.context.clock.now())}`,
            },
          ],
    ),
  ])
}
