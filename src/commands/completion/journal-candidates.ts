// Candidates from the journal: the orders, references and batches of the account in use, and who wrote to the journal.
import type { Context } from '../../context.ts'
import { lastWord } from '../../contract/order-words.ts'
import type { RecentBatch, RecentOrder } from '../../journal/read-only.ts'
import { isNeverCreated } from '../../journal/standings.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { isUsable } from '../shared/usable-orders.ts'
import { queryAccount, queryListed, typedValue } from './journal-reader.ts'
import type { Asked } from './source.ts'

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

export const isLast = (order: RecentOrder): boolean => order.isOwn === 1 && !isNeverCreated(order)

/** The commands that cannot use a cancelled batch. */
const needsOpenBatch = new Set(['batch run', 'batch approve', 'batch cancel'])

/** Undefined for a batch that runs or is finished: to tell which, each TAB would count all its cards. */
const stateOf = ({ startedAt, cancelledAt, stopped }: RecentBatch): string | undefined => {
  if (cancelledAt !== undefined) return 'cancelled'
  if (startedAt === undefined) return 'planned'
  return stopped === undefined ? undefined : 'stopped'
}

const describeBatch = (batch: RecentBatch, { clock }: Context, name?: string): string =>
  [stateOf(batch), formatRelative(batch.startedAt ?? batch.plannedAt, clock.now()), name]
    .filter((part) => part !== undefined)
    .join(', ')

const readOfAccount = (asked: Asked): Promise<readonly RecentBatch[]> =>
  queryAccount(asked, (read, { readNewestBatches }, owner) => readNewestBatches(read, owner))

/** `@last` and the names of the account in use; newest first. */
export const findBatches = async (asked: Asked): Promise<Candidate[]> => {
  const { context, line } = asked
  const all = await readOfAccount(asked)
  const usable = all.filter((batch) => !needsOpenBatch.has(line.path) || stateOf(batch) !== 'cancelled')
  const last = all.find(({ isOwn }) => isOwn === 1)
  return [
    ...(last !== undefined && usable.includes(last)
      ? [{ value: lastWord, description: describeBatch(last, context, last.name) }]
      : []),
    ...usable.map((batch) => ({ value: batch.name, description: describeBatch(batch, context) })),
  ]
}

/** Names of the batches that `list` shows: those of every account, or of the given profile. */
export const findListedBatches = async (asked: Asked): Promise<Candidate[]> => {
  const profile = typedValue(asked.line, '--profile')
  const all = await queryListed(asked, (read, { readNewestBatches }) => readNewestBatches(read, { profile }))
  return all.map((batch) => ({ value: batch.name, description: describeBatch(batch, asked.context) }))
}

const prefix = 'batch:'
/** Orders matter more than batches. */
const maxBesideOrders = 20

/** `batch:NAME`, for the commands that take several orders. */
export const findBatchWords = async (asked: Asked): Promise<Candidate[]> => {
  const { word, path, operands } = asked.line
  const isOffered = prefix.startsWith(word) || word.startsWith(prefix)
  if (!isOffered || !['get', 'watch', 'reconcile'].includes(path)) return []
  return (await readOfAccount(asked))
    .filter(({ startedAt }) => startedAt !== undefined)
    .map((batch) => ({ value: `${prefix}${batch.name}`, description: describeBatch(batch, asked.context) }))
    .filter(({ value }) => value.startsWith(word) && !operands.includes(value))
    .slice(0, maxBesideOrders)
}
