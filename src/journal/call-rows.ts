// Writes single rows of the tables orders and calls, inside the caller's transaction.
import type { DatabaseSync } from 'node:sqlite'
import { foldReference } from '../contract/reference.ts'
import type { AccountTable } from './accounts.ts'
import type { Claim } from './batches/batch.ts'
import type { Call, Owner } from './entry.ts'

export type Answered = { readonly status?: number | undefined; readonly refusal?: string | undefined }

/** What an answer to create says about the order that it created. */
export type CreatedFacts = {
  readonly orderId: string
  readonly total?: string | undefined
  /** Both by the service's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

export const createRowWriter = (database: DatabaseSync, accounts: AccountTable) => ({
  insertCall: (
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
    ),

  endCall: (call: number, outcome: Call['outcome'], at: number, answered: Answered): void =>
    void database
      .prepare('UPDATE calls SET outcome = ?, answered_at = ?, status = ?, refusal = ? WHERE number = ?')
      .run(outcome, at, answered.status ?? null, answered.refusal ?? null, call),

  insertOrder: (
    intent: Owner & { readonly reference: string; readonly wallet: string; readonly at: number },
    more: {
      state: string
      duplicate?: boolean
      request?: string
      orderId?: string
      claim?: Claim | undefined
    },
  ): number =>
    Number(
      database
        .prepare(
          `INSERT INTO orders (account, profile, origin, reference, reference_fold, duplicate, standing,
             request, order_id, wallet, placed_at, changed_at, batch, slot)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
          ...[accounts.getOrAddNumber(intent.account), intent.profile, intent.origin],
          ...[intent.reference, foldReference(intent.reference), more.duplicate === true ? 1 : 0],
          ...[more.state, more.request ?? null, more.orderId ?? null],
          ...[intent.wallet, intent.at, intent.at],
          ...[more.claim?.batch ?? null, more.claim?.slot ?? null],
        ).lastInsertRowid,
    ),

  setCreated: (order: number, { orderId, total, createdAt, expiresAt }: CreatedFacts): void =>
    void database
      .prepare('UPDATE orders SET order_id = ?, total = ?, created_at = ?, expires_at = ? WHERE number = ?')
      .run(orderId, total ?? null, createdAt, expiresAt, order),

  /** A new confirm makes an earlier proof that the order was unconfirmed worthless. */
  prepareConfirm: (order: number, total: string): void =>
    void database
      .prepare('UPDATE orders SET total = coalesce(total, ?), unconfirmed_at = NULL WHERE number = ?')
      .run(total, order),

  deleteOrdersOf: (account: number): void => {
    for (const table of ['calls', 'states']) {
      database
        .prepare(`DELETE FROM ${table} WHERE order_number IN (SELECT number FROM orders WHERE account = ?)`)
        .run(account)
    }
    database.prepare('DELETE FROM orders WHERE account = ?').run(account)
    for (const table of ['batch_cards', 'batch_rows']) {
      database
        .prepare(`DELETE FROM ${table} WHERE batch IN (SELECT number FROM batches WHERE account = ?)`)
        .run(account)
    }
    database.prepare('DELETE FROM batches WHERE account = ?').run(account)
  },
})
