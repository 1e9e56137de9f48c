// Ensures that a slot of a batch is bought at most once. Each check runs in the transaction that records the intent to
// send.
import type { Access, WriteAccess } from '../access.ts'
import { inOrder } from '../database/database.ts'
import type { Use } from '../limits/evaluate.ts'
import type { Entry } from '../orders/entry.ts'
import { readRequestLines } from '../orders/products.ts'
import { isCreating, selectEntries } from '../orders/queries.ts'
import { selectRows } from '../orders/row.ts'
import { isHolding, mayHaveSpent } from '../orders/standings.ts'
import { applyFact } from '../orders/write-order.ts'
import { batchRows } from '../tables/batches.ts'
import { type Batch, type Claim, formatLines, type SlotLine } from './batch.ts'
import { assignSlots, type Grouping, lockSlotCards } from './slot-cards.ts'

/** Why an order of a batch must not be created or confirmed. */
export type SlotRefusal =
  /** A different order of the slot is confirmed, or may still be confirmed. Undefined if it has just become void. */
  | { readonly kind: 'slot-taken'; readonly by: Entry | undefined }
  | { readonly kind: 'cancelled' }
  /** The slot now wants other products. */
  | { readonly kind: 'changed' }

/** Newest first. */
export const listSlotOrders = (access: Access, batch: number, slot: number): Promise<Entry[]> =>
  selectEntries(access, { where: 'batch = $batch AND slot = $slot', values: { batch, slot } })

/** The first of these orders that is, or may become, the purchase of their slot. */
const findLiveOf = async (
  access: Access,
  orders: readonly Entry[],
  at: number,
): Promise<Entry | undefined> => {
  // A failed order also counts as the purchase of its slot. The cards that it did not deliver get a new slot.
  const holding = orders.find(mayHaveSpent) ?? orders.find(isHolding)
  if (holding !== undefined) return holding
  for (const order of orders) if (await isCreating(access, order, at)) return order
  return undefined
}

/** An order that is, or may become, the purchase of the slot. */
export const findLive = async (
  access: Access,
  { batch, slot }: Pick<Claim, 'batch' | 'slot'>,
  at: number,
): Promise<Entry | undefined> => findLiveOf(access, await listSlotOrders(access, batch, slot), at)

/** Whether an order of the slot is confirmed, or may be. */
export const hasSpending = async (access: Access, batch: number, slot: number): Promise<boolean> =>
  (await listSlotOrders(access, batch, slot)).some(mayHaveSpent)

const hasOrder = async ({ all }: Access, batch: number, condition: string): Promise<boolean> =>
  (await all(`SELECT 1 FROM orders WHERE batch = $batch AND ${condition} LIMIT 1`, { batch })).length > 0

/** Whether the service ever created an order of the batch. */
export const hasCreatedOrder = (access: Access, batch: number): Promise<boolean> =>
  hasOrder(access, batch, 'order_id IS NOT NULL')

/**
 * Whether the name of the batch may get other rows: it was not started, or all orders that it placed are void. A batch
 * without an order may have just been started by a different process.
 */
export const canReplaceRows = async (
  access: Access,
  { number, startedAt, cancelledAt }: Pick<Batch, 'number' | 'startedAt' | 'cancelledAt'>,
): Promise<boolean> => {
  if (cancelledAt !== undefined) return false
  const isUnused = startedAt === undefined || (await hasOrder(access, number, 'TRUE'))
  return isUnused && !(await hasOrder(access, number, '(holds OR live)'))
}

export const isCancelled = async ({ all }: Access, batch: number): Promise<boolean> => {
  const found = await all('SELECT 1 FROM batches WHERE number = $batch AND cancelled_at IS NOT NULL', {
    batch,
  })
  return found.length > 0
}

/**
 * Locks the batch: no other process begins a call for it or changes its cards until the end of the transaction. Returns
 * its cap, which is 0 if no one has consented to one.
 */
export const lockBatch = async (
  { all, dialect }: WriteAccess,
  batch: number,
): Promise<Omit<Use, 'spent'>> => {
  const [found = {}] = await all(
    `SELECT name, wallet AS currency, coalesce(max_total, '0') AS amount FROM batches
     WHERE number = $batch ${dialect.forUpdate}`,
    { batch },
  )
  const { name = '', currency = '', amount = '0' } = found as Partial<Record<string, string>>
  return { scope: 'batch', name, currency, amount }
}

/** The products that the slot still wants. */
export const readLines = (access: Access, batch: number, slot: number): Promise<SlotLine[]> => {
  const { indexedBy, orderedJoin } = access.dialect
  const sql = `SELECT sku, product_type, quote, count(*) AS quantity
    FROM batch_cards ${indexedBy('batch_cards_by_slot')} ${orderedJoin} batch_rows USING (batch, row)
    WHERE batch = $batch AND slot = $slot AND state = 'wanted'
    GROUP BY sku, product_type, quote ORDER BY sku`
  return selectRows(access, batchRows, sql, { batch, slot })
}

const readSlot = (access: Access, batch: number, slot: number) =>
  inOrder({
    isOver: isCancelled(access, batch),
    all: listSlotOrders(access, batch, slot),
    wanted: readLines(access, batch, slot),
  })

/**
 * Undefined if an order of the slot may be created. A create that no process waits for any more ends here: its order
 * does not hold the slot.
 */
export const refuseCreate = async (
  access: WriteAccess,
  { batch, slot, lines }: Claim,
  at: number,
): Promise<SlotRefusal | undefined> => {
  const { isOver, all, wanted } = await readSlot(access, batch, slot)
  if (isOver) return { kind: 'cancelled' }
  const by = all.find(isHolding)
  if (by !== undefined) return { kind: 'slot-taken', by }
  const creating = await endDeadCreates(access, all, at)
  if (creating !== undefined) return { kind: 'slot-taken', by: creating }
  return formatLines(wanted) === lines ? undefined : { kind: 'changed' }
}

/** Makes the orders void whose create no process waits for any more. Returns an order that is still being created. */
const endDeadCreates = async (
  access: WriteAccess,
  orders: readonly Entry[],
  at: number,
): Promise<Entry | undefined> => {
  for (const order of orders) {
    if (order.standing !== 'creating') continue
    if (await isCreating(access, order, at)) return order
    await applyFact(access, order.number, { kind: 'lost', at })
  }
  return undefined
}

/** Undefined if the order may be confirmed. A confirm by hand has no claim. The caller has locked the batch. */
export const refuseConfirm = async (
  access: WriteAccess,
  known: Entry,
  claim: Claim | undefined,
  at: number,
): Promise<SlotRefusal | undefined> => {
  const { batch, slot, number } = known
  if (batch === undefined || slot === undefined) return undefined
  const { isOver, all, wanted } = await readSlot(access, batch, slot)
  if (isOver) return { kind: 'cancelled' }
  const others = all.filter((other) => other.number !== number)
  const by = await findLiveOf(access, others, at)
  // They would hold the slot in the index.
  if (by === undefined) await endDeadCreates(access, others, at)
  const isOfClaim = claim === undefined || (claim.batch === batch && claim.slot === slot)
  if (!isOfClaim) return { kind: 'slot-taken', by: known }
  if (by !== undefined) return { kind: 'slot-taken', by }
  // A late response to create may add an order whose products the slot does not want any more.
  const lines = formatLines(wanted)
  const isWanted = lines === readOrderLines(known) && lines === (claim?.lines ?? lines)
  return isWanted ? undefined : { kind: 'changed' }
}

/** See formatLines. Undefined if the request is missing or damaged. */
const readOrderLines = ({ request }: Pick<Entry, 'request'>): string | undefined => {
  const lines = readRequestLines(request)
  return lines === undefined ? undefined : formatLines(lines)
}

export type Split = { readonly batch: number; readonly slot: number; readonly group: Grouping }

/** Moves wanted cards of a slot to new slots. Does nothing if one of its orders is live. */
export const splitSlot = async (access: WriteAccess, { batch, slot, group }: Split, at: number) => {
  await lockBatch(access, batch)
  if ((await findLive(access, { batch, slot }, at)) !== undefined) return
  const locked = await lockSlotCards(access, batch, slot)
  const cards = locked.filter(({ state }) => state === 'wanted')
  await assignSlots(access, batch, cards, group, slot)
}
