// Why a batch could not be approved.
import { Failure } from '../../../errors.ts'
import type { ApprovalState } from '../../../journal/batches/approval-state.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'

export const createLocalJournalFailure = ({ name }: Batch): Failure =>
  new Failure('usage', `the batch ${name} is in the journal of this machine, which has no approvals`, {
    fix: 'Approvals need a journal that a team shares: set ORDERCTL_JOURNAL=postgres://user@host/database.',
  })

export const createOwnFailure = ({ name }: Batch, { ownRole, plannedBy }: ApprovalState): Failure =>
  new Failure(
    'not-approved',
    `the database role ${ownRole} ${ownRole === plannedBy ? 'planned the batch' : 'asked for the cap of the batch'} ${name}, so it cannot approve it`,
    { fix: `Another database role approves it: orderctl batch approve ${quoteShellWord(name)}` },
  )

export const createChangedFailure = ({ name }: Batch): Failure =>
  new Failure('refused', `the batch ${name} has changed in the meantime; nothing was approved`, {
    fix: `Read the plan again: orderctl batch approve ${quoteShellWord(name)}`,
  })

export const createForgedFailure = ({ name, id }: Batch): Failure =>
  new Failure('refused', `the rows of the batch ${name} do not match its id ${id}; nothing was approved`, {
    fix: 'Plan the rows again as another batch: orderctl batch plan FILE --name NAME',
  })
