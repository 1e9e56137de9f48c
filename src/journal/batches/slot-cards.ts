// Reads, locks and changes the cards of slots, and assigns cards to slots.
import type { Access, WriteAccess } from '../access.ts'
import type { Values } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import { selectRows } from '../orders/row.ts'
import { batchCards, batchRows } from '../tables/batches.ts'
import type { StoredCard, StoredRow } from './batch.ts'

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

export const listOpenSlots = async ({ all }: Access, batch: number): Promise<number[]> => {
  const rows = await all(
    `SELECT DISTINCT slot FROM batch_cards WHERE batch = $batch AND state = 'wanted' ORDER BY slot`,
    { batch },
  )
  return rows.map(({ slot }) => Number(slot))
}

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
