// Counts and lists the rows, cards and orders of a batch, for summaries and reports.
import type { Access } from '../access.ts'
import type { Value } from '../database/database.ts'
import type { Entry } from '../orders/entry.ts'
import { selectEntries } from '../orders/queries.ts'
import { selectRows } from '../orders/row.ts'
import { unfinishedCondition, unknownCondition } from '../orders/standings.ts'
import { batchCards } from '../tables/batches.ts'
import type { CardCounts, CardState } from './batch.ts'
import { readCommitted } from './slot-guard.ts'

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

/** Orders that are not expected to stay as they are. */
export const countInFlight = counting(`orders WHERE batch = $batch AND ${unfinishedCondition}`)

const countUndelivered = counting(
  `batch_cards WHERE batch = $batch AND state = 'wanted' AND slot IN (
     SELECT slot FROM orders WHERE batch = $batch AND ${unknownCondition} AND number IN (
       SELECT order_number FROM calls
       WHERE operation = 'confirm' AND settled IS NULL AND outcome IN ('sending', 'unknown')
         AND (CAST($now AS BIGINT) IS NULL OR outcome <> 'sending' OR until < $now)))`,
)

/**
 * Wanted cards of slots with a confirm whose outcome is unknown. With `now`, a confirm whose response may still arrive
 * does not count.
 */
export const countUnknownCards = (access: Access, batch: number, now?: number): Promise<number> =>
  countUndelivered(access, batch, { now: now ?? null })

/** Orders with a confirm whose outcome is unknown. */
export const listUnknownOrders = (access: Access, batch: number): Promise<Entry[]> =>
  selectEntries(access, { where: `batch = $batch AND ${unknownCondition}`, values: { batch } })

/** All orders, the newest first. */
export const listBatchOrders = (access: Access, batch: number): Promise<Entry[]> =>
  selectEntries(access, { where: 'batch = $batch', values: { batch } })

export type CardError = { readonly error: string; readonly count: number }

/** Why cards failed or are duplicates, the most frequent error first. */
export const listCardErrors = async (access: Access, batch: number, limit: number): Promise<CardError[]> => {
  const sql = `SELECT error, count(*) AS count FROM batch_cards
    WHERE batch = $batch AND state IN ('failed', 'duplicate')
    GROUP BY error ORDER BY count DESC, error LIMIT $limit`
  const found = await selectRows<Partial<CardError>>(access, batchCards, sql, { batch, limit })
  return found.map(({ error = 'unknown error', count = 0 }) => ({ error, count }))
}

/** Of the orders that did not deliver all their cards: `delivered` is NULL until an order is final. */
export const readShort = (access: Access, batch: number) =>
  readCommitted(access, batch, undefined, "standing = 'confirmed' AND delivered < cards")
