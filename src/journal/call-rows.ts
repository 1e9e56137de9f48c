// Writes single rows of the tables orders and calls, inside the caller's transaction.

import type { AccountId } from '../contract/account-id.ts'
import { foldReference } from '../contract/reference.ts'
import { Failure } from '../errors.ts'
import type { Identity } from './actors/actors.ts'
import type { Claim } from './batches/batch.ts'
import type { Statements } from './database/database.ts'
import type { Call, Owner } from './entry.ts'
import { readRequestProducts, toProductColumns } from './products.ts'

export type ResponseFacts = { readonly status?: number | undefined; readonly refusal?: string | undefined }

/** What a response to create says about the order that it created. */
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

type NewCall = {
  readonly profile: string
  readonly at: number
  readonly until: number
  readonly accepted?: string | undefined
}

export type RowWriter = {
  /**
   * Until the end of the transaction, no other process begins a create or confirm of this reference. A transaction of
   * SQLite locks the whole journal, so only PostgreSQL needs this row and its unique index.
   */
  readonly lockReference: (account: AccountId, reference: string) => Promise<void>
  /** Returns the number of the order. */
  readonly insertOrder: (
    order: NewOrder,
    more: {
      readonly standing: 'creating' | 'pending'
      readonly duplicate?: boolean
      readonly request?: string
      readonly orderId?: string
      readonly claim?: Claim | undefined
    },
  ) => Promise<number>
  readonly setCreated: (order: number, facts: CreatedFacts) => Promise<void>
  /** Returns the number of the call, and its random id. */
  readonly insertCall: (
    order: number,
    operation: Call['operation'],
    call: NewCall,
  ) => Promise<{ call: number; id: string }>
  readonly endCall: (
    call: number,
    outcome: Call['outcome'],
    at: number,
    facts: ResponseFacts,
  ) => Promise<void>
}

type Writer = { readonly actor: number | undefined; readonly identify: () => Identity }

export const createRowWriter = (
  { run, all, dialect }: Statements,
  { actor, identify }: Writer,
): RowWriter => ({
  lockReference: async ({ address }, reference) => {
    if (dialect.name === 'sqlite') return
    await run(
      `INSERT INTO reference_locks (address, reference_fold) VALUES ($address, $fold)
       ON CONFLICT (address, reference_fold) DO UPDATE SET reference_fold = excluded.reference_fold`,
      { address, fold: foldReference(reference) },
    )
  },

  insertCall: async (order, operation, { profile, at, until, accepted }) => {
    const id = crypto.randomUUID()
    const [added] = await all(
      `INSERT INTO calls (id, order_number, operation, outcome, started_at, until, accepted, actor, profile_name,
         service_state)
       VALUES ($id, $order, $operation, 'sending', $at, $until, $accepted, $actor, $profile,
         (SELECT service_state FROM orders WHERE number = $order)) RETURNING number`,
      { id, order, operation, at, until, accepted: accepted ?? null, actor: actor ?? null, profile },
    )
    return { call: Number(added?.number), id }
  },

  endCall: async (call, outcome, at, { status, refusal }) => {
    const ended = await run(
      `UPDATE calls SET outcome = $outcome, responded_at = $at, status = $status, refusal = $refusal
       WHERE number = $call`,
      { call, outcome, at, status: status ?? null, refusal: refusal ?? null },
    )
    if (ended === 0)
      throw new Failure('local-state', 'the journal lost the call while it was under way', {
        fix: (suggest) => `It was probably restored from a backup. Check its orders: ${suggest`reconcile`}`,
      })
  },

  insertOrder: async ({ account, profile, origin, reference, wallet, at }, more) => {
    const { products, cards } = toProductColumns(readRequestProducts(more.request))
    const [added] = await all(
      `INSERT INTO orders (account, profile, origin, reference, reference_fold, duplicate, standing,
         request, order_id, wallet, placed_at, changed_at, batch, slot, actor, placed_with, products, cards)
       VALUES ($account, $profile, $origin, $reference, $fold, $duplicate, $standing,
         $request, $orderId, $wallet, $at, $at, $batch, $slot, $actor, $placedWith, $products, $cards)
       RETURNING number`,
      {
        account,
        profile,
        origin,
        reference,
        fold: foldReference(reference),
        duplicate: more.duplicate === true ? 1 : 0,
        standing: more.standing,
        request: more.request ?? null,
        orderId: more.orderId ?? null,
        wallet,
        at,
        batch: more.claim?.batch ?? null,
        slot: more.claim?.slot ?? null,
        actor: actor ?? null,
        placedWith: identify().through ?? null,
        products,
        cards,
      },
    )
    return Number(added?.number)
  },

  setCreated: async (order, { orderId, total, products, createdAt, expiresAt }) =>
    void (await run(
      `UPDATE orders SET order_id = $orderId, total = $total, products = coalesce($products, products),
         created_at = $createdAt, expires_at = $expiresAt
       WHERE number = $order`,
      { order, orderId, total: total ?? null, products: products ?? null, createdAt, expiresAt },
    )),
})
