// Lets a worker take part in a batch that another process has started.
import type { Context } from '../../../context.ts'
import { type Decimal, decimal } from '../../../contract/decimal.ts'
import { Failure } from '../../../errors.ts'
import { resumeBatch } from '../../../journal/batches/approvals.ts'
import type { StopReason } from '../../../journal/batches/batch.ts'
import { isCovered, needsApproval } from '../../../operations/approval.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import { formatSpentOf } from '../../../ui/screens/batch/batches.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { writeNote } from '../../shared/notes.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { maxTotalOf } from '../summary-data.ts'

type Joined = {
  readonly cap: Decimal
  /** Why the batch has stopped: then the worker buys nothing. */
  readonly stopped: StopReason | undefined
}

/** The consent is in the journal. Throws if nobody has started the batch. */
export const joinBatch = async (
  { stderr }: Pick<Context, 'stderr'>,
  { journal, batch }: OpenedBatch,
  { spent, cards }: BatchSummary,
): Promise<Joined> => {
  const { name, number, startedAt, stopped } = batch
  const cap = maxTotalOf(batch)
  if (startedAt === undefined || cap === undefined) {
    throw new Failure('usage', `the batch ${name} is not started, so a worker cannot take part in it`, {
      field: '--worker',
      fix: (suggest) => `Start it: ${suggest`batch run ${name} --max-total AMOUNT`}`,
    })
  }
  const continues = async (): Promise<boolean> =>
    resumeBatch(journal, number, ({ limits, approvedCaps }, consented) => {
      const total = decimal(consented)
      return !needsApproval(total, limits) || isCovered(total, approvedCaps)
    })
  if (stopped !== undefined && !(stopped === 'approval' && (await continues()))) return { cap, stopped }
  writeNote(
    { stderr },
    `Taking part in the batch ${sanitize(name)}: ${formatSpentOf(spent, batch)} spent, ` +
      `${cards.delivered} of ${cards.ordered} cards delivered\n`,
  )
  return { cap, stopped: undefined }
}
