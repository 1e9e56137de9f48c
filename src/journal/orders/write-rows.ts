// Writes single rows of the tables orders and calls, inside the caller's transaction.
import { builtin } from '../../builtin.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { toMillionths } from '../../contract/money/millionths.ts'
import { foldReference } from '../../contract/order/reference.ts'
import { Failure } from '../../errors.ts'
import type { WriteAccess } from '../access.ts'
import type { Claim } from '../batches/batch.ts'
import { holdFor } from '../batches/claims.ts'
import { insertOrSkip, insertRow } from '../database/database.ts'
import { calls, orders } from '../tables/orders.ts'
import { isTime } from '../tables/table.ts'
import type { Call, Entry, Owner } from './entry.ts'
import { readRequestProducts, toProductColumns } from './products.ts'

export type ResponseFacts = { readonly status?: number | undefined; readonly refusal?: string | undefined }

/** The content of a response to create about its new order. */
export type CreatedFacts = {
  readonly orderId: string
  readonly total?: string | undefined
  /** The products with their shares of the invoice (see formatProducts). */
  readonly products?: string | undefined
  /** The `Date` of the response, and its `expiresAt`. */
  readonly createdAt?: number | undefined
  readonly expiresAt?: number | undefined
}

/**
 * Until the end of the transaction, no other process begins a create or confirm of this reference. A transaction of
 * SQLite locks the whole journal, so only PostgreSQL needs this row and its unique index.
 */
export const lockReference = async (
  { run, dialect }: WriteAccess,
  { address }: AccountId,
  reference: string,
): Promise<void> => {
  if (dialect.name === 'sqlite') return
  await run(
    `INSERT INTO reference_locks (address, reference_fold) VALUES ($address, $fold)
     ON CONFLICT (address, reference_fold) DO UPDATE SET reference_fold = excluded.reference_fold`,
    { address, fold: foldReference(reference) },
  )
}

type NewOrder = Pick<Owner, 'profile' | 'origin'> &
  Pick<Entry, 'standing' | 'request' | 'webhookHost' | 'orderId'> & {
    readonly reference: string
    readonly wallet: string
    readonly at: number
    readonly allowDuplicate: boolean
    readonly claim?: Claim | undefined
  }

/** Returns its number. Undefined if its slot has a live order already. `account` is the number of its account. */
export const insertOrder = (
  access: WriteAccess,
  account: number,
  order: NewOrder,
): Promise<number | undefined> => {
  const { profile, origin, reference, orderId, wallet, at, standing, request, webhookHost, claim } = order
  const { products, cards } = toProductColumns(readRequestProducts(request))
  const { assistant } = access.identify()
  const row = {
    ...{ account, profile, origin, reference, orderId, standing, request, wallet, products, cards },
    ...{ webhookHost, batch: claim?.batch, slot: claim?.slot, placedAt: at, changedAt: at },
    referenceFold: foldReference(reference),
    duplicate: order.allowDuplicate ? 1 : 0,
    // An order that was created elsewhere has the reference that a `get` showed.
    referenceShown: request === undefined ? 1 : 0,
    placedWith: assistant && ('mcp' as const),
    placedLimit: assistant?.maxTotal === undefined ? undefined : toMillionths(assistant.maxTotal),
  }
  return claim === undefined
    ? insertRow(access, orders, row)
    : insertOrSkip(access, orders, row, { held_until: holdFor(access.dialect, claim.holdMs.create) })
}

/** SQL: what an order counts as never falls. */
export const raisedCounts = 'CASE WHEN counts >= $counts THEN counts ELSE coalesce($counts, counts) END'

export const setCreated = (
  { run }: WriteAccess,
  order: number,
  { orderId, total, products, createdAt, expiresAt }: CreatedFacts,
): Promise<unknown> =>
  run(
    `UPDATE orders SET order_id = $orderId, total = $total, counts = ${raisedCounts}, products = coalesce($products, products),
       created_at = CAST($createdAt AS BIGINT), expires_at = CAST($expiresAt AS BIGINT)
     WHERE number = $order`,
    {
      ...{ order, orderId, total: total ?? null, products: products ?? null },
      ...{ createdAt: createdAt ?? null, expiresAt: isTime(expiresAt) ? expiresAt : null },
      counts: (total === undefined ? undefined : toMillionths(total)) ?? null,
    },
  )

type NewCall = {
  readonly profile: string
  readonly at: number
  readonly until: number
  readonly accepted?: string | undefined
}

/** Returns the number of the call, and its random id. `serviceState` is the order's. */
export const insertCall = async (
  access: WriteAccess,
  order: number,
  { profile, at, until, accepted }: NewCall,
  { operation, serviceState }: Pick<Call, 'operation' | 'serviceState'>,
): Promise<{ call: number; id: string }> => {
  const id = builtin.crypto().randomUUID()
  const call = await insertRow(access, calls, {
    ...{ id, orderNumber: order, operation, outcome: 'sending', startedAt: at, until, accepted },
    ...{ profileName: profile, serviceState },
  })
  return { call, id }
}

export const endCall = async (
  { run }: WriteAccess,
  call: number,
  outcome: Call['outcome'],
  at: number,
  { status, refusal }: ResponseFacts,
): Promise<void> => {
  const ended = await run(
    `UPDATE calls SET outcome = $outcome, responded_at = $at, status = $status, refusal = $refusal
     WHERE number = $call`,
    { call, outcome, at, status: status ?? null, refusal: refusal ?? null },
  )
  if (ended === 0)
    throw new Failure('local-state', 'the journal lost the call while it was in progress', {
      fix: (suggest) => suggest`reconcile`,
      advice: 'The journal was probably restored from a backup. Check its orders.',
    })
}
