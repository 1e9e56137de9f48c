// Why a batch could not be approved.
import { type Decimal, formatAmount } from '../../../contract/decimal.ts'
import { Failure, type Fix } from '../../../errors.ts'
import type { ApprovalState } from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { writeApprove } from '../../../operations/approval.ts'

export const createLocalJournalFailure = ({ name }: Batch): Failure =>
  new Failure('usage', `the batch ${name} is in the journal of this machine, which has no approvals`, {
    fix: 'Approvals need a journal that a team shares: set ORDERCTL_JOURNAL=postgres://user@host/database.',
  })

export const createOwnFailure = ({ name }: Batch, { ownRole, plannedBy }: ApprovalState): Failure =>
  new Failure(
    'not-approved',
    `the database role ${ownRole} ${ownRole === plannedBy ? 'planned the batch' : 'asked for the cap of the batch'} ${name}, so it cannot approve it`,
    { fix: (suggest) => `Another database role approves it: ${suggest`batch approve ${name}`}` },
  )

type Shown = {
  /** The cap to approve. */
  readonly cap: Decimal
  /** Whether the user has seen the plan. */
  readonly isShown: boolean
}

/** The command that approves the plan, for a user who has seen the plan. */
const adviseApproval =
  (batch: Batch, { cap, isShown }: Shown): Fix =>
  (suggest) =>
    isShown
      ? `If this plan is right: ${writeApprove(suggest, batch, cap)}`
      : `Read the plan first: ${suggest`batch show ${batch.name} --rows`}`

export const createOtherPlanFailure = (batch: Batch, planId: string, shown: Shown): Failure =>
  new Failure('refused', `the batch ${batch.name} has another plan than ${planId}; nothing was approved`, {
    field: '--plan',
    fix: adviseApproval(batch, shown),
  })

export const createHigherFailure = (batch: Batch, higher: Decimal, shown: Shown): Failure => {
  const [given, asked] = [higher, shown.cap].map((amount) => formatAmount(amount, batch.wallet))
  return new Failure(
    'refused',
    `nobody has asked for a cap of ${given} of the batch ${batch.name}, but for ${asked}; nothing was approved`,
    { field: '--max-total', fix: adviseApproval(batch, shown) },
  )
}

export const createNoConsentFailure = (batch: Batch, shown: Shown): Failure =>
  new Failure('usage', 'without a prompt, batch approve needs --plan and --max-total; nothing was approved', {
    fix: adviseApproval(batch, shown),
  })

export const createForgedFailure = ({ name, id }: Batch): Failure =>
  new Failure('refused', `the rows of the batch ${name} do not match its id ${id}; nothing was approved`, {
    fix: (suggest) => `Plan the rows again as another batch: ${suggest`batch plan FILE --name NAME`}`,
  })
