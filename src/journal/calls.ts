// What is written around a create or confirm: the intent before its first byte, the outcome after its answer.
import type { DatabaseSync } from 'node:sqlite'
import { foldReference } from '../contract/reference.ts'
import { pendingState } from '../contract/states.ts'
import type { Accounts } from './accounts.ts'
import { type Call, type Entry, isOpen, type Owner, ownStandings } from './entry.ts'
import type { Reading } from './reading.ts'
import type { Standing, Transaction } from './standing.ts'

export type Begun = { readonly kind: 'begun'; readonly order: number; readonly call: number }

export type CreateIntent = Owner & {
  /** The reference may be used again. */
  readonly allowDuplicate: boolean
  readonly reference: string
  readonly request: string
  readonly wallet: string
  readonly at: number
  readonly until: number
}

export type ConfirmIntent = Owner & {
  readonly allowDuplicate: boolean
  readonly orderId: string
  readonly reference: string
  readonly wallet: string
  readonly total: string
  /** The differences to the placed order that somebody accepted, as JSON. */
  readonly accepted?: string | undefined
  readonly at: number
  readonly until: number
}

export type ConfirmBegun =
  | Begun
  /** An earlier confirm of this order is open. */
  | { readonly kind: 'open'; readonly call: Call }
  /** The order is known to be confirmed. */
  | { readonly kind: 'confirmed'; readonly standing: string }
  /** Another order holds its reference, or may have been paid for. */
  | { readonly kind: 'taken'; readonly by: Entry }

type Answered = { readonly status?: number | undefined; readonly refusal?: string | undefined }

/** What an answer to create says about the order that it created. */
export type CreatedFacts = {
  readonly orderId: string
  readonly total?: string | undefined
  /** Both by the service's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

export type CreateEnd =
  | (CreatedFacts & { readonly outcome: 'done' })
  | (Answered & { readonly outcome: 'not-sent' | 'refused' | 'unknown' })
  /** The answer was not as documented, but it has an id. */
  | (Answered & CreatedFacts & { readonly outcome: 'unknown' })

export type ConfirmEnd = Answered & { readonly outcome: Exclude<Call['outcome'], 'sending'> }

/** How long a create without an answer keeps others from using its reference. */
const createUnderWayMs = 60_000

export const callsIn = (
  database: DatabaseSync,
  transaction: Transaction,
  { reading, accounts, standing }: { reading: Reading; accounts: Accounts; standing: Standing },
) => {
  const { setStanding, noteState } = standing

  const insertCall = (
    order: number,
    operation: Call['operation'],
    { at, until, accepted }: { at: number; until: number; accepted?: string | undefined },
  ): number =>
    Number(
      database
        .prepare(
          `INSERT INTO calls (order_number, operation, outcome, started_at, until, accepted)
           VALUES (?, ?, 'sending', ?, ?, ?)`,
        )
        .run(order, operation, at, until, accepted ?? null).lastInsertRowid,
    )

  const endCall = (call: number, outcome: Call['outcome'], at: number, answered: Answered): void =>
    void database
      .prepare('UPDATE calls SET outcome = ?, answered_at = ?, status = ?, refusal = ? WHERE number = ?')
      .run(outcome, at, answered.status ?? null, answered.refusal ?? null, call)

  const insertOrder = (
    intent: Owner & { readonly reference: string; readonly wallet: string; readonly at: number },
    more: { standing: string; duplicate?: boolean; request?: string; orderId?: string },
  ): number =>
    Number(
      database
        .prepare(
          `INSERT INTO orders (account, profile, origin, reference, reference_fold, duplicate, standing,
             request, order_id, wallet, placed_at, changed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          ...[accounts.numberOf(intent.account), intent.profile, intent.origin],
          ...[intent.reference, foldReference(intent.reference), more.duplicate === true ? 1 : 0],
          ...[more.standing, more.request ?? null, more.orderId ?? null],
          ...[intent.wallet, intent.at, intent.at],
        ).lastInsertRowid,
    )

  const setCreated = (order: number, { orderId, total, createdAt, expiresAt }: CreatedFacts): void =>
    void database
      .prepare('UPDATE orders SET order_id = ?, total = ?, created_at = ?, expires_at = ? WHERE number = ?')
      .run(orderId, total ?? null, createdAt, expiresAt, order)

  /** The create of somebody who may be waiting for its answer at this moment. */
  const createUnderWay = (intent: CreateIntent): Entry | undefined =>
    reading
      .withReference(intent.account, intent.reference)
      .filter(({ standing }) => standing === ownStandings.unanswered)
      .find(({ number }) =>
        reading.callsOf(number).some(
          ({ outcome, startedAt, until }) =>
            outcome === 'sending' &&
            // The time of an intent is older than its transaction, which may have waited for another process.
            startedAt < intent.at + createUnderWayMs &&
            intent.at < Math.min(until, startedAt + createUnderWayMs),
        ),
      )

  return {
    /** On return the intent is on disk; or the reference is taken. */
    beginCreate: (intent: CreateIntent): Begun | { kind: 'taken'; by: Entry } =>
      transaction(() => {
        const { account, reference, allowDuplicate } = intent
        const by = allowDuplicate
          ? undefined
          : (reading.holderOf(account, reference) ?? createUnderWay(intent))
        if (by !== undefined) return { kind: 'taken', by }
        const order = insertOrder(intent, {
          standing: ownStandings.unanswered,
          duplicate: allowDuplicate,
          request: intent.request,
        })
        return { kind: 'begun', order, call: insertCall(order, 'create', intent) }
      }),

    /** Older orders that have the id which the answer gave to this one. */
    endCreate: ({ order, call }: Begun, end: CreateEnd, at: number): Entry[] =>
      transaction(() => {
        endCall(call, end.outcome, at, end.outcome === 'done' ? {} : end)
        if (!('orderId' in end)) {
          const { refused, notSent } = ownStandings
          if (end.outcome !== 'unknown') setStanding(order, end.outcome === 'refused' ? refused : notSent, at)
          return []
        }
        setCreated(order, end)
        setStanding(order, pendingState, at)
        const account = accounts.idOf(reading.numbered(order)?.account ?? 0)
        return account === undefined
          ? []
          : reading.withId(account, end.orderId).filter(({ number }) => number !== order)
      }),

    /** On return the intent is on disk; or the order must not be confirmed, and why. */
    beginConfirm: (intent: ConfirmIntent): ConfirmBegun =>
      transaction(() => {
        const { account, orderId, total, at, allowDuplicate } = intent
        const all = reading.withId(account, orderId)
        const open = all.flatMap(({ number }) => reading.callsOf(number)).find(isConfirmOpen)
        if (open !== undefined) return { kind: 'open', call: open }
        const [known] = all
        if (known?.confirmedAt !== undefined) return { kind: 'confirmed', standing: known.standing }
        const by =
          allowDuplicate || known?.duplicate === 1
            ? undefined
            : reading.rivalOf(account, known?.reference ?? intent.reference, known?.number)
        if (by !== undefined) return { kind: 'taken', by }
        const order = known?.number ?? insertOrder(intent, { standing: pendingState, orderId })
        database
          .prepare('UPDATE orders SET total = coalesce(total, ?), unconfirmed_at = NULL WHERE number = ?')
          .run(total, order)
        setStanding(order, ownStandings.unknown, at)
        return { kind: 'begun', order, call: insertCall(order, 'confirm', intent) }
      }),

    endConfirm: ({ order, call }: Begun, end: ConfirmEnd, at: number): void =>
      transaction(() => {
        endCall(call, end.outcome, at, end)
        if (end.outcome === 'unknown') return
        const entry = reading.numbered(order)
        if (end.outcome === 'done' && entry !== undefined) noteState(entry, { state: 'confirmed', at })
        else setStanding(order, reading.stateBefore(order) ?? pendingState, at)
      }),

    /** The sandbox is reset: its orders do not exist any more. */
    forget: (account: Owner['account']): void =>
      transaction(() => {
        const number = accounts.numberOf(account)
        for (const table of ['calls', 'states']) {
          database
            .prepare(
              `DELETE FROM ${table} WHERE order_number IN (SELECT number FROM orders WHERE account = ?)`,
            )
            .run(number)
        }
        database.prepare('DELETE FROM orders WHERE account = ?').run(number)
      }),
  }
}

const isConfirmOpen = (call: Call): boolean => call.operation === 'confirm' && isOpen(call)
