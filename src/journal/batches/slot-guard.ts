// Ensures that a slot of a batch is bought at most once, and that a batch does not exceed its cap. Each check runs in
// the transaction that records the intent to send.
import { inOrder, type Statements } from '../database/database.ts'
import { addCommitted, type Committed, sumCommitted } from '../limits/committed.ts'
import type { Entry } from '../orders/entry.ts'
import { readRequestLines } from '../orders/products.ts'
import { isCreating, selectEntries } from '../orders/queries.ts'
import { committedCondition, isHolding, spentCondition } from '../orders/standings.ts'
import { type Claim, formatLines, type SlotLine } from './batch.ts'

/** Why an order of a batch must not be created or confirmed. */
export type SlotRefusal =
  /** Another order of the slot is confirmed, or may still be confirmed. */
  | { readonly kind: 'slot-taken'; readonly by: Entry }
  | { readonly kind: 'cancelled' }
  /** The slot now wants other products. */
  | { readonly kind: 'changed' }
  /** The lease of the slot has expired, or another worker has it. */
  | { readonly kind: 'lost' }

/** `maxTotal` is the cap. Undefined if nobody has consented to one. */
type LockedBatch = { readonly name: string; readonly maxTotal: string | undefined }

/** Newest first. */
export const listSlotOrders = (statements: Statements, batch: number, slot: number): Promise<Entry[]> =>
  selectEntries(statements, { where: 'batch = $batch AND slot = $slot', values: { batch, slot } })

/** The first of the orders that is, or may become, the purchase of its slot. */
const findLiveOf = async (
  statements: Statements,
  orders: readonly Entry[],
  at: number,
): Promise<Entry | undefined> => {
  const holding = orders.find(isHolding)
  if (holding !== undefined) return holding
  for (const order of orders) if (await isCreating(statements, order, at)) return order
  return undefined
}

/** An order that is, or may become, the purchase of the slot. */
export const findLive = async (
  statements: Statements,
  { batch, slot }: Pick<Claim, 'batch' | 'slot'>,
  at: number,
): Promise<Entry | undefined> => findLiveOf(statements, await listSlotOrders(statements, batch, slot), at)

/** Another order that is the purchase of the slot, or that was created later and may become it. */
const findRival = async (
  statements: Statements,
  { batch, slot, number }: SlotOrder,
  at: number,
): Promise<Entry | undefined> => {
  const all = await listSlotOrders(statements, batch, slot)
  const others = all.filter((other) => other.number !== number)
  const later = others.filter((other) => other.number > number)
  return others.find(mayHaveSpent) ?? findLiveOf(statements, later, at)
}

/** Whether an order of the slot is confirmed, or may be. */
export const hasSpending = async (statements: Statements, batch: number, slot: number): Promise<boolean> =>
  (await listSlotOrders(statements, batch, slot)).some(mayHaveSpent)

export const isCancelled = async ({ all }: Statements, batch: number): Promise<boolean> => {
  const found = await all('SELECT 1 FROM batches WHERE number = $batch AND cancelled_at IS NOT NULL', {
    batch,
  })
  return found.length > 0
}

/** Locks the batch: no other process begins a call for it or changes its cards until the end of the transaction. */
export const lockBatch = async ({ all, dialect }: Statements, batch: number): Promise<LockedBatch> => {
  const [found] = await all(
    `SELECT name, max_total FROM batches WHERE number = $batch ${dialect.forUpdate}`,
    { batch },
  )
  return { name: String(found?.name ?? ''), maxTotal: (found?.max_total ?? undefined) as string | undefined }
}

/** The products that the slot still wants. */
export const readLines = async (
  { all, dialect }: Statements,
  batch: number,
  slot: number,
): Promise<SlotLine[]> => {
  const rows = await all(
    `SELECT sku, product_type, quote, count(*) AS quantity
     FROM batch_cards ${dialect.indexedBy('batch_cards_by_slot')} ${dialect.orderedJoin} batch_rows USING (batch, row)
     WHERE batch = $batch AND slot = $slot AND state = 'wanted'
     GROUP BY sku, product_type, quote ORDER BY sku`,
    { batch, slot },
  )
  return rows.map(({ sku, product_type, quote, quantity }) => ({
    sku: String(sku),
    productType: String(product_type),
    quote: String(quote),
    quantity: Number(quantity),
  }))
}

/** For the cap: also confirms that the service refused, because a refusal is no proof. */
export const readCommitted = async (
  { all, dialect }: Statements,
  batch: number,
  except?: number,
  condition = committedCondition,
): Promise<Committed> =>
  addCommitted(
    await all(
      `SELECT ${sumCommitted(dialect)} FROM orders
       WHERE batch = $batch AND ${condition} AND number IS DISTINCT FROM $except`,
      { batch, except: except ?? null },
    ),
  )

export const readSpent = (statements: Statements, batch: number): Promise<Committed> =>
  readCommitted(statements, batch, undefined, spentCondition)

/** Undefined if an order of the slot may be created. */
export const refuseCreate = async (
  statements: Statements,
  claim: Claim,
  at: number,
): Promise<SlotRefusal | undefined> => {
  const { batch, slot, lines, lease } = claim
  const { isHeld, isOver, by, wanted } = await inOrder({
    // With its lease, nobody else creates an order of the slot. Workers that create do not wait for each other.
    lock: lease === undefined && lockBatch(statements, batch),
    isHeld: holdLease(statements, claim),
    isOver: isCancelled(statements, batch),
    by: findLive(statements, claim, at),
    wanted: readLines(statements, batch, slot),
  })
  if (!isHeld) return { kind: 'lost' }
  if (isOver) return { kind: 'cancelled' }
  if (by !== undefined) return { kind: 'slot-taken', by }
  return formatLines(wanted) === lines ? undefined : { kind: 'changed' }
}

/** Undefined if the order may be confirmed. A confirm by hand has no claim. The caller has locked the batch. */
export const refuseConfirm = async (
  statements: Statements,
  known: Entry,
  claim: Claim | undefined,
  at: number,
): Promise<SlotRefusal | undefined> => {
  const { batch, slot, number } = known
  if (batch === undefined || slot === undefined) return undefined
  const { isOver, by, wanted } = await inOrder({
    isOver: isCancelled(statements, batch),
    by: findRival(statements, { batch, slot, number }, at),
    wanted: readLines(statements, batch, slot),
  })
  if (isOver) return { kind: 'cancelled' }
  const isOfClaim = claim === undefined || (claim.batch === batch && claim.slot === slot)
  if (!isOfClaim) return { kind: 'slot-taken', by: known }
  if (by !== undefined) return { kind: 'slot-taken', by }
  // A late response to create may add an order whose products the slot does not want any more.
  const lines = formatLines(wanted)
  const isWanted = lines === readOrderLines(known) && lines === (claim?.lines ?? lines)
  return isWanted ? undefined : { kind: 'changed' }
}

// A failed order also counts as the purchase of its slot. The cards that it did not deliver get another slot.
const mayHaveSpent = ({ standing }: Entry): boolean =>
  standing === 'confirming' || standing === 'doubtful' || standing === 'confirmed'

type SlotOrder = Required<Pick<Entry, 'batch' | 'slot' | 'number'>>

/** See formatLines. Undefined if the request is missing or damaged. */
const readOrderLines = ({ request }: Pick<Entry, 'request'>): string | undefined => {
  const lines = readRequestLines(request)
  return lines === undefined ? undefined : formatLines(lines)
}

/**
 * Whether the worker of the claim still holds its slot. Until the end of the transaction, no other worker can claim it. Its
 * lease begins anew, so that it outlasts the call that the transaction records.
 */
export const holdLease = async (
  { run, dialect }: Statements,
  { batch, slot, lease }: Pick<Claim, 'batch' | 'slot' | 'lease'>,
): Promise<boolean> => {
  if (lease === undefined) return true
  const { worker, fence, ms } = lease
  const changed = await run(
    `UPDATE slot_leases SET until = ${dialect.now} + $ms
     WHERE batch = $batch AND slot = $slot AND worker = $worker AND fence = $fence AND until > ${dialect.now}`,
    { batch, slot, worker, fence, ms },
  )
  return changed > 0
}
