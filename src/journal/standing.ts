// How an order's standing changes: by answers, by proof, and by a person. Several processes may write at once.
import type { DatabaseSync } from 'node:sqlite'
import { hasReached, hasRedeemData, isFinal, isPastPending } from '../contract/states.ts'
import { type Call, type Entry, isUnproven, ownStandings, type Settlement } from './entry.ts'
import type { Reading } from './reading.ts'

export type Transaction = <Result>(work: () => Result) => Result

/** What an answer says about an order. */
export type OrderUpdate = { readonly state: string; readonly total?: string; readonly at: number }

/** What a person decided about a confirm that cannot be proven. */
export type Decision = {
  readonly isSpent: boolean
  readonly by: string
  readonly reason: string
  readonly at: number
  readonly standsAs: string
}

export type Standing = ReturnType<typeof standingIn>

export const standingIn = (database: DatabaseSync, transaction: Transaction, reading: Reading) => {
  /** An order that is known to be confirmed never stands as unconfirmed again, whoever writes. */
  const setStanding = (order: number, standing: string, at: number): void =>
    void database
      .prepare(
        `UPDATE orders SET standing = $standing, changed_at = $at
         WHERE number = $order AND confirmed_at IS NULL`,
      )
      .run({ order, standing, at })

  const setConfirmed = (order: number, standing: string, at: number): void =>
    void database
      .prepare(
        `UPDATE orders SET standing = $standing, changed_at = $at, confirmed_at = coalesce(confirmed_at, $at)
         WHERE number = $order`,
      )
      .run({ order, standing, at })

  const settleCalls = (
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
      .run(settled, at, by ?? null, reason ?? null, order)

  const unprovenOf = (order: number): Call[] => reading.callsOf(order).filter(isUnproven)

  const noteConfirmed = ({ number, standing, confirmedAt }: Entry, { state, at }: OrderUpdate): void => {
    settleCalls(number, 'took-effect', at)
    if (confirmedAt !== undefined && !mayFollow(standing, state)) return
    setConfirmed(number, state, at)
  }

  const noteState = (entry: Entry, update: OrderUpdate): void => {
    const { number, standing, confirmedAt } = entry
    const { state, at } = update
    if (standing === state) return
    database.prepare('INSERT OR IGNORE INTO states VALUES (?, ?, ?)').run(number, state, at)
    if (isPastPending(state)) {
      noteConfirmed(entry, update)
      return
    }
    if (confirmedAt !== undefined || standing === ownStandings.expired) return
    // An unproven confirm stays visible until it is settled.
    if (unprovenOf(number).some(({ outcome }) => outcome !== 'refused')) return
    setStanding(number, state, at)
  }

  const isNew = ({ standing, total }: Entry, update: OrderUpdate): boolean =>
    standing !== update.state || (total === undefined && update.total !== undefined)

  /** The entry as it was before; undefined if nothing was written. */
  const noteOrder = (order: number, update: OrderUpdate): Entry | undefined => {
    const known = reading.numbered(order)
    // Most answers are no news. Those write nothing.
    if (known === undefined || !isNew(known, update)) return undefined
    return transaction(() => {
      const entry = reading.numbered(order)
      if (entry === undefined) return undefined
      database
        .prepare('UPDATE orders SET total = coalesce(total, ?) WHERE number = ?')
        .run(update.total ?? null, order)
      noteState(entry, update)
      return entry
    })
  }

  /** Whether it still stands as it did when the proof was found, with the same unproven confirms. */
  const isUnchanged = ({ number, standing }: Entry, unproven: readonly Call[]): boolean => {
    const now = unprovenOf(number).map((call) => call.number)
    return (
      reading.numbered(number)?.standing === standing &&
      now.length === unproven.length &&
      unproven.every((call) => now.includes(call.number))
    )
  }

  /** It is proven that the order was not confirmed, and cannot be any more. */
  const expire = (entry: Entry, unproven: readonly Call[], at: number): void =>
    transaction(() => {
      if (!isUnchanged(entry, unproven)) return
      settleCalls(entry.number, 'expired', at)
      setStanding(entry.number, ownStandings.expired, at)
    })

  /** The first half of the proof: a `get` later than the expiry showed the order unconfirmed. */
  const noteUnconfirmed = (order: number, serviceTime: number): void =>
    void database
      .prepare('UPDATE orders SET unconfirmed_at = ? WHERE number = ? AND confirmed_at IS NULL')
      .run(serviceTime, order)

  const decide = ({ number }: Entry, { isSpent, by, reason, at, standsAs }: Decision): void =>
    transaction(() => {
      settleCalls(number, isSpent ? 'took-effect' : 'no-effect', at, { by, reason })
      if (isSpent) setConfirmed(number, standsAs, at)
      else setStanding(number, standsAs, at)
    })

  return { setStanding, noteState, noteOrder, expire, noteUnconfirmed, decide }
}

/** Whether a confirmed order that stands as `standing` may be seen as `state` later. */
const mayFollow = (standing: string, state: string): boolean => {
  if (hasReached(standing, state)) return false
  // A line that failed may be delivered after all. That must not be hidden.
  return !isFinal(standing) || (hasRedeemData(state) && standing !== 'successful')
}
