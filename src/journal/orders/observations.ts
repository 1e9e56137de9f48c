// Records what responses of the service say about an order, proof about its confirms, and a person's decision. Several
// processes may write at once.

import { toMillionths } from '../../contract/money/millionths.ts'
import { mergeProducts } from '../../contract/ordered-products.ts'
import type { Run } from '../access.ts'
import { inOrder, type Statements, type Value, type Values } from '../database/database.ts'
import { isAmount, isTime } from '../tables/table.ts'
import { type Call, type Entry, isUnproven } from './entry.ts'
import { toProductColumns } from './products.ts'
import { getOrder, listCalls, lockOrder } from './queries.ts'
import { findResult, initialState, isFinished, moveOrder, unprovenCondition } from './standings.ts'

/** What a response that shows the order says about it. */
export type OrderUpdate = {
  /** The word of the service. */
  readonly state: string
  /** It proves that the order is paid. */
  readonly isPaid: boolean
  /** The `createdDate` of the order, and the `Date` of the response. Both by the service's clock. */
  readonly createdDate?: number
  readonly serverTime?: number | undefined
  /** The total of its invoice. */
  readonly total?: string | undefined
  /** The invoice is not in the currency of the order, so what was charged is unknown. The total of the order counts. */
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

/** Records what is learnt about an order after its calls. */
export type Findings = {
  /** What a response says. Returns the order if anything changed. `read`: the entry, if the caller has just read it. */
  readonly recordOrder: (order: number, update: OrderUpdate, read?: Entry) => Promise<Entry | undefined>
  /** The proof that the unproven confirms of an expired order spent nothing. */
  readonly recordExpiry: (entry: Entry, unproven: readonly Call[], at: number) => Promise<void>
  /** The first half of that proof: the order was not confirmed after its expiry. */
  readonly recordUnconfirmed: (
    entry: Pick<Entry, 'number' | 'confirms'>,
    serviceTime: number,
    at: number,
  ) => Promise<void>
  /** The create gave no id within its deadline. */
  readonly recordLost: (entry: Pick<Entry, 'number'>, at: number) => Promise<void>
  /** A `get` shows a different order under its id. */
  readonly recordStranger: (entry: Pick<Entry, 'number'>, at: number) => Promise<void>
  /** A person's decision about an unproven confirm. Returns false, and records nothing, if the order has changed. */
  readonly recordDecision: (entry: Entry, decision: Decision) => Promise<boolean>
}

export const createObservations = (read: Run, write: Run): Findings => ({
  recordOrder: async (order, update, entry) => {
    const known = entry ?? (await read(({ statements }) => getOrder(statements, order)))
    // Most responses change nothing, so they take no write lock.
    if (known === undefined || !isChange(known, update)) return undefined
    return write(async ({ statements }) => {
      const locked = await lockOrder(statements, order)
      if (locked === undefined) return undefined
      const { changed } = await inOrder({
        updated: recordUpdate(statements, locked, update),
        changed: getOrder(statements, order),
      })
      return changed
    })
  },

  recordExpiry: ({ number, standing, confirms }, unproven, at) =>
    write(async ({ statements }) => {
      const { locked, calls } = await inOrder({
        locked: lockOrder(statements, number),
        calls: listCalls(statements, number),
      })
      const known = new Set(unproven.map((call) => call.number))
      const now = new Set(calls.filter(isUnproven).map((call) => call.number))
      const isSame = locked?.standing === standing && locked.confirms === confirms
      // The proof is for these confirms only.
      if (isSame && now.symmetricDifference(known).size === 0)
        await moveOrder(statements, number, 'expired', { at })
    }),

  recordUnconfirmed: ({ number, confirms }, serviceTime, at) =>
    write(async ({ statements: { run } }) => {
      await run(
        `UPDATE orders SET unconfirmed_at = $serviceTime, unconfirmed_here = $at
         WHERE number = $number AND confirms = $confirms AND ${unprovenCondition}`,
        { number, confirms, serviceTime, at },
      )
    }),

  recordLost: ({ number }, at) =>
    write(async ({ statements }) => {
      await lockOrder(statements, number)
      await moveOrder(statements, number, 'not-created', { at, reason: 'lost' })
    }),

  recordStranger: ({ number }, at) =>
    write(async ({ statements }) => {
      await lockOrder(statements, number)
      await moveOrder(statements, number, 'stranger', { at })
    }),

  recordDecision: (entry, { isSpent, at, ...decision }) =>
    write(async ({ statements }) => {
      const { number } = entry
      const locked = await lockOrder(statements, number)
      // The person has not seen a confirm that was begun meanwhile.
      if (locked?.standing !== entry.standing || locked.confirms !== entry.confirms) return false
      await moveOrder(statements, number, isSpent ? 'confirmed' : 'not-spent', { at, decision })
      return (await getOrder(statements, number))?.standing === (isSpent ? 'confirmed' : 'void')
    }),
})

/** The caller has locked the order. */
export const recordUpdate = async (statements: Statements, entry: Entry, update: OrderUpdate) => {
  const { number } = entry
  const changes = findChanges(entry, update)
  const assignments = Object.keys(changes).map((name) => `${name} = $${name}`)
  await Promise.all([
    update.isPaid && moveOrder(statements, number, 'confirmed', { at: update.at }),
    assignments.length > 0 &&
      statements.run(`UPDATE orders SET ${assignments.join(', ')} WHERE number = $number`, {
        ...changes,
        number,
      }),
  ])
}

/** The columns that change, without those of the standing. */
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
  (update.isPaid && entry.standing !== 'confirmed') || Object.keys(findChanges(entry, update)).length > 0

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

/** What was charged, if the response is the first to show that it is, or may be, more than was known. */
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
/** A response that shows the same is recorded only if the last record is older: a watch reads every few seconds. */
const recordMs = 300_000

/** When the journal last learnt the state. */
export const findSeenTime = ({ changedAt, seenAt = changedAt }: Pick<Entry, 'changedAt' | 'seenAt'>) =>
  Math.max(changedAt, seenAt)

/** Whether the order may have changed since. */
export const isStale = (known: Known, now: number): boolean =>
  !isFinished(known) && now - findSeenTime(known) > staleMs

const isSeenAgain = (known: Known, at: number): boolean =>
  !isFinished(known) && at - findSeenTime(known) >= recordMs
