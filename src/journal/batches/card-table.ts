// The cards of batches: the slot that buys each card, and the state of the card. Whoever changes cards locks them first,
// and the batch before them, except to settle a slot: so the confirms of a batch do not wait for its deliveries.
import { inOrder, type Statements } from '../database/database.ts'
import type { Journal } from '../journal.ts'
import type { StoredRow } from './batch.ts'
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
import { findLive, hasSpending, isCancelled, listSlotOrders, lockBatch, readLines } from './slot-guard.ts'

export const createCardTable = ({ read, write }: Journal) => ({
  listSlotCards: (batch: number, slot: number) =>
    read(({ statements }) => listSlotCards(statements, batch, slot)),
  /** Newest first. */
  listSlotOrders: (batch: number, slot: number) =>
    read(({ statements }) => listSlotOrders(statements, batch, slot)),
  listRows: (batch: number) => read(({ statements }) => listRows(statements, batch)),

  /** In the order of the input. */
  listCards: (batch: number) =>
    read(async ({ statements }) => {
      const cards = await statements.all('SELECT * FROM batch_cards WHERE batch = $batch ORDER BY card', {
        batch,
      })
      return cards.map(readCard)
    }),

  /** The products that a slot still wants. */
  readLines: (batch: number, slot: number) => read(({ statements }) => readLines(statements, batch, slot)),

  /** Changes cards of a slot with a confirmed order. `decide` gets all its cards as they are now. */
  settleSlot: (
    batch: number,
    slot: number,
    decide: (cards: readonly WantedCard[]) => readonly CardChange[],
  ) =>
    write(async ({ statements }) => {
      const changes = decide(await lockSlotCards(statements, batch, slot))
      await writeCards(statements, batch, changes)
      return changes
    }),

  /** Gives up wanted cards of a slot. Does nothing if one of its orders is live. Returns their number. */
  failCards: (
    { batch, slot, at }: { batch: number; slot: number; at: number },
    isFailed: (card: WantedCard) => boolean,
    error: string,
  ) =>
    write(async ({ statements }) => {
      const { live, cards } = await inOrder({
        lock: lockBatch(statements, batch),
        live: findLive(statements, { batch, slot }, at),
        cards: lockSlotCards(statements, batch, slot),
      })
      if (live !== undefined) return 0
      const failed = cards.filter((card) => card.state === 'wanted' && isFailed(card))
      const changes = failed.map(({ card }) => ({ card, state: 'failed', error }) as const)
      await writeCards(statements, batch, changes)
      return failed.length
    }),

  /** Wants the failed cards again, in new slots. Returns their number. */
  retryFailed: (batch: number, group: Grouping) =>
    write(async ({ statements }) => {
      await lockBatch(statements, batch)
      if (await isCancelled(statements, batch)) return 0
      const cards = await selectCards(statements, {
        where: `batch = $batch AND state = 'failed'`,
        values: { batch },
        isLocking: true,
      })
      await assignSlots(statements, batch, cards, group)
      return cards.length
    }),

  /** Gives up the wanted cards of a cancelled batch, except those that a confirmed order may deliver. */
  cancelWanted: (batch: number) =>
    write(async ({ statements }) => {
      await lockBatch(statements, batch)
      if (!(await isCancelled(statements, batch))) return
      for (const slot of await listOpenSlots(statements, batch)) {
        if (await hasSpending(statements, batch, slot)) continue
        await lockSlotCards(statements, batch, slot)
        await statements.run(
          `UPDATE batch_cards SET state = 'cancelled' WHERE batch = $batch AND slot = $slot AND state = 'wanted'`,
          { batch, slot },
        )
      }
    }),
})

export const listRows = async ({ all }: Statements, batch: number): Promise<StoredRow[]> =>
  (await all('SELECT * FROM batch_rows WHERE batch = $batch ORDER BY row', { batch })).map(readStoredRow)
