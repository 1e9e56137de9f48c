// Records what the service's responses show about an order, proof about its confirms, and a person's decision. Several
// processes may write at once.

import { toMillionths } from '../../contract/money/millionths.ts'
import { mergeProducts } from '../../contract/order/ordered-products.ts'
import type { Read, Write, WriteAccess } from '../access.ts'
import { inOrder, type Value, type Values } from '../database/database.ts'
import { isAmount, isTime } from '../tables/table.ts'
import { type Call, type Entry, isUnproven } from './entry.ts'
import { toProductColumns } from './products.ts'
import { getOrder, listCalls, lockOrder, readLocked } from './queries.ts'
import { findResult, initialState, isFinished, moveOrder, unprovenCondition } from './standings.ts'

/** What a response that shows the order contains. */
export type OrderUpdate = {
  /** The service's word. */
  readonly state: string
  /** It proves that the order is paid. */
  readonly isPaid: boolean
  /** The order's `createdDate`, and the response's `Date`. Both by the service's clock. */
  readonly createdDate?: number
  readonly serverTime?: number | undefined
  /** Its invoice's total. */
  readonly total?: string | undefined
  /** The invoice is not in the order's currency, so the charge is unknown. The order's total counts. */
  readonly isInOtherCurrency?: boolean
  /** See formatProducts. */
  readonly products?: string | undefined
  readonly at: number
}

/** A person's decision about a confirm whose outcome cannot be proven. */
export type Decision = {
  readonly isSpent: boolean
  readonly by: string
  readonly reason: string
  readonly at: number
}

/** Records a response. Returns the order if anything changed. `entry`: as the caller has just read it. */
export const recordOrder = async (
  { read, write }: Read & Write,
  order: number,
  update: OrderUpdate,
  entry?: Entry,
): Promise<Entry | undefined> => {
  const known = entry ?? (await getOrder(read, order))
  // Most responses change nothing, so they take no write lock.
  if (known === undefined || !isChange(known, update)) return undefined
  return write(async (access) => {
    const locked = await readLocked(access, order)
    if (locked === undefined) return undefined
    const { changed } = await inOrder({
      updated: recordUpdate(access, locked, update),
      changed: getOrder(access, order),
    })
    return changed
  })
}

/** Records the proof that the unproven confirms of an expired order spent nothing. */
export const recordExpiry = (
  { write }: Write,
  { number, standing, confirms }: Entry,
  unproven: readonly Call[],
  at: number,
): Promise<void> =>
  write(async (access) => {
    const { locked, calls } = await inOrder({
      locked: readLocked(access, number),
      calls: listCalls(access, number),
    })
    const known = new Set(unproven.map((call) => call.number))
    const now = new Set(calls.filter(isUnproven).map((call) => call.number))
    const isSame = locked?.standing === standing && locked.confirms === confirms
    // The proof is for these confirms only.
    if (isSame && now.symmetricDifference(known).size === 0)
      await moveOrder(access, number, 'expired', { at })
  })

/** Records the first half of that proof: the order was not confirmed after its expiry. */
export const recordUnconfirmed = (
  { write }: Write,
  { number, confirms }: Pick<Entry, 'number' | 'confirms'>,
  serviceTime: number,
  at: number,
): Promise<void> =>
  write(async ({ run }) => {
    await run(
      `UPDATE orders SET unconfirmed_at = $serviceTime, unconfirmed_here = $at
       WHERE number = $number AND confirms = $confirms AND ${unprovenCondition}`,
      { number, confirms, serviceTime, at },
    )
  })

/** The create gave no id within its deadline. */
export const recordLost = ({ write }: Write, { number }: Pick<Entry, 'number'>, at: number): Promise<void> =>
  write(async (access) => {
    await lockOrder(access, number)
    await moveOrder(access, number, 'not-created', { at, reason: 'lost' })
  })

/** A `get` shows a different order under its id. */
export const recordStranger = ({ write }: Write, { number }: Pick<Entry, 'number'>, at: number) =>
  write(async (access) => {
    await lockOrder(access, number)
    await moveOrder(access, number, 'stranger', { at })
  })

/** Records nothing if the order has changed, or before the end of its confirms. */
export const recordDecision = (
  { write }: Write,
  { number, standing, confirms }: Entry,
  { isSpent, at, ...decision }: Decision,
  findEnd: (calls: readonly Call[], at: number) => number,
): Promise<
  { readonly kind: 'recorded' | 'changed' } | { readonly kind: 'in-flight'; readonly until: number }
> =>
  write(async (access) => {
    const locked = await readLocked(access, number)
    // The person has not seen a confirm that was begun meanwhile.
    if (locked?.standing !== standing || locked.confirms !== confirms) return { kind: 'changed' }
    const until = isSpent ? 0 : findEnd(await listCalls(access, number), at)
    if (at < until) return { kind: 'in-flight', until }
    await moveOrder(access, number, isSpent ? 'spent' : 'not-spent', { at, decision })
    const isMoved = (await getOrder(access, number))?.standing === (isSpent ? 'confirmed' : 'void')
    return { kind: isMoved ? 'recorded' : 'changed' }
  })

/** Records that reconcile has said that these decisions were wrong. */
export const recordReported = (
  { write }: Write,
  wrong: readonly { readonly entry: Entry }[],
): Promise<void> =>
  write(async ({ run }) => {
    const numbers = wrong.map(({ entry: { number } }) => number).join(', ')
    await run(`UPDATE orders SET decision = 'reported' WHERE number IN (${numbers}) AND decision = 'refuted'`)
  })

/** The caller has locked the order. */
export const recordUpdate = async (access: WriteAccess, entry: Entry, update: OrderUpdate) => {
  const { number } = entry
  const changes = findChanges(entry, update)
  const assignments = Object.keys(changes).map((name) => `${name} = $${name}`)
  await Promise.all([
    update.isPaid && moveOrder(access, number, 'confirmed', { at: update.at }),
    assignments.length > 0 &&
      access.run(`UPDATE orders SET ${assignments.join(', ')} WHERE number = $number`, {
        ...changes,
        number,
      }),
  ])
}

/** The columns that change, except the standing's. */
const findChanges = (entry: Entry, update: OrderUpdate): Values => {
  const facts = findFacts(entry, update)
  const changes: Record<string, Value> = {}
  if ((entry.serviceState ?? initialState) !== facts.serviceState || entry.result !== facts.result) {
    changes.service_state = facts.serviceState
    changes.result = facts.result ?? null
    changes.changed_at = update.at
  }
  if (isSeenAgain(entry, update.at)) changes.seen_at = update.at
  if (entry.referenceShown === 0) changes.reference_shown = 1
  const { createdDate, serverTime } = update
  if (isTime(createdDate) && createdDate < (entry.createdDate ?? Infinity)) changes.created_date = createdDate
  if (entry.createdAt === undefined && serverTime !== undefined) changes.created_at = serverTime
  for (const name of ['total', 'charged', 'counts', 'overcharged'] as const) {
    if (entry[name] !== facts[name]) changes[name] = facts[name] ?? null
  }
  return entry.products === facts.products ? changes : { ...changes, ...toProductColumns(facts.products) }
}

const isChange = (entry: Entry, update: OrderUpdate): boolean =>
  (update.isPaid && (entry.standing !== 'confirmed' || entry.decision === 'spent')) ||
  Object.keys(findChanges(entry, update)).length > 0

type Facts = Pick<Entry, 'result' | 'total' | 'charged' | 'counts' | 'overcharged' | 'products'> & {
  readonly serviceState: string
}

/** The columns as they are after the update. */
const findFacts = (entry: Entry, update: OrderUpdate): Facts => {
  const { charged, overcharged, products } = entry
  // A damaged total is read anew.
  const total = isAmount(entry.total) ? entry.total : (update.total ?? entry.total)
  const counts = entry.counts ?? findLargest(total, charged)
  const result = findResult(entry.result, update.state)
  const known = {
    serviceState: update.state,
    result,
    ...{ total, charged, counts, overcharged, products },
  }
  const isOutdated = entry.standing === 'confirmed' && !update.isPaid
  // An unfinished order has not delivered less than the finished one.
  const isTakenBack = entry.result !== undefined && findResult(undefined, update.state) !== result
  if (isOutdated || isTakenBack) return known
  const charge = findCharged({ total, charged }, update)
  const atLeast = findLargest(total, charge)
  const isMore = counts !== undefined && atLeast !== undefined && atLeast > counts
  const isInOtherCurrency = update.isInOtherCurrency === true && update.isPaid
  return {
    ...known,
    charged: charge,
    counts: isMore ? atLeast : counts,
    overcharged: (isMore && update.isPaid) || isInOtherCurrency ? 1 : overcharged,
    products: mergeProducts(products, update.products),
  }
}

const findCharged = (
  { total, charged }: Pick<Entry, 'total' | 'charged'>,
  update: OrderUpdate,
): string | undefined => {
  if (update.total === undefined || !update.isPaid) return charged
  return update.total === (charged ?? total ?? update.total) ? charged : update.total
}

/** The charge, if the response is the first to show that it is, or may be, more than was known. */
export const findOvercharge = (entry: Entry, update: OrderUpdate): string | undefined => {
  const { total, charged, counts, overcharged } = findFacts(entry, update)
  const isKnown = entry.overcharged === 1 && counts === entry.counts
  return overcharged !== 1 || isKnown ? undefined : (charged ?? total)
}

/** Undefined if no text is an amount. */
const findLargest = (...amounts: readonly (string | undefined)[]): bigint | undefined =>
  amounts
    .map((amount) => (amount === undefined ? undefined : toMillionths(amount)))
    .filter((amount) => amount !== undefined)
    .reduce<bigint | undefined>((one, other) => (one !== undefined && one > other ? one : other), undefined)

type Known = Pick<Entry, 'standing' | 'result' | 'changedAt' | 'seenAt'>

const staleMs = 3_600_000
/** An unchanged response is recorded only if the last record is older, because a watch reads every few seconds. */
const recordMs = 300_000

/** When the journal last recorded the state. */
export const findSeenTime = ({ changedAt, seenAt = changedAt }: Pick<Entry, 'changedAt' | 'seenAt'>) =>
  Math.max(changedAt, seenAt)

/** Whether the order may have changed since. */
export const isStale = (known: Known, now: number): boolean =>
  !isFinished(known) && now - findSeenTime(known) > staleMs

const isSeenAgain = (known: Known, at: number): boolean =>
  !isFinished(known) && at - findSeenTime(known) >= recordMs
