// Before an approval, checks that the rows of a batch in the journal match its id.
import type { AccountId } from '../../../contract/account-id.ts'
import { decimal } from '../../../contract/decimal.ts'
import type { StoredPlan } from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { identifyBatch } from './identify.ts'

/** An approver sees only the rows, so each row must have exactly as many cards as it wants. */
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
