// Changes the state of an order: by an answer, by proof, or by a person. Several processes may write at once.
import type { DatabaseSync } from 'node:sqlite'
import { hasReached, hasRedeemData, isFinal, isPastPending } from '../contract/states.ts'
import { type Call, type Entry, isUnproven, journalOnlyStates, type Settlement } from './entry.ts'
import type { Queries } from './queries.ts'

export type RunTransaction = <Result>(work: () => Result) => Result

/** What an answer says about an order. */
export type OrderUpdate = { readonly state: string; readonly total?: string; readonly at: number }

/** A person's decision about a confirm whose outcome cannot be proven. */
export type Decision = {
  readonly isSpent: boolean
  readonly by: string
  readonly reason: string
  readonly at: number
  readonly state: string
}

export type StateChanges = ReturnType<typeof createStateChanges>

const createStateWriter = (database: DatabaseSync) => ({
  /** Does nothing if the order is known to be confirmed. */
  setState: (order: number, state: string, at: number): void =>
    void database
      .prepare(
        `UPDATE orders SET standing = $state, changed_at = $at
         WHERE number = $order AND confirmed_at IS NULL`,
      )
      .run({ order, state, at }),

  setConfirmed: (order: number, state: string, at: number): void =>
    void database
      .prepare(
        `UPDATE orders SET standing = $state, changed_at = $at, confirmed_at = coalesce(confirmed_at, $at)
         WHERE number = $order`,
      )
      .run({ order, state, at }),

  settleOpenCalls: (
    order: number,
    settled: Settlement,
    at: number,
    { by, reason }: { by?: string; reason?: string } = {},
  ): void =>
    void database
      .prepare(
        `UPDATE calls SET settled = ?, settled_at = ?, settled_by = ?, reason = ?
         WHERE order_number = ? AND outcome IN ('sending', 'unknown', 'refused') AND settled IS NULL`,
      )
      .run(settled, at, by ?? null, reason ?? null, order),
})

export const createStateChanges = (
  database: DatabaseSync,
  runTransaction: RunTransaction,
  queries: Queries,
) => {
  const { setState, setConfirmed, settleOpenCalls } = createStateWriter(database)

  const listUnproven = (order: number): Call[] => queries.listCalls(order).filter(isUnproven)

  const recordConfirmed = (entry: Entry, { state, at }: OrderUpdate): void => {
    settleOpenCalls(entry.number, 'took-effect', at)
    if (entry.confirmedAt === undefined || canFollow(entry.state, state))
      setConfirmed(entry.number, state, at)
  }

  const recordState = (entry: Entry, update: OrderUpdate): void => {
    const { number, confirmedAt } = entry
    const { state, at } = update
    if (entry.state === state) return
    database.prepare('INSERT OR IGNORE INTO states VALUES (?, ?, ?)').run(number, state, at)
    if (isPastPending(state)) {
      recordConfirmed(entry, update)
      return
    }
    if (confirmedAt !== undefined || entry.state === journalOnlyStates.expired) return
    // An unproven confirm stays visible until it is settled.
    if (listUnproven(number).some(({ outcome }) => outcome !== 'refused')) return
    setState(number, state, at)
  }

  /** Returns the entry before the change; undefined if nothing changed. */
  const recordOrder = (order: number, update: OrderUpdate): Entry | undefined => {
    const known = queries.getOrder(order)
    // Most answers change nothing, so they take no write lock.
    if (known === undefined || !isChange(known, update)) return undefined
    return runTransaction(() => {
      const entry = queries.getOrder(order)
      if (entry === undefined) return undefined
      database
        .prepare('UPDATE orders SET total = coalesce(total, ?) WHERE number = ?')
        .run(update.total ?? null, order)
      recordState(entry, update)
      return entry
    })
  }

  /** Whether the order and its unproven confirms are the same as when the proof was found. */
  const isUnchanged = ({ number, state }: Entry, unproven: readonly Call[]): boolean => {
    const now = listUnproven(number).map((call) => call.number)
    return (
      queries.getOrder(number)?.state === state &&
      now.length === unproven.length &&
      unproven.every((call) => now.includes(call.number))
    )
  }

  /** Call it only with proof that the order was not confirmed and cannot be confirmed any more. */
  const recordExpiry = (entry: Entry, unproven: readonly Call[], at: number): void =>
    runTransaction(() => {
      if (!isUnchanged(entry, unproven)) return
      settleOpenCalls(entry.number, 'expired', at)
      setState(entry.number, journalOnlyStates.expired, at)
    })

  /** The first half of the proof: a `get` later than the expiry showed the order unconfirmed. */
  const recordUnconfirmed = (order: number, serviceTime: number): void =>
    void database
      .prepare('UPDATE orders SET unconfirmed_at = ? WHERE number = ? AND confirmed_at IS NULL')
      .run(serviceTime, order)

  const recordDecision = ({ number }: Entry, { isSpent, by, reason, at, state }: Decision): void =>
    runTransaction(() => {
      settleOpenCalls(number, isSpent ? 'took-effect' : 'no-effect', at, { by, reason })
      if (isSpent) setConfirmed(number, state, at)
      else setState(number, state, at)
    })

  return { setState, recordState, recordOrder, recordExpiry, recordUnconfirmed, recordDecision }
}

const isChange = ({ state, total }: Entry, update: OrderUpdate): boolean =>
  state !== update.state || (total === undefined && update.total !== undefined)

/** Whether a confirmed order may go from one state to the other. */
const canFollow = (from: string, to: string): boolean => {
  if (hasReached(from, to)) return false
  // The service may deliver an order that had failed, and the journal must not hide that.
  return !isFinal(from) || (hasRedeemData(to) && from !== 'successful')
}
