// The cards of batches: the slot that buys each card, and the state of the card. Whoever changes cards locks them first,
// and the batch before them, except to settle a slot: so the confirms of a batch do not wait for its deliveries.
import type { Access, Write } from '../access.ts'
import { inOrder } from '../database/database.ts'
import { selectRows } from '../orders/row.ts'
import { batchCards, batchRows } from '../tables/batches.ts'
import type { StoredCard, StoredRow } from './batch.ts'
import {
  assignSlots,
  type CardChange,
  type Grouping,
  listOpenSlots,
  lockSlotCards,
  selectCards,
  type WantedCard,
  writeCards,
} from './slot-cards.ts'
import { findLive, hasSpending, isCancelled, lockBatch } from './slot-guard.ts'

export const listBatchRows = (access: Access, batch: number): Promise<StoredRow[]> => {
  const sql = 'SELECT row, line, sku, product_type, quote, quantity, cells, given FROM batch_rows'
  return selectRows(access, batchRows, `${sql} WHERE batch = $batch ORDER BY row`, { batch })
}

/** In the order of the input. */
export const listBatchCards = (access: Access, batch: number): Promise<StoredCard[]> => {
  const sql = 'SELECT card, row, slot, state, error, hash FROM batch_cards'
  return selectRows(access, batchCards, `${sql} WHERE batch = $batch ORDER BY card`, { batch })
}

/** Changes cards of a slot with a confirmed order. `decide` gets all its cards as they are now. */
export const settleSlot = (
  { write }: Write,
  batch: number,
  slot: number,
  decide: (cards: readonly WantedCard[]) => readonly CardChange[],
): Promise<readonly CardChange[]> =>
  write(async (access) => {
    const changes = decide(await lockSlotCards(access, batch, slot))
    await writeCards(access, batch, changes)
    return changes
  })

/** Gives up wanted cards of a slot. Does nothing if one of its orders is live. Returns their number. */
export const failCards = (
  { write }: Write,
  { batch, slot, at }: { batch: number; slot: number; at: number },
  isFailed: (card: WantedCard) => boolean,
  error: string,
): Promise<number> =>
  write(async (access) => {
    const { live, cards } = await inOrder({
      lock: lockBatch(access, batch),
      live: findLive(access, { batch, slot }, at),
      cards: lockSlotCards(access, batch, slot),
    })
    if (live !== undefined) return 0
    const failed = cards.filter((card) => card.state === 'wanted' && isFailed(card))
    const changes = failed.map(({ card }) => ({ card, state: 'failed', error }) as const)
    await writeCards(access, batch, changes)
    return failed.length
  })

/** Wants the failed cards again, in new slots. Returns their number. */
export const retryFailed = ({ write }: Write, batch: number, group: Grouping): Promise<number> =>
  write(async (access) => {
    await lockBatch(access, batch)
    if (await isCancelled(access, batch)) return 0
    const cards = await selectCards(access, {
      where: `batch = $batch AND state = 'failed'`,
      values: { batch },
      isLocking: true,
    })
    await assignSlots(access, batch, cards, group)
    return cards.length
  })

/** Gives up the wanted cards of a cancelled batch, except those that a confirmed order may deliver. */
export const cancelWanted = ({ write }: Write, batch: number): Promise<void> =>
  write(async (access) => {
    await lockBatch(access, batch)
    if (!(await isCancelled(access, batch))) return
    for (const slot of await listOpenSlots(access, batch)) {
      if (await hasSpending(access, batch, slot)) continue
      await lockSlotCards(access, batch, slot)
      await access.run(
        `UPDATE batch_cards SET state = 'cancelled' WHERE batch = $batch AND slot = $slot AND state = 'wanted'`,
        { batch, slot },
      )
    }
  })
