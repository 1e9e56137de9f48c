// The cards of batches: the slot that buys each card, and the state of the card.
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

const cardColumns = `batch_cards.*, sku, product_type, quote`
const withProducts = 'batch_cards CROSS JOIN batch_rows USING (batch, row)'
// Without the name of the index, SQLite reads all cards of the batch.
const slotWithProducts = 'batch_cards INDEXED BY batch_cards_by_slot CROSS JOIN batch_rows USING (batch, row)'

export const createCardTable = ({ database, runTransaction, slots }: JournalParts) => {
  const selectWanted = (
    where: string,
    values: Record<string, string | number>,
    tables = withProducts,
  ): WantedCard[] =>
    database
      .prepare(`SELECT ${cardColumns} FROM ${tables} WHERE ${where} ORDER BY card`)
      .all(values)
      .map((row) => ({ ...readCard(row), ...readProduct(row) }))

  const listSlotCards = (batch: number, slot: number): WantedCard[] =>
    selectWanted('batch = $batch AND slot = $slot', { batch, slot }, slotWithProducts)

  const writeCards = (batch: number, changes: readonly CardChange[]): void => {
    const update = database.prepare(
      'UPDATE batch_cards SET state = ?, error = ?, hash = ? WHERE batch = ? AND card = ?',
    )
    for (const { card, state, error, hash } of changes) {
      update.run(state, error ?? null, hash ?? null, batch, card)
    }
  }

  const addSlot = (batch: number): number => {
    database.prepare('UPDATE batches SET last_slot = last_slot + 1 WHERE number = ?').run(batch)
    return Number(database.prepare('SELECT last_slot FROM batches WHERE number = ?').get(batch)?.last_slot)
  }

  /** Uses the slots that are free before it adds new ones. Returns the slots in use. */
  const assignSlots = (
    batch: number,
    cards: readonly WantedCard[],
    free: readonly number[],
    group: Grouping,
  ) => {
    const groups = group(cards)
    const left = free.toSorted((one, other) => one - other).values()
    const slotOf = new Map<number, number>()
    const update = database.prepare(
      `UPDATE batch_cards SET slot = ?, state = 'wanted', error = NULL WHERE batch = ? AND card = ?`,
    )
    for (const [index, { card }] of cards.entries()) {
      const key = groups[index] ?? 0
      const slot = slotOf.get(key) ?? left.next().value ?? addSlot(batch)
      slotOf.set(key, slot)
      update.run(slot, batch, card)
    }
    return [...slotOf.values()]
  }

  const isFree = (batch: number, slot: number, at: number): boolean =>
    slots.findLive(batch, slot, at) === undefined

  const listOpenSlots = (batch: number): number[] =>
    database
      .prepare(`SELECT DISTINCT slot FROM batch_cards WHERE batch = ? AND state = 'wanted' ORDER BY slot`)
      .all(batch)
      .map(({ slot }) => Number(slot))

  return {
    listOpenSlots,
    listSlotCards,
    listSlotOrders: slots.listSlotOrders,

    listRows: (batch: number): StoredRow[] =>
      database.prepare('SELECT * FROM batch_rows WHERE batch = ? ORDER BY row').all(batch).map(readStoredRow),

    listCards: (batch: number): StoredCard[] =>
      database.prepare('SELECT * FROM batch_cards WHERE batch = ? ORDER BY card').all(batch).map(readCard),

    readLines: slots.readLines,

    /** Changes cards of a slot. `decide` gets all its cards as they are now. */
    settleSlot: (
      batch: number,
      slot: number,
      decide: (cards: readonly WantedCard[]) => readonly CardChange[],
    ): readonly CardChange[] =>
      runTransaction(() => {
        const changes = decide(listSlotCards(batch, slot))
        writeCards(batch, changes)
        return changes
      }),

    /** Gives up wanted cards of a slot. Does nothing if one of its orders is live. */
    failCards: (
      { batch, slot, at }: { batch: number; slot: number; at: number },
      isFailed: (card: WantedCard) => boolean,
      error: string,
    ): number =>
      runTransaction(() => {
        if (!isFree(batch, slot, at)) return 0
        const failed = listSlotCards(batch, slot).filter((card) => card.state === 'wanted' && isFailed(card))
        writeCards(
          batch,
          failed.map(({ card }) => ({ card, state: 'failed', error })),
        )
        return failed.length
      }),

    /** Packs the wanted cards of these slots again. Skips slots with a live order. Returns the slots in use. */
    repackSlots: (batch: number, all: readonly number[], at: number, group: Grouping): number[] =>
      runTransaction(() => {
        const free = all.filter((slot) => isFree(batch, slot, at))
        const cards = free
          .flatMap((slot) => listSlotCards(batch, slot))
          .filter(({ state }) => state === 'wanted')
        return assignSlots(batch, cards, free, group)
      }),

    /** Wants the failed cards again, in new slots. Returns their number. */
    retryFailed: (batch: number, group: Grouping): number =>
      runTransaction(() => {
        if (slots.isCancelled(batch)) return 0
        const failed = selectWanted(`batch = $batch AND state = 'failed'`, { batch })
        assignSlots(batch, failed, [], group)
        return failed.length
      }),

    /** Gives up the wanted cards of a cancelled batch, except those that a confirmed order may deliver. */
    cancelWanted: (batch: number): void =>
      runTransaction(() => {
        if (!slots.isCancelled(batch)) return
        const update = database.prepare(
          `UPDATE batch_cards SET state = 'cancelled' WHERE batch = ? AND slot = ? AND state = 'wanted'`,
        )
        for (const slot of listOpenSlots(batch)) if (!slots.hasSpending(batch, slot)) update.run(batch, slot)
      }),
  }
}

const readProduct = (
  row: Readonly<Record<string, unknown>>,
): Pick<StoredRow, 'sku' | 'productType' | 'quote'> => ({
  sku: String(row.sku),
  productType: String(row.product_type),
  quote: String(row.quote),
})
