// The steps of `orderctl batch show`.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { ApprovalStatus } from '../../operations/batch/approval-status.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readOutputOptions } from '../shared/options.ts'
import { readApprovalStatus, readRunApproval } from './approval/state.ts'
import type { ShowFlags } from './flags.ts'
import { type OpenedBatch, withBatch } from './open-batch.ts'
import { printBatch } from './print-batch.ts'
import { printRows } from './print-rows.ts'
import { exitCodeOf } from './summary-data.ts'
import { watchBatch } from './watch-batch.ts'

/** Returns the exit code. */
export const showBatch = async (context: Context, named: string, flags: ShowFlags): Promise<number> => {
  const { output, hasRows, isWatched } = readShowOptions(flags)
  return withBatch(
    context,
    { named, profile: flags.profile, input: flags.input, mayWrite: false },
    async (opened) => {
      const ended = isWatched ? await watchBatch(context, opened, output) : undefined
      if (hasRows) await printRows(context, opened, output)
      else await printBatch(context, opened, output, { showsWorkers: true, readApproval })
      return ended === undefined ? exitCodes.ok.code : exitCodeOf(ended)
    },
  )
}

/** A batch that buys nothing more waits for no approval. */
const readApproval = (opened: OpenedBatch, { state }: BatchSummary): Promise<ApprovalStatus | undefined> =>
  state === 'successful' || state === 'cancelled' ? readRunApproval(opened) : readApprovalStatus(opened)

const readShowOptions = (flags: ShowFlags) => {
  const reader = createFlagReader('batch show')
  if (flags.rows === true && flags.quiet === true) {
    reader.addProblem('--quiet prints only the name, so it cannot be used with --rows', '--quiet')
  }
  const output = readOutputOptions(reader, flags)
  reader.check()
  return { output, hasRows: flags.rows === true, isWatched: flags.watch === true }
}
