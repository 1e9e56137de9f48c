// The slots of a batch: one becomes one order. Ensures that a slot is bought at most once: each check runs in the transaction
// that records the intent to send. The live order of a slot is the claim, because a unique index admits one. The order
// belongs to its run until held_until, and then to the run that takes it over.

import type { Access, WriteAccess } from '../access.ts'
import { type Actor, readActor } from '../accounts.ts'
import { type Dialect, hasRow, inOrder, runForRows, type Values } from '../database/database.ts'
import { type Entry, isCreating, selectEntries, selectRows } from '../orders/entries.ts'
import { readRequestLines } from '../orders/products.ts'
import { isHolding, mayHaveSpent } from '../orders/standings.ts'
import { applyFact } from '../orders/write-order.ts'
import { batchCards, batchRows } from '../tables/batches.ts'
import { count, time } from '../tables/table.ts'
import {
  type Claim,
  formatLines,
  isCancelled,
  lockBatch,
  type SlotLine,
  type StoredCard,
  type StoredRow,
} from './batches.ts'

/** A card with the product that its row wants. */
export type WantedCard = StoredCard & Pick<StoredRow, 'line' | 'sku' | 'productType' | 'quote'>

export type CardChange = Pick<StoredCard, 'card' | 'state' | 'error' | 'hash'>

/** Groups cards: the same number means the same order. Numbers start at 0. */
export type Grouping = (cards: readonly WantedCard[]) => readonly number[]

type CardQuery = {
  readonly where: string
  readonly values: Values
  readonly index?: string
  /** Locks the cards in the order of their numbers and reads them as they are then. */
  readonly isLocking?: boolean
}

const wantedCards = { columns: { ...batchRows.columns, ...batchCards.columns } }

export const selectCards = (access: Access, { where, values, index, isLocking = false }: CardQuery) => {
  const { indexedBy, orderedJoin, forUpdateOf } = access.dialect
  const sql = `SELECT card, row, line, slot, state, error, hash, sku, product_type, quote
    FROM batch_cards ${index === undefined ? '' : indexedBy(index)} ${orderedJoin} batch_rows USING (batch, row)
    WHERE ${where} ORDER BY card ${isLocking ? forUpdateOf('batch_cards') : ''}`
  return selectRows<WantedCard>(access, wantedCards, sql, values)
}

// Without the index name, SQLite reads all cards of the batch.
const ofSlot = (batch: number, slot: number): CardQuery => ({
  where: 'batch = $batch AND slot = $slot',
  values: { batch, slot },
  index: 'batch_cards_by_slot',
})

export const listSlotCards = (access: Access, batch: number, slot: number): Promise<WantedCard[]> =>
  selectCards(access, ofSlot(batch, slot))

export const lockSlotCards = (access: WriteAccess, batch: number, slot: number): Promise<WantedCard[]> =>
  selectCards(access, { ...ofSlot(batch, slot), isLocking: true })

export const writeCards = (access: WriteAccess, batch: number, changes: readonly CardChange[]) =>
  runForRows(
    access,
    ['BIGINT', 'BIGINT', 'TEXT', 'TEXT', 'TEXT'],
    changes.map(({ card, state, error, hash }) => [batch, card, state, error ?? null, hash ?? null]),
    (list) =>
      `UPDATE batch_cards SET state = column3, error = column4, hash = column5 FROM ${list} AS changes
       WHERE batch = column1 AND card = column2`,
  )

/** Uses the slot that is free before it adds new ones. Returns the slots in use. */
export const assignSlots = async (
  access: WriteAccess,
  batch: number,
  cards: readonly WantedCard[],
  group: Grouping,
  free?: number,
): Promise<number[]> => {
  const groups = group(cards)
  const keys = [...new Set(cards.map((_, index) => groups[index] ?? 0))]
  const known = free === undefined || keys.length === 0 ? [] : [free]
  const slots = [...known, ...(await addSlots(access, batch, keys.length - known.length))]
  const slotOf = new Map(keys.map((key, index) => [key, slots[index] ?? 0]))
  await runForRows(
    access,
    ['BIGINT', 'BIGINT', 'BIGINT'],
    cards.map(({ card }, index) => [batch, card, slotOf.get(groups[index] ?? 0) ?? 0]),
    (list) =>
      `UPDATE batch_cards SET slot = column3, state = 'wanted', error = NULL FROM ${list} AS changes
       WHERE batch = column1 AND card = column2`,
  )
  return slots
}

const addSlots = async ({ all }: WriteAccess, batch: number, count: number): Promise<number[]> => {
  if (count === 0) return []
  const [changed] = await all(
    'UPDATE batches SET last_slot = last_slot + $count WHERE number = $batch RETURNING last_slot',
    { batch, count },
  )
  const last = Number(changed?.last_slot)
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}

/** An order that is held longer was recorded before the clock was set back. */
const longestHoldMs = 3_600_000

const isHeld = ({ now }: Dialect): string =>
  `(coalesce(held_until, 0) > ${now} AND held_until <= ${now} + ${longestHoldMs})`

/** SQL: when the run that records a call now loses its order, if it is killed. */
export const holdFor = ({ now }: Dialect, ms: number): string => `${now} + ${ms}`

/** SQLite accepts `IN ()`, PostgreSQL does not. No slot has the number 0. */
const isIn = (slots: Iterable<number>): string => `slot IN (${[0, ...slots].map(Number).join(', ')})`

/** A condition on a row of orders. */
const wantsCards = `EXISTS (SELECT 1 FROM batch_cards
  WHERE batch_cards.batch = orders.batch AND batch_cards.slot = orders.slot AND state = 'wanted')`

/** SQL: the slot is left out because its order is confirmed, so that a run probably waits for its cards. */
const busy = {
  all: () => "standing = 'confirmed'",
  held: (dialect: Dialect) => `(standing = 'confirmed' AND ${isHeld(dialect)})`,
  none: () => 'FALSE',
}

export type SlotQuery = {
  readonly count: number
  /** Leaves out the slots with lower numbers. */
  readonly from?: number
  readonly except?: Iterable<number>
  /** Of the slots whose order is confirmed and waits for its cards, leaves out all, those that a run holds, or none. */
  readonly leavesOut: keyof typeof busy
}

const hasConfirmed = `(EXISTS (SELECT 1 FROM orders
  WHERE orders.batch = $batch AND orders.slot = wanted.slot AND standing = 'confirmed'))`

/**
 * Slots that want cards and that no other run works on, in the order of their numbers. With 'held', those whose order is
 * confirmed come first.
 */
export const findOpenSlots = async (
  { all, dialect }: Access,
  batch: number,
  { count, from = 0, except = [], leavesOut }: SlotQuery,
): Promise<number[]> => {
  const rows = await all(
    `SELECT slot FROM (SELECT DISTINCT slot FROM batch_cards
       WHERE batch = $batch AND state = 'wanted' AND slot >= $from AND NOT ${isIn(except)}) AS wanted
     WHERE NOT EXISTS (SELECT 1 FROM orders WHERE orders.batch = $batch AND orders.slot = wanted.slot
       AND ((live AND ${isHeld(dialect)}) OR ${busy[leavesOut](dialect)}))
     ORDER BY ${leavesOut === 'held' ? `${hasConfirmed} DESC, slot` : 'slot'} LIMIT $count`,
    { batch, from, count },
  )
  return rows.map(({ slot }) => Number(slot))
}

/** Whether other slots want cards, which other runs may be buying. */
export const hasSlotsLeft = (access: Access, batch: number, except: Iterable<number>): Promise<boolean> => {
  const where = `batch = $batch AND state = 'wanted' AND NOT ${isIn(except)}`
  return hasRow(access, `SELECT 1 FROM batch_cards WHERE ${where} LIMIT 1`, { batch })
}

/** Takes over an order. Returns false if a different run holds it. */
export const holdOrder = async ({ run, dialect }: WriteAccess, number: number, ms: number) => {
  const changed = await run(
    `UPDATE orders SET held_until = ${holdFor(dialect, ms)} WHERE number = $number AND NOT ${isHeld(dialect)}`,
    { number },
  )
  return changed > 0
}

/** When a run ends, others need not wait for its orders. */
export const releaseOrders = async ({ run }: WriteAccess, numbers: readonly number[]): Promise<void> => {
  await run(`UPDATE orders SET held_until = NULL WHERE number IN (${[0, ...numbers].join(', ')})`)
}

/** An actor whose orders of the batch are not finished. */
export type Buyer = {
  readonly by?: Actor | undefined
  /** The number of their orders that are being created or confirmed, and of those that wait for their cards. */
  readonly buying: number
  readonly waiting: number
  /** When they last placed or confirmed one. */
  readonly seenAt: number
  /** When others may take over the last one, by the database's clock. Undefined if they already may. */
  readonly until?: number | undefined
}

/** The busiest first. */
export const listBuyers = (access: Access, batch: number): Promise<Buyer[]> => {
  const { writtenBy } = access.dialect
  const sql = `SELECT role, os_user, host, ${writtenBy} AS written_by,
      sum(CASE WHEN live THEN 1 ELSE 0 END) AS buying, sum(CASE WHEN live THEN 0 ELSE 1 END) AS waiting,
      max(changed_at) AS seen_at, max(CASE WHEN ${isHeld(access.dialect)} THEN held_until END) AS until
    FROM orders LEFT JOIN actors ON actors.number = actor
    WHERE batch = $batch AND (holds OR live) AND ${wantsCards}
    GROUP BY 1, 2, 3, 4 ORDER BY count(*) DESC, 3, 2`
  return selectRows<Buyer>(access, buyers, sql, { batch }, (row) => ({ by: readActor(row) }))
}

const buyers = { columns: { buying: count, waiting: count, seen_at: time, until: time } }

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

/**
 * The order that is, or may become, the purchase of a slot or a reference, which has these orders. If none holds it, the
 * orders become void whose create no process waits for any more.
 */
export const findPurchase = async (
  access: WriteAccess,
  orders: readonly Entry[],
  at: number,
): Promise<Entry | undefined> => {
  // A failed order also counts as the purchase of its slot. The cards that it did not deliver get a new slot.
  const holding = orders.find(mayHaveSpent) ?? orders.find(isHolding)
  if (holding !== undefined) return holding
  for (const order of orders) {
    if (order.standing !== 'creating') continue
    if (await isCreating(access, order, at)) return order
    // A late response may have ended its create meanwhile.
    const now = await applyFact(access, order.number, { kind: 'lost', at })
    if (now !== undefined && isHolding(now.entry)) return now.entry
  }
  return undefined
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

/** Undefined if an order of the slot may be created. */
export const refuseCreate = async (
  access: WriteAccess,
  { batch, slot, lines }: Claim,
  at: number,
): Promise<SlotRefusal | undefined> => {
  const { isOver, all, wanted } = await readSlot(access, batch, slot)
  if (isOver) return { kind: 'cancelled' }
  const by = await findPurchase(access, all, at)
  if (by !== undefined) return { kind: 'slot-taken', by }
  return formatLines(wanted) === lines ? undefined : { kind: 'changed' }
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
  // The index of live orders admits the order only after dead creates have ended.
  const by = await findPurchase(
    access,
    all.filter((other) => other.number !== number),
    at,
  )
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

/** Locks the batch and the cards that the slot wants. None if an order is, or may become, the purchase of the slot. */
export const lockWantedCards = async (
  access: WriteAccess,
  { batch, slot }: Pick<Claim, 'batch' | 'slot'>,
  at: number,
): Promise<WantedCard[]> => {
  const { orders, cards } = await inOrder({
    lock: lockBatch(access, batch),
    orders: listSlotOrders(access, batch, slot),
    cards: lockSlotCards(access, batch, slot),
  })
  const isBought = (await findPurchase(access, orders, at)) !== undefined
  return isBought ? [] : cards.filter(({ state }) => state === 'wanted')
}

/** Moves the wanted cards of a slot to new slots. */
export const splitSlot = async (access: WriteAccess, { group, ...slot }: Split, at: number) => {
  const cards = await lockWantedCards(access, slot, at)
  await assignSlots(access, slot.batch, cards, group, slot.slot)
}
