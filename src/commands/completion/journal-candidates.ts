// Candidates from the journal of the account in use: its orders, references and batches, and who wrote to it.
import { isSelective, isUsable } from '../../app/usable-orders.ts'
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
import { queryJournal } from './journal-reader.ts'
import { type Asked, type Source, toCandidates } from './source.ts'

/** The name comes last, because a shell cuts off the end of a long description. */
const joinParts = (...parts: (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined).join(', ')

const describe = ({ context: { clock } }: Asked, state: string, at: number, name?: string): string =>
  joinParts(state, formatRelative(at, clock.now()), name)

/** `@last`, ids, `ref:REFERENCE` and, for the commands that take several orders, `batch:NAME`. */
export const findOrders: Source = (asked) =>
  queryJournal(asked, async (reader) => {
    const { path, word } = asked.line
    const orders = nameOrders(asked, await readNewestOrders(reader, word, { isAll: isSelective(path) }))
    if (!['get', 'watch', 'reconcile'].includes(path)) return orders
    const batches = (await readNewestBatches(reader)).filter(({ startedAt }) => startedAt !== undefined)
    return [...orders, ...batches.flatMap((batch) => offerBatch(asked, batch, `batch:${batch.name}`))]
  })

const nameOrders = (asked: Asked, orders: readonly RecentOrder[]): Candidate[] => {
  const { path } = asked.line
  const offer = (value: string | undefined, order: RecentOrder, name: string | undefined): Candidate[] =>
    value !== undefined && isUsable(path, order)
      ? [{ value, description: describe(asked, order.state, order.placedAt, name) }]
      : []
  const last = findLast(path, orders)
  return [
    // A created order whose id is not known is not replaced by an older one.
    ...(last?.orderId === undefined ? [] : offer(lastWord, last, last.orderId)),
    ...orders.flatMap((order) => [
      ...offer(order.orderId, order, order.reference),
      ...offer(order.reference && `ref:${order.reference}`, order, order.orderId),
    ]),
  ]
}

/** After an attempt that created no order, `confirm @last` is refused. */
export const findLast = (path: string, orders: readonly RecentOrder[]): RecentOrder | undefined =>
  orders.find((order) => order.isOwn === 1 && (path === 'confirm' || !isNeverCreated(order)))

export const findReferences: Source = (asked) =>
  queryJournal(asked, async (reader) => {
    const orders = await readNewestOrders(reader, `ref:${asked.line.word}`)
    return orders.map(({ reference = '', orderId, state, placedAt }) => ({
      value: reference,
      description: describe(asked, state, placedAt, orderId),
    }))
  })

/** The roles and login names of everyone who wrote to the journal. */
export const findActors: Source = (asked) =>
  queryJournal(asked, async (reader) => toCandidates(await listActorNames(reader, 100)))

/** The commands that cannot use a cancelled batch. */
const needsOpenBatch = ['batch run', 'batch approve', 'batch cancel']

const offerBatch = (asked: Asked, batch: RecentBatch, value: string, name?: string): Candidate[] => {
  const { plannedAt, startedAt, cancelledAt } = batch
  if (cancelledAt !== undefined && needsOpenBatch.includes(asked.line.path)) return []
  const state = cancelledAt === undefined ? undefined : 'cancelled'
  const age = formatRelative(startedAt ?? plannedAt, asked.context.clock.now())
  // Not a state, because TAB does not count the cards that are left.
  const begun = `${startedAt === undefined ? 'planned' : 'started'} ${age}`
  return [{ value, description: joinParts(state, begun, name) }]
}

/** `@last` and the names, newest first. The `@last` of a flag may be a batch of another account. */
export const findBatches = (asked: Asked): Promise<readonly Candidate[]> =>
  queryJournal(asked, async (reader) => {
    const all = await readNewestBatches(reader)
    const last = asked.line.openFlag === undefined ? all.find(({ isOwn }) => isOwn === 1) : undefined
    return [
      ...(last === undefined ? [] : offerBatch(asked, last, lastWord, last.name)),
      ...all.flatMap((batch) => offerBatch(asked, batch, batch.name)),
    ]
  })

/** The keys of a report, and the columns of the newest batches. */
export const findReportKeys: Source = async (asked) => {
  const batches = await queryJournal(asked, readNewestBatches)
  const columns = batches.flatMap((batch) => batch.columns.map((name) => `column:${name}`))
  return toCandidates([...reportKeys, ...columns])
}
