// Counts and lists the rows, cards and orders of a batch, for summaries and reports.

import type { Journal } from '../journal.ts'
import { selectEntries } from '../orders/queries.ts'
import { unfinishedCondition, unknownCondition } from '../orders/standings.ts'
import type { CardCounts, CardState } from './batch.ts'
import { readCommitted, readSpent } from './slot-guard.ts'

/** Final orders: `delivered` is NULL before. */
const shortCondition = "standing = 'confirmed' AND delivered < cards"

export type CardError = { readonly error: string; readonly count: number }

/** What summaries and reports show. */
export const createCardCounts = ({ read }: Journal) => {
  const count = (sql: string, values: Record<string, number | null>): Promise<number> =>
    read(async ({ statements: { all } }) => {
      const [found] = await all(`SELECT count(*) AS count FROM ${sql}`, values)
      return Number(found?.count)
    })

  return {
    countCards: (batch: number): Promise<CardCounts> =>
      read(async ({ statements: { all } }) => {
        const counts = { wanted: 0, delivered: 0, duplicate: 0, failed: 0, cancelled: 0 }
        const rows = await all(
          'SELECT state, count(*) AS count FROM batch_cards WHERE batch = $batch GROUP BY state',
          { batch },
        )
        for (const { state, count: cards } of rows) counts[state as CardState] = Number(cards)
        return counts
      }),

    countRows: (batch: number) => count('batch_rows WHERE batch = $batch', { batch }),

    /** Slots that were bought or may still be bought. */
    countOrders: (batch: number) =>
      count(
        `(SELECT slot FROM batch_cards WHERE batch = $batch AND state IN ('wanted', 'delivered')
          UNION SELECT slot FROM orders WHERE batch = $batch AND standing = 'confirmed') AS slots`,
        { batch },
      ),

    /** Confirmed orders whose slot wants no more cards. */
    countEnded: (batch: number) =>
      count(
        `(SELECT DISTINCT slot FROM orders WHERE batch = $batch AND standing = 'confirmed'
          AND NOT EXISTS (SELECT 1 FROM batch_cards
            WHERE batch_cards.batch = $batch AND batch_cards.slot = orders.slot AND state = 'wanted')) AS slots`,
        { batch },
      ),

    /** Orders that are not expected to stay as they are. */
    countInFlight: (batch: number) =>
      count(`orders WHERE batch = $batch AND ${unfinishedCondition}`, { batch }),

    /**
     * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose response may still
     * arrive does not count.
     */
    countUnknown: (batch: number, now?: number) =>
      count(
        `batch_cards WHERE batch = $batch AND state = 'wanted' AND slot IN (
           SELECT slot FROM orders WHERE batch = $batch AND ${unknownCondition} AND number IN (
             SELECT order_number FROM calls
             WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown')
               AND (CAST($now AS BIGINT) IS NULL OR outcome <> 'sending' OR until < $now)))`,
        { batch, now: now ?? null },
      ),

    /** Orders with a confirm whose outcome is unknown. */
    listUnknown: (batch: number) =>
      read(({ statements }) =>
        selectEntries(statements, { where: `batch = $batch AND ${unknownCondition}`, values: { batch } }),
      ),

    /** All orders, the newest first. */
    listOrders: (batch: number) =>
      read(({ statements }) => selectEntries(statements, { where: 'batch = $batch', values: { batch } })),

    /** Why cards failed or are duplicates, the most frequent error first. */
    listErrors: (batch: number, limit: number): Promise<CardError[]> =>
      read(async ({ statements: { all } }) => {
        const rows = await all(
          `SELECT error, count(*) AS count FROM batch_cards WHERE batch = $batch AND state IN ('failed', 'duplicate')
           GROUP BY error ORDER BY count DESC, error LIMIT $limit`,
          { batch, limit },
        )
        return rows.map((row) => ({ error: String(row.error ?? 'unknown error'), count: Number(row.count) }))
      }),

    /** Also counts an order whose confirm was refused. */
    readCommitted: (batch: number) => read(({ statements }) => readCommitted(statements, batch)),

    /** The orders that did not deliver all their cards. */
    readShort: (batch: number) =>
      read(({ statements }) => readCommitted(statements, batch, undefined, shortCondition)),
    readSpent: (batch: number) => read(({ statements }) => readSpent(statements, batch)),
  }
}
