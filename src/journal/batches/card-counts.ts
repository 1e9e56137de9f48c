// Counts and lists the rows, cards and orders of a batch, for summaries and reports.

import type { Entry } from '../entry.ts'
import type { Journal } from '../journal.ts'
import { selectEntries } from '../queries.ts'
import { unfinishedCondition } from '../standings.ts'
import type { CardCounts, CardState } from './batch.ts'
import { type Committed, listSpent } from './slot-guard.ts'

/** What summaries and reports show. */
export type Counts = {
  readonly countCards: (batch: number) => Promise<CardCounts>
  readonly countRows: (batch: number) => Promise<number>
  /** Slots that were bought or may still be bought. */
  readonly countOrders: (batch: number) => Promise<number>
  /** Confirmed orders whose slot wants no more cards. */
  readonly countEnded: (batch: number) => Promise<number>
  /** Orders that are not expected to stay as they are. */
  readonly countInFlight: (batch: number) => Promise<number>
  /**
   * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose response may still
   * arrive does not count.
   */
  readonly countUnknown: (batch: number, now?: number) => Promise<number>
  /** Orders with a confirm whose outcome is unknown. */
  readonly listUnknown: (batch: number) => Promise<Entry[]>
  /** All orders, the newest first. */
  readonly listOrders: (batch: number) => Promise<Entry[]>
  /** Why cards failed or are duplicates, the most frequent error first. */
  readonly listErrors: (batch: number, limit: number) => Promise<CardError[]>
  /** For people: a refused confirm spent nothing so far. */
  readonly listSpent: (batch: number) => Promise<Committed[]>
}

export type CardError = { readonly error: string; readonly count: number }

export const createCardCounts = ({ read }: Journal): Counts => {
  const count = (sql: string, values: Record<string, number | null>): Promise<number> =>
    read(async ({ statements: { all } }) => {
      const [found] = await all(`SELECT count(*) AS count FROM ${sql}`, values)
      return Number(found?.count)
    })

  return {
    countCards: (batch) =>
      read(async ({ statements: { all } }) => {
        const counts = { wanted: 0, delivered: 0, duplicate: 0, failed: 0, cancelled: 0 }
        const rows = await all(
          'SELECT state, count(*) AS count FROM batch_cards WHERE batch = $batch GROUP BY state',
          { batch },
        )
        for (const { state, count: cards } of rows) counts[state as CardState] = Number(cards)
        return counts
      }),

    countRows: (batch) => count('batch_rows WHERE batch = $batch', { batch }),

    countOrders: (batch) =>
      count(
        `(SELECT slot FROM batch_cards WHERE batch = $batch AND state IN ('wanted', 'delivered')
          UNION SELECT slot FROM orders WHERE batch = $batch AND standing = 'confirmed') AS slots`,
        { batch },
      ),

    countEnded: (batch) =>
      count(
        `(SELECT DISTINCT slot FROM orders WHERE batch = $batch AND standing = 'confirmed'
          AND NOT EXISTS (SELECT 1 FROM batch_cards
            WHERE batch_cards.batch = $batch AND batch_cards.slot = orders.slot AND state = 'wanted')) AS slots`,
        { batch },
      ),

    countInFlight: (batch) => count(`orders WHERE batch = $batch AND ${unfinishedCondition}`, { batch }),

    countUnknown: (batch, now) =>
      count(
        `batch_cards WHERE batch = $batch AND state = 'wanted' AND slot IN (
           SELECT slot FROM orders WHERE batch = $batch AND standing = 'confirming' AND number IN (
             SELECT order_number FROM calls
             WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown')
               AND (CAST($now AS BIGINT) IS NULL OR outcome <> 'sending' OR until < $now)))`,
        { batch, now: now ?? null },
      ),

    listUnknown: (batch) =>
      read(({ statements }) =>
        selectEntries(statements, { where: "batch = $batch AND standing = 'confirming'", values: { batch } }),
      ),

    listOrders: (batch) =>
      read(({ statements }) => selectEntries(statements, { where: 'batch = $batch', values: { batch } })),

    listErrors: (batch, limit) =>
      read(async ({ statements: { all } }) => {
        const rows = await all(
          `SELECT error, count(*) AS count FROM batch_cards WHERE batch = $batch AND state IN ('failed', 'duplicate')
           GROUP BY error ORDER BY count DESC, error LIMIT $limit`,
          { batch, limit },
        )
        return rows.map((row) => ({ error: String(row.error ?? 'unknown error'), count: Number(row.count) }))
      }),

    listSpent: (batch) => read(({ statements }) => listSpent(statements, batch)),
  }
}
