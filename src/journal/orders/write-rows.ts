// Inserts orders and calls, inside the caller's transaction.
import { builtin } from '../../builtin.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { toMillionths } from '../../contract/money/decimal.ts'
import { foldReference } from '../../contract/order/reference.ts'
import type { WriteAccess } from '../access.ts'
import type { Claim } from '../batches/batch.ts'
import { holdFor } from '../batches/claims.ts'
import { insertOrSkip, insertRow } from '../database/database.ts'
import { calls, orders } from '../tables/orders.ts'
import type { Call, Entry, Owner } from './entry.ts'
import { readRequestProducts, toProductColumns } from './products.ts'

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

type NewCall = {
  readonly profile: string
  readonly at: number
  readonly until: number
  readonly accepted?: string | undefined
}

/** A call that is not in the journal yet, so it has no number. `serviceState` is the order's. */
export const newCall = (
  orderNumber: number,
  { profile: profileName, at: startedAt, until, accepted }: NewCall,
  { operation, serviceState }: Pick<Call, 'operation' | 'serviceState'>,
): Call => ({
  ...{ number: 0, id: builtin.crypto().randomUUID(), orderNumber, operation, outcome: 'sending' },
  ...{ startedAt, until, accepted, profileName, serviceState },
})

/** Returns its number. */
export const insertCall = (access: WriteAccess, { number: _, ...call }: Call): Promise<number> =>
  insertRow(access, calls, call)
