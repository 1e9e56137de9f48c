// Before an approval, checks that the rows of a batch in the journal match its id.
import type { AccountId } from '../../../contract/account-id.ts'
import { decimal } from '../../../contract/decimal.ts'
import type { StoredPlan } from '../../../journal/batches/approvals.ts'
import type { Batch, StoredRow } from '../../../journal/batches/batch.ts'
import { identifyBatch } from './identify.ts'

type Plan = Pick<Batch, 'id' | 'columns' | 'wallet'>

/** Whether the id of the plan is that of the rows. */
export const hasRows = (
  { id, columns, wallet }: Plan,
  account: AccountId,
  stored: readonly StoredRow[],
): boolean => {
  const rows = stored.map(({ quote, ...row }) => ({ ...row, quote: decimal(quote) }))
  return identifyBatch({ columns, rows }, account, wallet) === id
}

/** An approver sees only the rows, so each row must have exactly as many cards as it wants. */
export const isGenuinePlan = (plan: Plan, account: AccountId, { rows, cardsOf }: StoredPlan): boolean =>
  hasRows(plan, account, rows) &&
  rows.length === cardsOf.size &&
  rows.every(({ row, quantity }) => cardsOf.get(row) === quantity)
