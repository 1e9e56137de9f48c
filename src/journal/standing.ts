// How an order stands, as news come in: from answers, and from time. Written by several processes, in any order.
import type { DatabaseSync } from 'node:sqlite'
import { hasReached, isFinal, isPastPending, states } from '../contract/states.ts'
import { type Call, type Entry, isOpen, type Owner, ownStandings, type Settlement } from './entry.ts'
import type { Reading } from './reading.ts'

export type Transaction = <Result>(work: () => Result) => Result

/** What an answer says of an order. */
export type News = { readonly state: string; readonly total?: string; readonly at: number }

export type Standing = ReturnType<typeof standingIn>

const past = Object.keys(states)
  .filter(isPastPending)
  .map((state) => `'${state}'`)
  .join(', ')

export const standingIn = (database: DatabaseSync, transaction: Transaction, reading: Reading) => {
  /** Another process may know more by now: what is past the confirmation never goes back before it. */
  const stand = (order: number, standing: string, at: number): void =>
    void database
      .prepare(
        `UPDATE orders SET standing = $standing, changed_at = $at
         WHERE number = $order AND (standing NOT IN (${past}) OR $isPast)`,
      )
      .run({ order, standing, at, isPast: isPastPending(standing) ? 1 : 0 })

  const settleOpen = (order: number, settled: Settlement, at: number): void =>
    void database
      .prepare(
        `UPDATE calls SET settled = ?, settled_at = ?
         WHERE order_number = ? AND outcome IN ('sending', 'unknown') AND settled IS NULL`,
      )
      .run(settled, at, order)

  const openCalls = (order: number): Call[] => reading.callsOf(order).filter(isOpen)

  /** No state goes back, and of one that nobody documented it is not known what it follows. */
  const noteState = ({ number, standing }: Entry, { state, at }: News): void => {
    if (standing === state || isFinal(standing) || hasReached(standing, state)) return
    if (standing === ownStandings.lapsed && !isPastPending(state)) return
    database.prepare('INSERT OR IGNORE INTO states VALUES (?, ?, ?)').run(number, state, at)
    const isConfirming = openCalls(number).some(({ operation }) => operation === 'confirm')
    if (isConfirming && !isPastPending(state)) return
    settleOpen(number, 'took-effect', at)
    stand(number, state, at)
  }

  const isNew = ({ standing, total }: Entry, news: News): boolean =>
    standing !== news.state || (total === undefined && news.total !== undefined)

  /** By its number, or the newest of that id; nothing where it was not ordered from here. */
  const noteOrder = (which: number | (Owner & { readonly orderId: string }), news: News): void => {
    const look = () =>
      typeof which === 'number' ? reading.numbered(which) : reading.find(which, which.orderId)
    const known = look()
    // Most looks find nothing new: they write nothing.
    if (known === undefined || !isNew(known, news)) return
    transaction(() => {
      const entry = look()
      if (entry === undefined) return
      database
        .prepare('UPDATE orders SET total = coalesce(total, ?) WHERE number = ?')
        .run(news.total ?? null, entry.number)
      noteState(entry, news)
    })
  }

  /** It is certain that nothing came of what is open; but not where something else has come since it was looked at. */
  const settle = (
    { number, standing }: Entry,
    open: Call | undefined,
    { settled, standsAs, at }: { settled: Exclude<Settlement, 'took-effect'>; standsAs: string; at: number },
  ): void =>
    transaction(() => {
      const now = openCalls(number).map((call) => call.number)
      const isSame = now.length === (open === undefined ? 0 : 1) && now[0] === open?.number
      if (!isSame || reading.numbered(number)?.standing !== standing) return
      settleOpen(number, settled, at)
      stand(number, standsAs, at)
    })

  /** Its id is another order's by now: it cannot be confirmed any more. */
  const supersede = (owner: Owner, orderId: string, by: number, at: number): void => {
    for (const { number } of reading.withId(owner, orderId)) {
      if (number === by || openCalls(number).some(({ operation }) => operation === 'confirm')) continue
      settleOpen(number, 'lapsed', at)
      stand(number, ownStandings.lapsed, at)
    }
  }

  return { stand, noteState, noteOrder, settle, supersede }
}
