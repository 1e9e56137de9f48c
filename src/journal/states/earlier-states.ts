// Judges by the earlier states of an order whether an answer of the service is stale.
import { hasReached } from '../../contract/states.ts'
import type { Statements } from '../database/database.ts'
import type { Entry } from '../entry.ts'

export const createEarlierStates = ({ all }: Pick<Statements, 'all'>) => ({
  /** For a documented state of an order in an undocumented one: whether the order has passed it before. */
  hasPassed: async ({ number }: Entry, state: string): Promise<boolean> => {
    const rows = await all('SELECT state FROM states WHERE order_number = $number', { number })
    return rows.some((row) => row.state !== state && hasReached(String(row.state), state))
  },

  /** For an undocumented state: the service may have a name of its own for a pending order. */
  wasBeforeConfirm: async ({ number, confirmedAt }: Entry, state: string): Promise<boolean> => {
    const rows = await all(
      `SELECT 1 AS found FROM states WHERE order_number = $number AND state = $state AND at <= coalesce(
         (SELECT min(started_at) FROM calls WHERE order_number = $number AND operation = 'confirm'),
         CAST($confirmedAt AS BIGINT) - 1) LIMIT 1`,
      { number, state, confirmedAt: confirmedAt ?? null },
    )
    return rows.length > 0
  },
})
