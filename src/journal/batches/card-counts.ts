// Counts the rows, cards and orders of a batch.
import type { Entry } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import type { CardCounts, CardState } from './batch.ts'
import type { Committed } from './slot-guard.ts'

export const createCardCounts = ({ tables }: JournalParts) => {
  const { selectEntries, slots } = tables
  const { all } = tables.statements
  const count = async (sql: string, values: Record<string, number | null>): Promise<number> => {
    const [found] = await all(`SELECT count(*) AS count FROM ${sql}`, values)
    return Number(found?.count)
  }

  return {
    countCards: async (batch: number): Promise<CardCounts> => {
      const counts = { wanted: 0, delivered: 0, failed: 0, cancelled: 0 }
      const rows = await all(
        'SELECT state, count(*) AS count FROM batch_cards WHERE batch = $batch GROUP BY state',
        { batch },
      )
      for (const { state, count: cards } of rows) counts[state as CardState] = Number(cards)
      return counts
    },

    countRows: (batch: number): Promise<number> => count('batch_rows WHERE batch = $batch', { batch }),

    /** Slots that were bought or may still be bought. */
    countOrders: (batch: number): Promise<number> =>
      count(
        `(SELECT slot FROM batch_cards WHERE batch = $batch AND state IN ('wanted', 'delivered')
          UNION SELECT slot FROM orders WHERE batch = $batch AND standing = 'confirmed') AS slots`,
        { batch },
      ),

    /** Confirmed orders whose slot wants no more cards. */
    countEnded: (batch: number): Promise<number> =>
      count(
        `(SELECT DISTINCT slot FROM orders WHERE batch = $batch AND standing = 'confirmed'
          AND NOT EXISTS (SELECT 1 FROM batch_cards
            WHERE batch_cards.batch = $batch AND batch_cards.slot = orders.slot AND state = 'wanted')) AS slots`,
        { batch },
      ),

    /** Orders with a confirm whose outcome is unknown. */
    listUnknown: (batch: number): Promise<Entry[]> =>
      selectEntries({ where: "batch = $batch AND standing = 'confirming'", values: { batch } }),

    /**
     * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose answer may still
     * arrive does not count.
     */
    countUnknown: (batch: number, now?: number): Promise<number> =>
      count(
        `batch_cards WHERE batch = $batch AND state = 'wanted' AND slot IN (
           SELECT slot FROM orders WHERE batch = $batch AND standing = 'confirming' AND number IN (
             SELECT order_number FROM calls
             WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown')
               AND (CAST($now AS BIGINT) IS NULL OR outcome <> 'sending' OR until < $now)))`,
        { batch, now: now ?? null },
      ),

    listCommitted: (batch: number): Promise<Committed[]> => slots.listCommitted(batch),
    listSpent: slots.listSpent,
  }
}
