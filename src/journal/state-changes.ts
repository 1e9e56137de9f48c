// Changes the state of an order: by an answer, by proof, or by a person. Several processes may write at once.
import { type Call, type Entry, journalOnlyStates } from './entry.ts'
import { findDetails } from './order-details.ts'
import type { Queries } from './queries.ts'
import type { OrderUpdate } from './state-writer.ts'
import { isSeenAgain } from './states/staleness.ts'
import type { RunTransaction, Tables } from './tables.ts'

/** A person's decision about a confirm whose outcome cannot be proven. */
export type Decision = {
  readonly isSpent: boolean
  readonly by: string
  readonly reason: string
  readonly at: number
  readonly state: string
}

export const createStateChanges = (
  runTransaction: RunTransaction,
  { getOrder }: Pick<Queries, 'getOrder'>,
) => ({
  /**
   * Returns the entry before the change; undefined if nothing changed. `read`: the entry, if the caller has just read it.
   */
  recordOrder: async (order: number, update: OrderUpdate, read?: Entry): Promise<Entry | undefined> => {
    const known = read ?? (await getOrder(order))
    // Most answers change nothing, so they take no write lock.
    if (known === undefined || !isChange(known, update)) return undefined
    return runTransaction(async ({ queries, rows, states }) => {
      const entry = await queries.lockOrder(order)
      if (entry === undefined) return undefined
      const details = findDetails(entry, update)
      await Promise.all([
        details && rows.setDetails(order, details),
        states.recordUpdate(entry, update),
        isSeenAgain(entry, update.at) && rows.setSeen(order, update.at),
      ])
      return entry
    })
  },

  /** Call it only with proof that the order was not confirmed and cannot be confirmed any more. */
  recordExpiry: (entry: Entry, unproven: readonly Call[], at: number): Promise<void> =>
    runTransaction(async (tables) => {
      if (!(await isUnchanged(tables, entry, unproven))) return
      await Promise.all([
        tables.states.settleOpenCalls(entry.number, 'expired', at),
        tables.states.setState(entry.number, journalOnlyStates.expired, at),
        tables.states.releaseBudget(entry.number),
      ])
    }),

  /** The first half of the proof: a `get` later than the expiry showed the order unconfirmed. */
  recordUnconfirmed: (order: number, serviceTime: number): Promise<void> =>
    runTransaction(({ states }) => states.setUnconfirmed(order, serviceTime)),

  recordDecision: ({ number }: Entry, { isSpent, by, reason, at, state }: Decision): Promise<void> =>
    runTransaction(async ({ queries, states }) => {
      await queries.lockOrder(number)
      await states.settleOpenCalls(number, isSpent ? 'took-effect' : 'no-effect', at, { by, reason })
      if (isSpent) {
        await states.setConfirmed(number, state, at)
        return
      }
      await states.setState(number, state, at)
      await states.releaseBudget(number)
    }),
})

/** Whether the order and its unproven confirms are the same as when the proof was found. */
const isUnchanged = async (
  { queries, states }: Tables,
  { number, state }: Entry,
  unproven: readonly Call[],
): Promise<boolean> => {
  const [locked, calls] = await Promise.all([queries.lockOrder(number), states.listUnproven(number)])
  const now = calls.map((call) => call.number)
  return (
    locked?.state === state &&
    now.length === unproven.length &&
    unproven.every((call) => now.includes(call.number))
  )
}

const isChange = (entry: Entry, update: OrderUpdate): boolean =>
  entry.state !== update.state ||
  (entry.total === undefined && update.total !== undefined) ||
  isSeenAgain(entry, update.at) ||
  findDetails(entry, update) !== undefined
