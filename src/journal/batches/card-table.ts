// The cards of batches: the slot that buys each card, and the state of the card. Whoever changes cards locks them first,
// and the batch before them, except to settle a slot: so the confirms of a batch do not wait for its deliveries.
import type { Statements, Values } from '../database/database.ts'
import { runForRows } from '../database/many-rows.ts'
import type { JournalParts } from '../journal.ts'
import type { CardState, StoredCard, StoredRow } from './batch.ts'
import { readCard, readStoredRow } from './batch-rows.ts'

/** A card with the product that its row wants. */
export type WantedCard = StoredCard & Pick<StoredRow, 'sku' | 'productType' | 'quote'>

export type CardChange = {
  readonly card: number
  readonly state: CardState
  readonly error?: string
  readonly hash?: string
}

/** Groups cards: the same number means the same order. Numbers start at 0. */
export type Grouping = (cards: readonly WantedCard[]) => readonly number[]

export const createCardTable = ({ tables, runTransaction }: JournalParts) => {
  const { statements, slots } = tables
  return {
    listOpenSlots: (batch: number): Promise<number[]> => listOpenSlots(statements, batch),

    listSlotCards: (batch: number, slot: number): Promise<WantedCard[]> =>
      listSlotCards(statements, batch, slot),

    listSlotOrders: slots.listSlotOrders,

    listRows: async (batch: number): Promise<StoredRow[]> => {
      const rows = await statements.all('SELECT * FROM batch_rows WHERE batch = $batch ORDER BY row', {
        batch,
      })
      return rows.map(readStoredRow)
    },

    listCards: async (batch: number): Promise<StoredCard[]> => {
      const cards = await statements.all('SELECT * FROM batch_cards WHERE batch = $batch ORDER BY card', {
        batch,
      })
      return cards.map(readCard)
    },

    readLines: slots.readLines,

    /** Changes cards of a slot with a confirmed order. `decide` gets all its cards as they are now. */
    settleSlot: (
      batch: number,
      slot: number,
      decide: (cards: readonly WantedCard[]) => readonly CardChange[],
    ): Promise<readonly CardChange[]> =>
      runTransaction(async ({ statements }) => {
        const changes = decide(await lockSlotCards(statements, batch, slot))
        await writeCards(statements, batch, changes)
        return changes
      }),

    /** Gives up wanted cards of a slot. Does nothing if one of its orders is live. */
    failCards: (
      { batch, slot, at }: { batch: number; slot: number; at: number },
      isFailed: (card: WantedCard) => boolean,
      error: string,
    ): Promise<number> =>
      runTransaction(async ({ statements, slots }) => {
        const [, live, cards] = await Promise.all([
          slots.lockBatch(batch),
          slots.findLive(batch, slot, at),
          lockSlotCards(statements, batch, slot),
        ])
        if (live !== undefined) return 0
        const failed = cards.filter((card) => card.state === 'wanted' && isFailed(card))
        await writeCards(
          statements,
          batch,
          failed.map(({ card }) => ({ card, state: 'failed', error })),
        )
        return failed.length
      }),

    /** Packs the wanted cards of these slots again. Skips slots with a live order. Returns the slots in use. */
    repackSlots: (batch: number, all: readonly number[], at: number, group: Grouping): Promise<number[]> =>
      runTransaction(async ({ statements, slots }) => {
        await slots.lockBatch(batch)
        const free: number[] = []
        const cards: WantedCard[] = []
        for (const slot of all) {
          if ((await slots.findLive(batch, slot, at)) !== undefined) continue
          free.push(slot)
          const locked = await lockSlotCards(statements, batch, slot)
          cards.push(...locked.filter(({ state }) => state === 'wanted'))
        }
        return assignSlots(statements, batch, { cards, free, group })
      }),

    /** Wants the failed cards again, in new slots. Returns their number. */
    retryFailed: (batch: number, group: Grouping): Promise<number> =>
      runTransaction(async ({ statements, slots }) => {
        await slots.lockBatch(batch)
        if (await slots.isCancelled(batch)) return 0
        const cards = await selectCards(statements, {
          where: `batch = $batch AND state = 'failed'`,
          values: { batch },
          isLocking: true,
        })
        await assignSlots(statements, batch, { cards, free: [], group })
        return cards.length
      }),

    /** Gives up the wanted cards of a cancelled batch, except those that a confirmed order may deliver. */
    cancelWanted: (batch: number): Promise<void> =>
      runTransaction(async ({ statements, slots }) => {
        await slots.lockBatch(batch)
        if (!(await slots.isCancelled(batch))) return
        for (const slot of await listOpenSlots(statements, batch)) {
          if (await slots.hasSpending(batch, slot)) continue
          await lockSlotCards(statements, batch, slot)
          await statements.run(
            `UPDATE batch_cards SET state = 'cancelled' WHERE batch = $batch AND slot = $slot AND state = 'wanted'`,
            { batch, slot },
          )
        }
      }),
  }
}

const cardColumns = 'batch_cards.*, sku, product_type, quote'

type CardQuery = {
  readonly where: string
  readonly values: Values
  readonly index?: string
  /** Locks the cards in the order of their numbers, and reads them as they are then. */
  readonly isLocking?: boolean
}

const selectCards = async (
  { all, dialect }: Statements,
  { where, values, index, isLocking = false }: CardQuery,
): Promise<WantedCard[]> => {
  const rows = await all(
    `SELECT ${cardColumns} FROM batch_cards ${index === undefined ? '' : dialect.indexedBy(index)}
     ${dialect.orderedJoin} batch_rows USING (batch, row) WHERE ${where} ORDER BY card
     ${isLocking ? dialect.forUpdateOf('batch_cards') : ''}`,
    values,
  )
  return rows.map((row) => ({ ...readCard(row), ...readProduct(row) }))
}

// Without the name of the index, SQLite reads all cards of the batch.
const ofSlot = (batch: number, slot: number): CardQuery => ({
  where: 'batch = $batch AND slot = $slot',
  values: { batch, slot },
  index: 'batch_cards_by_slot',
})

const listSlotCards = (statements: Statements, batch: number, slot: number): Promise<WantedCard[]> =>
  selectCards(statements, ofSlot(batch, slot))

const lockSlotCards = (statements: Statements, batch: number, slot: number): Promise<WantedCard[]> =>
  selectCards(statements, { ...ofSlot(batch, slot), isLocking: true })

const listOpenSlots = async ({ all }: Statements, batch: number): Promise<number[]> => {
  const rows = await all(
    `SELECT DISTINCT slot FROM batch_cards WHERE batch = $batch AND state = 'wanted' ORDER BY slot`,
    { batch },
  )
  return rows.map(({ slot }) => Number(slot))
}

const writeCards = (statements: Statements, batch: number, changes: readonly CardChange[]): Promise<void> =>
  runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'TEXT', 'TEXT', 'TEXT'],
    changes.map(({ card, state, error, hash }) => [batch, card, state, error ?? null, hash ?? null]),
    (list) =>
      `UPDATE batch_cards SET state = column3, error = column4, hash = column5 FROM ${list} AS changes
       WHERE batch = column1 AND card = column2`,
  )

type Assignment = {
  readonly cards: readonly WantedCard[]
  readonly free: readonly number[]
  readonly group: Grouping
}

/** Uses the slots that are free before it adds new ones. Returns the slots in use. */
const assignSlots = async (
  statements: Statements,
  batch: number,
  { cards, free, group }: Assignment,
): Promise<number[]> => {
  const groups = group(cards)
  const keys = [...new Set(cards.map((_, index) => groups[index] ?? 0))]
  const known = free.toSorted((one, other) => one - other).slice(0, keys.length)
  const slots = [...known, ...(await addSlots(statements, batch, keys.length - known.length))]
  const slotOf = new Map(keys.map((key, index) => [key, slots[index] ?? 0]))
  await runForRows(
    statements,
    ['BIGINT', 'BIGINT', 'BIGINT'],
    cards.map(({ card }, index) => [batch, card, slotOf.get(groups[index] ?? 0) ?? 0]),
    (list) =>
      `UPDATE batch_cards SET slot = column3, state = 'wanted', error = NULL FROM ${list} AS changes
       WHERE batch = column1 AND card = column2`,
  )
  return slots
}

const addSlots = async ({ all }: Statements, batch: number, count: number): Promise<number[]> => {
  if (count === 0) return []
  const [changed] = await all(
    'UPDATE batches SET last_slot = last_slot + $count WHERE number = $batch RETURNING last_slot',
    { batch, count },
  )
  const last = Number(changed?.last_slot)
  return Array.from({ length: count }, (_, index) => last - count + 1 + index)
}

const readProduct = (
  row: Readonly<Record<string, unknown>>,
): Pick<StoredRow, 'sku' | 'productType' | 'quote'> => ({
  sku: String(row.sku),
  productType: String(row.product_type),
  quote: String(row.quote),
})
