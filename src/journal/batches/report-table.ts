// Reads what a report on a batch shows: its orders and why cards failed.
import type { Entry } from '../entry.ts'
import type { JournalParts } from '../journal.ts'
import { unfinishedCondition } from '../schema.ts'
import { createSelectEntries } from '../select-entries.ts'

export type CardError = { readonly error: string; readonly count: number }

export const createReportTable = ({ database, queries }: JournalParts) => {
  const selectEntries = createSelectEntries(database)
  return {
    listCalls: queries.listCalls,

    /** Newest first. */
    listOrders: (batch: number): Entry[] => selectEntries({ where: 'batch = $batch', values: { batch } }),

    countInFlight: (batch: number): number =>
      Number(
        database
          .prepare(`SELECT count(*) AS count FROM orders WHERE batch = ? AND ${unfinishedCondition}`)
          .get(batch)?.count,
      ),

    /** The most frequent first. */
    listErrors: (batch: number, limit: number): CardError[] =>
      database
        .prepare(
          `SELECT error, count(*) AS count FROM batch_cards WHERE batch = ? AND state = 'failed'
           GROUP BY error ORDER BY count DESC, error LIMIT ?`,
        )
        .all(batch, limit)
        .map(({ error, count }) => ({ error: String(error ?? 'unknown error'), count: Number(count) })),
  }
}
