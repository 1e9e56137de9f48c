// The failures of a batch that a budget or a missing approval has stopped.
import { zero } from '../../../contract/decimal.ts'
import { type BudgetDetails, Failure } from '../../../errors.ts'
import { describeExpiry } from '../../../operations/approval.ts'
import { type ApprovalStatus, findExpired } from '../../../operations/batch/approval-status.ts'
import type { Summarized } from '../screen.ts'

type Stopped = {
  /** What the batch has not bought. */
  readonly missing: string
  /** The command that continues it. */
  readonly run: string
}

export const createBudgetFailure = (
  { batch: { name, profile }, summary: { spent } }: Summarized,
  { budget, missing, run }: Stopped & { readonly budget: BudgetDetails | undefined },
): Failure => {
  const isUnspent = spent.eq(zero)
  const outcome = isUnspent ? `nothing was spent; ${missing}` : missing
  return new Failure(
    isUnspent ? 'not-approved' : 'stopped',
    `the batch ${name} stopped at ${budget?.text ?? 'a budget'}; ${outcome}`,
    {
      budget,
      fix: (suggest) =>
        `Continue when the budget allows it: ${run}. See what is left: ${suggest`profile limits ${profile}`}`,
    },
  )
}

export const createApprovalFailure = (
  { batch: { name }, summary: { spent } }: Summarized,
  { approval, missing, run }: Stopped & { readonly approval: ApprovalStatus | undefined },
): Failure => {
  const isUnspent = spent.eq(zero)
  const expired = findExpired(approval)
  const reason =
    expired === undefined
      ? `the batch ${name} had no valid approval`
      : describeExpiry(expired, `the approval of the batch ${name}`)
  return new Failure(
    isUnspent ? 'not-approved' : 'stopped',
    `${reason}${isUnspent ? '; nothing was spent' : ''}; ${missing}`,
    { fix: `${approval?.state === 'approved' ? 'It has one now. Continue' : 'Ask for an approval'}: ${run}` },
  )
}
