// Writes single rows of the tables orders and calls, inside the caller's transaction.
import type { AccountId } from '../contract/account-id.ts'
import { foldReference } from '../contract/reference.ts'
import type { Claim } from './batches/batch.ts'
import type { Statements } from './database/database.ts'
import type { Call, Owner } from './entry.ts'
import type { OrderDetails } from './order-details.ts'
import { readRequestProducts, toProductColumns } from './product-columns.ts'

export type Answered = { readonly status?: number | undefined; readonly refusal?: string | undefined }

/** What an answer to create says about the order that it created. */
export type CreatedFacts = {
  readonly orderId: string
  readonly total?: string | undefined
  /** The products with their shares of the invoice (see formatProducts). */
  readonly products?: string | undefined
  /** Both by the service's clock. */
  readonly createdAt: number
  readonly expiresAt: number
}

type NewOrder = Pick<Owner, 'profile' | 'origin'> & {
  /** Its number. */
  readonly account: number
  readonly reference: string
  readonly wallet: string
  readonly at: number
}

type Reservation = {
  readonly total: string
  readonly wallet: string
  readonly accepted?: string | undefined
  /** When the budgets were checked, by the clock of the database. Default: now. */
  readonly reservedAt: number | undefined
}

export const createRowWriter = ({ run, all, dialect }: Statements, actor: number | undefined) => ({
  /**
   * Until the end of the transaction, no other process begins a create or confirm of this reference. A transaction of
   * SQLite locks the whole journal, so only PostgreSQL needs this row and its unique index.
   */
  lockReference: async ({ address }: AccountId, reference: string): Promise<void> => {
    if (dialect.name === 'sqlite') return
    await run(
      `INSERT INTO reference_locks (address, reference_fold) VALUES ($address, $fold)
       ON CONFLICT (address, reference_fold) DO UPDATE SET reference_fold = excluded.reference_fold`,
      { address, fold: foldReference(reference) },
    )
  },

  insertCall: async (
    order: number,
    operation: Call['operation'],
    {
      profile,
      at,
      until,
      accepted,
    }: { profile: string; at: number; until: number; accepted?: string | undefined },
  ): Promise<number> => {
    const [added] = await all(
      `INSERT INTO calls (order_number, operation, outcome, started_at, until, accepted, actor,
         profile_name)
       VALUES ($order, $operation, 'sending', $at, $until, $accepted, $actor, $profile) RETURNING number`,
      { order, operation, at, until, accepted: accepted ?? null, actor: actor ?? null, profile },
    )
    return Number(added?.number)
  },

  endCall: async (
    call: number,
    outcome: Call['outcome'],
    at: number,
    { status, refusal }: Answered,
  ): Promise<void> =>
    void (await run(
      `UPDATE calls SET outcome = $outcome, answered_at = $at, status = $status, refusal = $refusal
       WHERE number = $call`,
      { call, outcome, at, status: status ?? null, refusal: refusal ?? null },
    )),

  insertOrder: async (
    { account, profile, origin, reference, wallet, at }: NewOrder,
    more: {
      state: string
      duplicate?: boolean
      request?: string
      orderId?: string
      claim?: Claim | undefined
    },
  ): Promise<number> => {
    const { products, cards } = toProductColumns(readRequestProducts(more.request))
    const [added] = await all(
      `INSERT INTO orders (account, profile, origin, reference, reference_fold, duplicate, standing,
         request, order_id, wallet, placed_at, changed_at, batch, slot, actor, products, cards)
       VALUES ($account, $profile, $origin, $reference, $fold, $duplicate, $state,
         $request, $orderId, $wallet, $at, $at, $batch, $slot, $actor, $products, $cards)
       RETURNING number`,
      {
        ...{ account, profile, origin, reference },
        ...{ fold: foldReference(reference), duplicate: more.duplicate === true ? 1 : 0, state: more.state },
        ...{ request: more.request ?? null, orderId: more.orderId ?? null, wallet, at },
        ...{ batch: more.claim?.batch ?? null, slot: more.claim?.slot ?? null, actor: actor ?? null },
        ...{ products, cards },
      },
    )
    return Number(added?.number)
  },

  setCreated: async (
    order: number,
    { orderId, total, products, createdAt, expiresAt }: CreatedFacts,
  ): Promise<void> =>
    void (await run(
      `UPDATE orders SET order_id = $orderId, total = $total, products = coalesce($products, products),
         created_at = $createdAt, expires_at = $expiresAt
       WHERE number = $order`,
      { order, orderId, total: total ?? null, products: products ?? null, createdAt, expiresAt },
    )),

  setSeen: async (order: number, at: number): Promise<void> =>
    void (await run('UPDATE orders SET seen_at = $at WHERE number = $order', { order, at })),

  setDetails: async (order: number, details: OrderDetails): Promise<void> =>
    void (await run(
      `UPDATE orders SET products = $products, cards = $cards, delivered = $delivered, charged = $charged
       WHERE number = $order`,
      { order, ...details },
    )),

  /**
   * A new confirm makes an earlier proof that the order was unconfirmed worthless. From now on, the order counts against
   * the budgets: with the total and the wallet that the user accepted, if they differ from those of the placed order.
   */
  prepareConfirm: async (
    order: number,
    { total, wallet, accepted, reservedAt }: Reservation,
  ): Promise<void> =>
    void (await run(
      `UPDATE orders SET
         total = CASE WHEN $isAccepted = 1 THEN $total ELSE coalesce(total, $total) END,
         wallet = CASE WHEN $isAccepted = 1 THEN $wallet ELSE coalesce(wallet, $wallet) END,
         reserved_at = coalesce(CAST($reservedAt AS BIGINT), ${dialect.now}), unconfirmed_at = NULL
       WHERE number = $order`,
      { order, total, wallet, isAccepted: accepted === undefined ? 0 : 1, reservedAt: reservedAt ?? null },
    )),
})
