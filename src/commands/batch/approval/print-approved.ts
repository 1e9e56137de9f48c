// Prints what an approval allows.
import type { Context } from '../../../context.ts'
import type { Decimal } from '../../../contract/decimal.ts'
import type { ApprovalState } from '../../../journal/batches/approval-state.ts'
import { writeNote } from '../../shared/notes.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { printBatch } from '../print-batch.ts'
import type { ApproveOptions } from './options.ts'
import { readApprovalStatus } from './state.ts'

type Granted = {
  /** Before this approval. */
  readonly state: ApprovalState
  readonly cap: Decimal
  readonly until: number
  readonly options: ApproveOptions
}

export const printApproved = async (
  context: Context,
  opened: OpenedBatch,
  { state, cap, until, options: { output } }: Granted,
): Promise<void> => {
  if (output.format !== 'screen') {
    await printBatch(context, opened, output, { readApproval: readApprovalStatus })
    return
  }
  const { approvedLines } = await import('./screen.ts')
  const { line, notes } = approvedLines(context, opened.batch, { state, cap, until })
  context.stdout.write(`${line}\n`)
  for (const note of notes) writeNote(context, `${note}\n`)
}
