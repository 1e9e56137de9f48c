// Candidates from the journal: the orders, references and batches of the account in use, and who wrote to the journal.

import { isUsable } from '../../app/usable-orders.ts'
import type { Context } from '../../context.ts'
import { lastWord } from '../../contract/order/order-words.ts'
import { reportKeys } from '../../contract/report/report.ts'
import { listActorNames } from '../../journal/actors.ts'
import { isNeverCreated } from '../../journal/orders/standings.ts'
import {
  type RecentBatch,
  type RecentOrder,
  readNewestBatches,
  readNewestOrders,
} from '../../journal/read-only.ts'
import type { Candidate } from '../../ui/text/candidates.ts'
import { formatRelative } from '../../ui/text/time.ts'
import { queryAccount, queryListed } from './journal-reader.ts'
import { type Asked, toCandidates } from './source.ts'

/** One or two terminal pages. */
const maxCandidates = 100
/** The maximum of ids, and of references, if there are both. */
const maxOfEach = maxCandidates / 2

/** The name comes last, because a shell cuts off the end of a long description. */
const describe = ({ clock }: Context, state: string | undefined, at: number, name?: string): string =>
  [state, formatRelative(at, clock.now()), name].filter((part) => part !== undefined).join(', ')

/** `@last`, ids, and `ref:REFERENCE`; newest first. */
export const findOrders = (asked: Asked): Promise<readonly Candidate[]> =>
  queryAccount(asked, (access, selection) => collectNames(readNewestOrders(access, selection), asked))

const collectNames = async (rows: AsyncIterable<RecentOrder>, { context, line }: Asked) => {
  const offer = (value: string, order: RecentOrder, name: string | undefined): Candidate[] => {
    const isOffered = value.startsWith(line.word) && !line.operands.includes(value)
    const description = describe(context, order.state, order.placedAt, name)
    return isOffered && isUsable(line.path, order) ? [{ value, description }] : []
  }
  // After an attempt that created no order, `confirm @last` is refused.
  const keepsAttempts = line.path === 'confirm'
  let last: RecentOrder | undefined
  const ids: Candidate[] = []
  const references = new Map<string, Candidate>()
  for await (const row of rows) {
    const { orderId, reference } = row
    // A created order whose id is not known is not replaced by an older one.
    if (keepsAttempts ? row.isOwn === 1 : isLast(row)) last ??= row
    const isFull =
      Math.max(ids.length, references.size) === maxCandidates ||
      Math.min(ids.length, references.size) >= maxOfEach
    if (isFull && last !== undefined) break
    if (isFull) continue
    if (orderId !== undefined) ids.push(...offer(orderId, row, reference))
    if (reference === undefined || references.has(reference)) continue
    for (const each of offer(`ref:${reference}`, row, orderId)) references.set(reference, each)
  }
  const each = ids.length > 0 && references.size > 0 ? maxOfEach : maxCandidates
  return [
    ...(last?.orderId === undefined ? [] : offer(lastWord, last, last.orderId)),
    ...ids.slice(0, each),
    ...references.values().take(each),
  ]
}

/** References of the orders that `list` shows. */
export const findReferences = (asked: Asked): Promise<readonly Candidate[]> =>
  queryListed(asked, async (access, selection) => {
    const found = new Map<string, Candidate>()
    for await (const { reference, orderId, state, placedAt } of readNewestOrders(access, selection)) {
      if (!reference?.startsWith(asked.line.word) || found.has(reference)) continue
      const description = describe(asked.context, state, placedAt, orderId)
      found.set(reference, { value: reference, description })
      if (found.size === maxCandidates) break
    }
    return [...found.values()]
  })

/** The roles and login names of everyone who wrote to the journal. */
export const findActors = async (asked: Asked): Promise<Candidate[]> =>
  toCandidates(await queryListed(asked, (access) => listActorNames(access, maxCandidates)))

export const isLast = (order: RecentOrder): boolean => order.isOwn === 1 && !isNeverCreated(order)

/** The commands that cannot use a cancelled batch. */
const needsOpenBatch = new Set(['batch run', 'batch approve', 'batch cancel'])

/** Uses the states of `batch list`, but shows an unknown batch as in progress. */
const findBatchState = ({ startedAt, cancelledAt, stopped, cardStates }: RecentBatch): string | undefined => {
  if (cancelledAt !== undefined) return 'cancelled'
  if (startedAt === undefined) return 'planned'
  const [first, last] = cardStates?.split(' ') ?? []
  if (last === undefined || last === 'wanted') return stopped ? 'stopped' : last && 'in-progress'
  if (last === 'delivered') return 'successful'
  return first === 'failed' ? 'failed' : 'partial'
}

const describeBatch = (context: Context, batch: RecentBatch, name?: string): string =>
  describe(context, findBatchState(batch), batch.startedAt ?? batch.plannedAt, name)

/** `@last` and the names of the account in use; newest first. */
export const findBatches = async (asked: Asked): Promise<Candidate[]> => {
  const { context, line } = asked
  const all = await queryAccount(asked, readNewestBatches)
  const isUsable = ({ cancelledAt }: RecentBatch): boolean =>
    cancelledAt === undefined || !needsOpenBatch.has(line.path)
  const last = all.find(({ isOwn }) => isOwn === 1)
  return [
    ...(last !== undefined && isUsable(last)
      ? [{ value: lastWord, description: describeBatch(context, last, last.name) }]
      : []),
    ...all
      .filter(isUsable)
      .map((batch) => ({ value: batch.name, description: describeBatch(context, batch) })),
  ]
}

/** Names of the batches that `list` shows. */
export const findListedBatches = async (asked: Asked): Promise<Candidate[]> => {
  const all = await queryListed(asked, readNewestBatches)
  return all.map((batch) => ({ value: batch.name, description: describeBatch(asked.context, batch) }))
}

/** The keys of a report, and the columns of the newest batches. */
export const findReportKeys = async (asked: Asked): Promise<Candidate[]> => {
  const all = await queryListed(asked, (access) => readNewestBatches(access, { profile: undefined }))
  const names = new Set(all.flatMap(({ columns }) => columns))
  return toCandidates([...reportKeys, ...[...names].map((name) => `column:${name}`)])
}

const prefix = 'batch:'
/** Orders matter more than batches. */
const maxBesideOrders = 20

/** `batch:NAME`, for the commands that take several orders. */
export const findBatchWords = async (asked: Asked): Promise<Candidate[]> => {
  const { word, path, operands } = asked.line
  const isOffered = prefix.startsWith(word) || word.startsWith(prefix)
  if (!isOffered || !['get', 'watch', 'reconcile'].includes(path)) return []
  return (await queryAccount(asked, readNewestBatches))
    .filter(({ startedAt }) => startedAt !== undefined)
    .map((batch) => ({ value: `${prefix}${batch.name}`, description: describeBatch(asked.context, batch) }))
    .filter(({ value }) => value.startsWith(word) && !operands.includes(value))
    .slice(0, maxBesideOrders)
}
