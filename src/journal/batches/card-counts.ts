// Counts the rows, cards and orders of a batch.
import type { Entry } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import { createSelectEntries } from '../select-entries.ts'
import type { CardCounts, CardState } from './batch.ts'

const unknownCondition = `number IN (SELECT order_number FROM calls
  WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown'))`

export const createCardCounts = ({ database, slots }: JournalParts) => {
  const selectEntries = createSelectEntries(database)
  const count = (sql: string, values: Record<string, number | null>): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${sql}`).get(values)?.count)

  return {
    countCards: (batch: number): CardCounts => {
      const counts = { wanted: 0, delivered: 0, failed: 0, cancelled: 0 }
      for (const { state, count: cards } of database
        .prepare('SELECT state, count(*) AS count FROM batch_cards WHERE batch = ? GROUP BY state')
        .all(batch)) {
        counts[state as CardState] = Number(cards)
      }
      return counts
    },

    countRows: (batch: number): number => count('batch_rows WHERE batch = $batch', { batch }),

    /** Slots that were bought or may still be bought. */
    countOrders: (batch: number): number =>
      count(
        `(SELECT slot FROM batch_cards WHERE batch = $batch AND state IN ('wanted', 'delivered')
          UNION SELECT slot FROM orders WHERE batch = $batch AND confirmed_at IS NOT NULL)`,
        { batch },
      ),

    /** Confirmed orders whose slot wants no more cards. */
    countEnded: (batch: number): number =>
      count(
        `(SELECT DISTINCT slot FROM orders WHERE batch = $batch AND confirmed_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM batch_cards
            WHERE batch_cards.batch = $batch AND batch_cards.slot = orders.slot AND state = 'wanted'))`,
        { batch },
      ),

    /** Orders with a confirm whose outcome is unknown. */
    listUnknown: (batch: number): Entry[] =>
      selectEntries({
        where: `batch = $batch AND confirmed_at IS NULL AND ${unknownCondition}`,
        values: { batch },
      }),

    /**
     * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose answer may still
     * arrive does not count.
     */
    countUnknown: (batch: number, now?: number): number =>
      count(
        `batch_cards WHERE batch = $batch AND state = 'wanted' AND slot IN (
           SELECT slot FROM orders WHERE batch = $batch AND confirmed_at IS NULL AND number IN (
             SELECT order_number FROM calls
             WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown')
               AND ($now IS NULL OR outcome <> 'sending' OR until < $now)))`,
        { batch, now: now ?? null },
      ),

    listCommitted: (batch: number) => slots.listCommitted(batch),
    listSpent: slots.listSpent,
  }
}
