// Reads what a report on a batch shows: its orders and why cards failed.
import { type Entry, unfinishedCondition } from '../entry.ts'
import type { JournalParts } from '../journal.ts'

export type CardError = { readonly error: string; readonly count: number }

export const createReportTable = ({ tables }: JournalParts) => {
  const { queries, selectEntries } = tables
  const { all } = tables.statements
  return {
    listCalls: queries.listCalls,

    /** Newest first. */
    listOrders: (batch: number): Promise<Entry[]> =>
      selectEntries({ where: 'batch = $batch', values: { batch } }),

    countInFlight: async (batch: number): Promise<number> => {
      const [found] = await all(
        `SELECT count(*) AS count FROM orders WHERE batch = $batch AND ${unfinishedCondition}`,
        { batch },
      )
      return Number(found?.count)
    },

    /** The most frequent first. */
    listErrors: async (batch: number, limit: number): Promise<CardError[]> => {
      const rows = await all(
        `SELECT error, count(*) AS count FROM batch_cards WHERE batch = $batch AND state = 'failed'
         GROUP BY error ORDER BY count DESC, error LIMIT $limit`,
        { batch, limit },
      )
      return rows.map(({ error, count }) => ({
        error: String(error ?? 'unknown error'),
        count: Number(count),
      }))
    },
  }
}
