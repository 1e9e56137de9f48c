// Checks that the rows in the journal are those that the id of a batch was computed from, before it is approved.
import type { AccountId } from '../../../contract/account-id.ts'
import { decimal } from '../../../contract/decimal.ts'
import type { StoredPlan } from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { identifyBatch } from './identify.ts'

/** Each row must have exactly the cards that it wants, because an approver sees the rows. */
export const isGenuinePlan = (
  { id, columns, wallet }: Pick<Batch, 'id' | 'columns' | 'wallet'>,
  account: AccountId,
  { rows, cardsOf }: StoredPlan,
): boolean => {
  const batchRows = rows.map(({ quote, ...row }) => ({ ...row, quote: decimal(quote) }))
  return (
    identifyBatch({ columns, rows: batchRows }, account, wallet) === id &&
    rows.length === cardsOf.size &&
    rows.every(({ row, quantity }) => cardsOf.get(row) === quantity)
  )
}
