// The cards of batches: the slot that buys each card, and the state of the card. To change cards, lock the batch and
// then the cards. To record delivered cards, lock only them, so that a batch's confirms do not wait for its deliveries.

import type { Access, Write } from '../access.ts'
import type { Value } from '../database/database.ts'
import { readCommitted } from '../limits.ts'
import { type Entry, selectEntries, selectRows } from '../orders/entries.ts'
import { openCondition, refutedCondition, unknownCondition } from '../orders/standings.ts'
import { batchCards, batchRows } from '../tables/batches.ts'
import {
  type CardCounts,
  type CardState,
  isCancelled,
  lockBatch,
  type StoredCard,
  type StoredRow,
} from './batches.ts'
import {
  assignSlots,
  type CardChange,
  type Grouping,
  lockSlotCards,
  lockWantedCards,
  selectCards,
  type WantedCard,
  writeCards,
} from './slots.ts'

export const listBatchRows = (access: Access, batch: number): Promise<StoredRow[]> => {
  const sql = 'SELECT row, line, sku, product_type, quote, quantity, cells, given FROM batch_rows'
  return selectRows(access, batchRows, `${sql} WHERE batch = $batch ORDER BY row`, { batch })
}

/** In the order of the input. */
export const listBatchCards = (access: Access, batch: number): Promise<StoredCard[]> => {
  const sql = 'SELECT card, row, slot, state, error, hash FROM batch_cards'
  return selectRows(access, batchCards, `${sql} WHERE batch = $batch ORDER BY card`, { batch })
}

/** By the number of an order: how many cards it has delivered. 'open': the service does not show it as final now. */
export type DeliveredCards = ReadonlyMap<number, number | 'open' | undefined>

/** Changes cards of a slot with a confirmed order. `decide` gets all its cards as they are now. */
export const changeSlotCards = (
  { write }: Write,
  batch: number,
  slot: number,
  decide: (cards: readonly WantedCard[], access: Access) => Promise<readonly CardChange[]>,
): Promise<readonly CardChange[]> =>
  write(async (access) => {
    const changes = await decide(await lockSlotCards(access, batch, slot), access)
    await writeCards(access, batch, changes)
    return changes
  })

/** Gives up wanted cards of a slot. Returns their number. */
export const failCards = (
  { write }: Write,
  { batch, slot, at }: { batch: number; slot: number; at: number },
  isFailed: (card: WantedCard) => boolean,
  error: string,
): Promise<number> =>
  write(async (access) => {
    const failed = (await lockWantedCards(access, { batch, slot }, at)).filter(isFailed)
    const changes = failed.map(({ card }) => ({ card, state: 'failed', error }) as const)
    await writeCards(access, batch, changes)
    return failed.length
  })

/**
 * Wants the failed cards again, in new slots. Returns their number. Changes nothing and returns undefined if an order that
 * failed to deliver some of them is new, or shows other cards than in `delivered`.
 */
export const retryFailed = (
  { write }: Write,
  batch: number,
  group: Grouping,
  delivered: DeliveredCards,
): Promise<number | undefined> =>
  write(async (access) => {
    await lockBatch(access, batch)
    if (await isCancelled(access, batch)) return 0
    const cards = await selectCards(access, {
      where: `batch = $batch AND state = 'failed'`,
      values: { batch },
      isLocking: true,
    })
    const orders = await selectEntries(access, {
      where: `batch = $batch AND standing = 'confirmed'
        AND slot IN (SELECT slot FROM batch_cards WHERE batch = $batch AND state = 'failed')`,
      values: { batch },
    })
    const isOpen = ({ number, result }: Entry): boolean =>
      result === undefined || delivered.get(number) === 'open'
    const isOther = (order: Entry): boolean =>
      !delivered.has(order.number) || ![order.delivered, 'open'].includes(delivered.get(order.number))
    if (orders.some(isOther)) return undefined
    // After a wrong decision, a slot may have two paid orders, and the one that is not final may still deliver the card.
    const unfinished = new Set(orders.filter(isOpen).map(({ slot }) => slot))
    const again = cards.filter(({ slot }) => !unfinished.has(slot))
    await assignSlots(access, batch, again, group)
    return again.length
  })

/** Gives up the wanted cards of a cancelled batch, except those that a confirmed order may deliver. */
export const cancelWanted = ({ write }: Write, batch: number): Promise<void> =>
  write(async (access) => {
    await lockBatch(access, batch)
    if (!(await isCancelled(access, batch))) return
    await access.run(
      `UPDATE batch_cards SET state = 'cancelled' WHERE batch = $batch AND state = 'wanted'
       AND NOT EXISTS (SELECT 1 FROM orders WHERE orders.batch = $batch AND orders.slot = batch_cards.slot AND committed)`,
      { batch },
    )
  })

export const countCardsByState = async ({ all }: Access, batch: number): Promise<CardCounts> => {
  const counts = { wanted: 0, delivered: 0, duplicate: 0, failed: 0, cancelled: 0 }
  const rows = await all(
    'SELECT state, count(*) AS count FROM batch_cards WHERE batch = $batch GROUP BY state',
    { batch },
  )
  for (const { state, count: cards } of rows) counts[state as CardState] = Number(cards)
  return counts
}

/** The returned function counts rows of a batch. `sql` follows FROM. */
const counting =
  (sql: string) =>
  async ({ all }: Access, batch: number, values: Readonly<Record<string, Value>> = {}): Promise<number> => {
    const [found] = await all(`SELECT count(*) AS count FROM ${sql}`, { batch, ...values })
    return Number(found?.count)
  }

export const countRows = counting('batch_rows WHERE batch = $batch')

/** Slots that were bought or may still be bought. */
export const countSlots = counting(
  `(SELECT slot FROM batch_cards WHERE batch = $batch AND state IN ('wanted', 'delivered')
    UNION SELECT slot FROM orders WHERE batch = $batch AND standing = 'confirmed') AS slots`,
)

/** Slots with a confirmed order that want no more cards. */
export const countEndedSlots = counting(
  `(SELECT DISTINCT slot FROM orders WHERE batch = $batch AND standing = 'confirmed'
    AND NOT EXISTS (SELECT 1 FROM batch_cards
      WHERE batch_cards.batch = $batch AND batch_cards.slot = orders.slot AND state = 'wanted')) AS slots`,
)

const countUndelivered = counting(
  `batch_cards WHERE batch = $batch AND state = 'wanted' AND slot IN (
     SELECT slot FROM orders WHERE batch = $batch AND ${unknownCondition} AND number IN (
       SELECT order_number FROM calls
       WHERE operation = 'confirm' AND ${openCondition} AND (outcome <> 'sending' OR until < $now)))`,
)

/**
 * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose response may still arrive
 * does not count.
 */
export const countUnknownCards = (access: Access, batch: number, now = Number.MAX_SAFE_INTEGER) =>
  countUndelivered(access, batch, { now })

/** Orders with a confirm whose outcome is unknown. */
export const listUnknownOrders = (access: Access, batch: number): Promise<Entry[]> =>
  selectEntries(access, { where: `batch = $batch AND ${unknownCondition}`, values: { batch } })

/** Orders that are paid, although a person settled them as not spent. */
export const listRefutedOrders = (access: Access, batch: number): Promise<Entry[]> =>
  selectEntries(access, { where: `batch = $batch AND ${refutedCondition}`, values: { batch } })

/** Confirmed orders of the same slot, by slot: after a wrong decision, a slot may have been bought twice. */
export const listDoubleOrders = async (access: Access, batch: number): Promise<Map<unknown, Entry[]>> => {
  const confirmed = `batch = $batch AND standing = 'confirmed'`
  const where = `${confirmed} AND slot IN (SELECT slot FROM orders WHERE ${confirmed} GROUP BY slot HAVING count(*) > 1)`
  return Map.groupBy(await selectEntries(access, { where, values: { batch } }), ({ slot }) => slot)
}

/** All orders, the newest first. */
export const listBatchOrders = (access: Access, batch: number): Promise<Entry[]> =>
  selectEntries(access, { where: 'batch = $batch', values: { batch } })

export type CardError = { readonly error: string; readonly count: number }

/** Why cards failed or are duplicates, the most frequent error first. */
export const listCardErrors = async (access: Access, batch: number): Promise<CardError[]> => {
  const sql = `SELECT error, count(*) AS count FROM batch_cards
    WHERE batch = $batch AND state IN ('failed', 'duplicate')
    GROUP BY error ORDER BY count DESC, error`
  const found = await selectRows<Partial<CardError>>(access, batchCards, sql, { batch })
  return found.map(({ error = 'unknown error', count = 0 }) => ({ error, count }))
}

/** Of the orders that did not deliver all their cards: `delivered` is NULL until an order is final. */
export const readShort = (access: Access, batch: number) =>
  readCommitted(access, batch, 0, "standing = 'confirmed' AND delivered < cards")
