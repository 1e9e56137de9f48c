// The cards of batches: the slot that buys each card, and the state of the card. Whoever changes cards locks them first,
// and the batch before them, except to settle a slot: so the confirms of a batch do not wait for its deliveries.
import { inOrder, type Statements } from '../database/database.ts'
import type { JournalParts } from '../journal.ts'
import type { StoredCard, StoredRow } from './batch.ts'
import { readCard, readStoredRow } from './batch-rows.ts'
import {
  assignSlots,
  type CardChange,
  type Grouping,
  listOpenSlots,
  listSlotCards,
  lockSlotCards,
  selectCards,
  type WantedCard,
  writeCards,
} from './slot-cards.ts'

export const createCardTable = ({ tables, runTransaction }: JournalParts) => {
  const { statements, slots } = tables
  return {
    listOpenSlots: (batch: number): Promise<number[]> => listOpenSlots(statements, batch),

    listSlotCards: (batch: number, slot: number): Promise<WantedCard[]> =>
      listSlotCards(statements, batch, slot),

    listSlotOrders: slots.listSlotOrders,

    listRows: (batch: number): Promise<StoredRow[]> => listRows(statements, batch),

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
        const { live, cards } = await inOrder({
          lock: slots.lockBatch(batch),
          live: slots.findLive(batch, slot, at),
          cards: lockSlotCards(statements, batch, slot),
        })
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

export const listRows = async ({ all }: Statements, batch: number): Promise<StoredRow[]> =>
  (await all('SELECT * FROM batch_rows WHERE batch = $batch ORDER BY row', { batch })).map(readStoredRow)
