// What is written around a call that spends: its intent before the first byte, its outcome after the answer.
import type { DatabaseSync } from 'node:sqlite'
import { hasReached, isFinal, isPastPending, pendingState } from '../contract/states.ts'
import { type Call, type Entry, isOpen, type Owner, ownStandings, type Settlement } from './entry.ts'
import type { Reading } from './reading.ts'

export type Begun = { readonly kind: 'begun'; readonly order: number; readonly call: number }

export type CreateIntent = Owner & {
  readonly reference: string
  readonly request: string
  readonly wallet: string
  readonly at: number
  readonly until: number
}

export type ConfirmIntent = Owner & {
  readonly orderId: string
  readonly reference: string
  readonly wallet: string
  readonly total: string
  readonly at: number
  readonly until: number
}

type Said = { readonly status?: number | undefined; readonly refusal?: string | undefined }

export type CreateEnd =
  | {
      readonly outcome: 'done'
      readonly orderId: string
      readonly total: string
      readonly expiresAt: number
    }
  | (Said & { readonly outcome: 'not-sent' | 'refused' })
  | (Said & { readonly outcome: 'unknown'; readonly orderId?: string | undefined })

export type ConfirmEnd = Said & { readonly outcome: Exclude<Call['outcome'], 'sending'> }

type Transaction = <Result>(work: () => Result) => Result

export const callsIn = (database: DatabaseSync, transaction: Transaction, reading: Reading) => {
  const insertCall = (
    order: number,
    operation: Call['operation'],
    { at, until }: { at: number; until: number },
  ): number =>
    Number(
      database
        .prepare(
          `INSERT INTO calls (order_number, operation, outcome, started_at, until)
           VALUES (?, ?, 'sending', ?, ?)`,
        )
        .run(order, operation, at, until).lastInsertRowid,
    )

  const endCall = (call: number, outcome: Call['outcome'], at: number, { status, refusal }: Said): void =>
    void database
      .prepare('UPDATE calls SET outcome = ?, answered_at = ?, status = ?, refusal = ? WHERE number = ?')
      .run(outcome, at, status ?? null, refusal ?? null, call)

  /** Another process may know more by now: what is past the confirmation never goes back before it. */
  const stand = (order: number, standing: string, at: number): void =>
    void database
      .prepare(
        `UPDATE orders SET standing = $standing, changed_at = $at
         WHERE number = $order AND (standing IN ('unknown', 'created', 'lapsed') OR $forward)`,
      )
      .run({ order, standing, at, forward: isPastPending(standing) ? 1 : 0 })

  const settleOpen = (order: number, settled: Settlement, at: number): void =>
    void database
      .prepare(
        `UPDATE calls SET settled = ?, settled_at = ?
         WHERE order_number = ? AND outcome IN ('sending', 'unknown') AND settled IS NULL`,
      )
      .run(settled, at, order)

  const see = (order: number, state: string, at: number): void =>
    void database.prepare('INSERT OR IGNORE INTO states VALUES (?, ?, ?)').run(order, state, at)

  /** The newest news wins, but no state goes back. */
  const noteState = (entry: Entry, state: string, at: number): void => {
    const { number, standing } = entry
    if (standing === state || isFinal(standing) || hasReached(standing, state)) return
    if (standing === ownStandings.lapsed && !isPastPending(state)) return
    const open = reading.callsOf(number).filter(isOpen)
    see(number, state, at)
    if (isPastPending(state)) settleOpen(number, 'took-effect', at)
    else if (open.some(({ operation }) => operation === 'confirm')) return
    else settleOpen(number, 'took-effect', at)
    stand(number, state, at)
  }

  return {
    /** Intent and 'sending' are on disk when this returns; or somebody has the reference. */
    beginCreate: (intent: CreateIntent, allowDuplicate: boolean): Begun | { kind: 'taken'; by: Entry } =>
      transaction(() => {
        const by = allowDuplicate ? undefined : reading.holderOf(intent, intent.reference)
        if (by !== undefined) return { kind: 'taken', by }
        const { profile, origin, reference, request, wallet, at } = intent
        const { lastInsertRowid } = database
          .prepare(
            `INSERT INTO orders (profile, origin, reference, standing, request, wallet, placed_at, changed_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(profile, origin, reference, ownStandings.unknown, request, wallet, at, at)
        const order = Number(lastInsertRowid)
        return { kind: 'begun', order, call: insertCall(order, 'create', intent) }
      }),

    endCreate: ({ order, call }: Begun, end: CreateEnd, at: number): void =>
      transaction(() => {
        if (end.outcome === 'done') {
          endCall(call, 'done', at, {})
          const { orderId, total, expiresAt } = end
          database
            .prepare('UPDATE orders SET order_id = ?, total = ?, expires_at = ? WHERE number = ?')
            .run(orderId, total, expiresAt, order)
          see(order, pendingState, at)
          stand(order, pendingState, at)
          return
        }
        endCall(call, end.outcome, at, end)
        if (end.outcome !== 'unknown') {
          stand(order, end.outcome === 'refused' ? ownStandings.refused : ownStandings.notSent, at)
        } else if (end.orderId !== undefined) {
          database.prepare('UPDATE orders SET order_id = ? WHERE number = ?').run(end.orderId, order)
        }
      }),

    /** As `beginCreate`; or an earlier confirmation is open, or took effect since the order was looked at. */
    beginConfirm: (
      intent: ConfirmIntent,
    ): Begun | { kind: 'open'; call: Call } | { kind: 'past'; standing: string } =>
      transaction(() => {
        const { profile, origin, orderId, reference, wallet, total, at } = intent
        const known = reading.find(intent, orderId)
        const open = known && reading.callsOf(known.number).find(isOpen)
        if (open !== undefined) return { kind: 'open', call: open }
        if (known !== undefined && isPastPending(known.standing)) {
          return { kind: 'past', standing: known.standing }
        }
        const order =
          known?.number ??
          Number(
            database
              .prepare(
                `INSERT INTO orders
                   (profile, origin, reference, order_id, standing, wallet, placed_at, changed_at)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
              )
              .run(profile, origin, reference, orderId, pendingState, wallet, at, at).lastInsertRowid,
          )
        database.prepare('UPDATE orders SET total = ? WHERE number = ?').run(total, order)
        stand(order, ownStandings.unknown, at)
        return { kind: 'begun', order, call: insertCall(order, 'confirm', intent) }
      }),

    endConfirm: ({ order, call }: Begun, end: ConfirmEnd, at: number): void =>
      transaction(() => {
        endCall(call, end.outcome, at, end)
        if (end.outcome === 'unknown') return
        const lapsed = end.refusal === 'expired' ? ownStandings.lapsed : pendingState
        const entry = reading.numbered(order)
        if (end.outcome === 'done' && entry !== undefined) noteState(entry, 'confirmed', at)
        else stand(order, lapsed, at)
      }),

    /** What a `get` said of an order; nothing where it was not placed from here. */
    noteState: (owner: Owner, orderId: string, state: string, at: number): void => {
      const entry = reading.find(owner, orderId)
      // Most looks find nothing new: they write nothing.
      if (entry === undefined || entry.standing === state) return
      transaction(() => {
        const fresh = reading.numbered(entry.number)
        if (fresh !== undefined) noteState(fresh, state, at)
      })
    },

    /** It is certain that nothing came of what is open, or that the time to confirm is over. */
    settle: ({ number }: Entry, settled: Exclude<Settlement, 'took-effect'>, at: number): void =>
      transaction(() => {
        settleOpen(number, settled, at)
        stand(number, settled === 'lapsed' ? ownStandings.lapsed : pendingState, at)
      }),

    /** The sandbox is put back to its first day: its orders are nobody's any more. */
    forget: ({ profile, origin }: Owner): void =>
      transaction(() => {
        for (const table of ['calls', 'states']) {
          database
            .prepare(
              `DELETE FROM ${table} WHERE order_number IN
                 (SELECT number FROM orders WHERE profile = ? AND origin = ?)`,
            )
            .run(profile, origin)
        }
        database.prepare('DELETE FROM orders WHERE profile = ? AND origin = ?').run(profile, origin)
      }),
  }
}
