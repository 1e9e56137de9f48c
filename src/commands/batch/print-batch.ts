// Prints a batch, and what to type next.
import type { Context } from '../../context.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { ApprovalStatus } from '../../operations/batch/approval-status.ts'
import { type BatchSummary, summarizeBatch } from '../../operations/batch/summary.ts'
import type { OutputOptions } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { approvalData } from './approval/state.ts'
import type { OpenedBatch } from './open-batch.ts'
import type { Summarized } from './screen.ts'
import { summaryData } from './summary-data.ts'
import { readWorkers, workerData } from './workers.ts'

/** Reads the batch again, because another process may run it. `now`: see summarizeBatch. */
export const summarizeAgain = async (
  { batches, batch: known }: Pick<OpenedBatch, 'batches' | 'batch'>,
  now?: number,
): Promise<Summarized> => {
  const batch: Batch = (await batches.getBatch(known.number)) ?? known
  return { batch, summary: await summarizeBatch(batches, batch, now) }
}

type PrintOptions = {
  readonly now?: number | undefined
  readonly printsSteps?: boolean
  /** Shows the processes that buy the batch. */
  readonly showsWorkers?: boolean
  /** Reads the approval to show. */
  readonly readApproval?: (opened: OpenedBatch, summary: BatchSummary) => Promise<ApprovalStatus | undefined>
}

export const printBatch = async (
  context: Context,
  opened: OpenedBatch,
  output: OutputOptions,
  { now, printsSteps = true, showsWorkers = false, readApproval }: PrintOptions = {},
): Promise<Summarized> => {
  const summarized = await summarizeAgain(opened, now)
  const { batch, summary } = summarized
  const approval = await readApproval?.({ ...opened, batch }, summary)
  const workers = showsWorkers ? await readWorkers(opened.batches, batch, summary) : undefined
  await outputFor(context, output).print({
    data: () => ({
      ...summaryData(batch, summary),
      ...(readApproval === undefined ? {} : { approval: approvalData(approval) }),
      ...(workers === undefined ? {} : { workers: workers.map(workerData) }),
    }),
    ids: [batch.name],
    screen: async () => {
      const { batchScreen } = await import('./screen.ts')
      const { maxErrors } = await import('../../ui/screens/batch/batch.ts')
      const [unknownOrders, errors] = await Promise.all([
        summary.cards.unknown === 0 ? [] : opened.batches.listUnknown(batch.number),
        opened.batches.listErrors(batch.number, maxErrors + 1),
      ])
      return batchScreen(context, summarized, { unknownOrders, errors, workers, approval })
    },
  })
  if (printsSteps && output.format === 'screen')
    (await import('./screen.ts')).printNextSteps(context, { ...summarized, approval }, workers)
  return summarized
}
