// What is written around a call that spends: its intent before the first byte, its outcome after the answer.
import type { DatabaseSync } from 'node:sqlite'
import { isPastPending, pendingState } from '../contract/states.ts'
import { type Call, type Entry, isOpen, type Owner, ownStandings } from './entry.ts'
import type { Reading } from './reading.ts'
import type { Standing, Transaction } from './standing.ts'

export type Begun = { readonly kind: 'begun'; readonly order: number; readonly call: number }

export type CreateIntent = Owner & {
  /** Its reference may stand twice. */
  readonly allowDuplicate: boolean
  readonly reference: string
  readonly request: string
  readonly wallet: string
  readonly at: number
  readonly until: number
}

export type ConfirmIntent = Owner & {
  readonly allowDuplicate: boolean
  /** The journal has one of that id, but it is another: the service was put back to an earlier day. */
  readonly isAnother: boolean
  readonly orderId: string
  readonly reference: string
  readonly wallet: string
  readonly total: string
  readonly at: number
  readonly until: number
}

export type ConfirmBegun =
  | Begun
  /** An earlier confirmation is open. */
  | { readonly kind: 'open'; readonly call: Call }
  /** It took effect since the order was looked at. */
  | { readonly kind: 'past'; readonly standing: string }
  /** Its reference was taken again since, by an order that is meant to be the only one. */
  | { readonly kind: 'superseded'; readonly by: Entry }

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

export const callsIn = (
  database: DatabaseSync,
  transaction: Transaction,
  reading: Reading,
  { stand, noteState, supersede }: Standing,
) => {
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

  /** An order that was created elsewhere. */
  const insertForeign = ({ profile, origin, reference, orderId, wallet, at }: ConfirmIntent): number =>
    Number(
      database
        .prepare(
          `INSERT INTO orders (profile, origin, reference, order_id, standing, wallet, placed_at, changed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(profile, origin, reference, orderId, pendingState, wallet, at, at).lastInsertRowid,
    )

  return {
    /** Intent and 'sending' are on disk when this returns; or somebody has the reference. */
    beginCreate: (intent: CreateIntent): Begun | { kind: 'taken'; by: Entry } =>
      transaction(() => {
        const { profile, origin, reference, request, wallet, at, allowDuplicate } = intent
        const by = allowDuplicate ? undefined : reading.holderOf(intent, reference)
        if (by !== undefined) return { kind: 'taken', by }
        const { lastInsertRowid } = database
          .prepare(
            `INSERT INTO orders
               (profile, origin, reference, duplicate, standing, request, wallet, placed_at, changed_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            ...[profile, origin, reference, allowDuplicate ? 1 : 0],
            ...[ownStandings.unknown, request, wallet, at, at],
          )
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
          const entry = reading.numbered(order)
          if (entry !== undefined) supersede(entry, orderId, order, at)
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

    /** As `beginCreate`; or why the order must not be confirmed now. */
    beginConfirm: (intent: ConfirmIntent): ConfirmBegun =>
      transaction(() => {
        const { orderId, total, at, isAnother, allowDuplicate } = intent
        const all = reading.withId(intent, orderId)
        const open = all.flatMap(({ number }) => reading.callsOf(number)).find(isOpen)
        if (open !== undefined) return { kind: 'open', call: open }
        const known = isAnother ? undefined : all[0]
        if (known !== undefined && isPastPending(known.standing)) {
          return { kind: 'past', standing: known.standing }
        }
        const by = known && !allowDuplicate ? reading.laterHolder(intent, known) : undefined
        if (by !== undefined) return { kind: 'superseded', by }
        const order = known?.number ?? insertForeign(intent)
        database.prepare('UPDATE orders SET total = ? WHERE number = ?').run(total, order)
        stand(order, ownStandings.unknown, at)
        return { kind: 'begun', order, call: insertCall(order, 'confirm', intent) }
      }),

    endConfirm: ({ order, call }: Begun, end: ConfirmEnd, at: number): void =>
      transaction(() => {
        endCall(call, end.outcome, at, end)
        if (end.outcome === 'unknown') return
        const entry = reading.numbered(order)
        if (end.outcome === 'done' && entry !== undefined) noteState(entry, { state: 'confirmed', at })
        else
          stand(
            order,
            end.refusal === 'expired' ? ownStandings.lapsed : (reading.stateBefore(order) ?? pendingState),
            at,
          )
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
