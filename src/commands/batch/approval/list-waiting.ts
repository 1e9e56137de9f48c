// The steps of `orderctl batch list --waiting`.
import type { Context } from '../../../context.ts'
import type { Decimal } from '../../../contract/decimal.ts'
import { exitCodes } from '../../../exit-codes.ts'
import { type ApprovalRequest, listRequested } from '../../../journal/batches/approvals.ts'
import { openBatches } from '../../../journal/batches/batches.ts'
import type { Journal } from '../../../journal/journal.ts'
import type { ApprovalStatus } from '../../../operations/approval.ts'
import { summarizeBatch } from '../../../operations/batch/summary.ts'
import { renderWaiting } from '../../../ui/screens/limits/approvals.ts'
import { readInParallel } from '../../shared/journal/read-in-parallel.ts'
import { refuseUnknownProfile } from '../../shared/listed-account.ts'
import { writeNote } from '../../shared/notes.ts'
import type { OutputOptions } from '../../shared/options.ts'
import { outputFor } from '../../shared/output/output.ts'
import { viewOfTable } from '../../shared/output/view-of.ts'
import { approvalData, readApprovalStatus, summaryData } from '../print-batch.ts'
import type { Summarized } from '../screen.ts'

type WaitingStatus = ApprovalStatus & { readonly cap: Decimal; readonly request: ApprovalRequest }
type Waiting = Summarized & { readonly approval: WaitingStatus }

type Options = {
  readonly profile: string | undefined
  readonly limit: number
  readonly output: OutputOptions
}

/** Returns the exit code. Without a journal, no batch waits. */
export const listWaiting = async (
  context: Context,
  journal: Journal | undefined,
  { profile, limit, output }: Options,
): Promise<number> => {
  const found = journal === undefined ? [] : await readWaiting(journal, profile)
  if (found.length === 0) await refuseUnknownProfile(context, journal, profile)
  const all = found.slice(0, limit)
  if (found.length > all.length) {
    writeNote(context, `Showing ${limit} of ${found.length} batches. Use --limit to see more.\n`)
  }
  if (all.length === 0) writeNote(context, 'No batch waits for an approval\n')
  await outputFor(context, output).print({
    data: () =>
      all.map(({ batch, summary, approval }) => ({
        ...summaryData(batch, summary),
        approval: approvalData(approval),
      })),
    ids: all.map(({ batch }) => batch.name),
    screen: () =>
      all.length === 0
        ? ''
        : renderWaiting(
            all.map(({ batch, summary, approval: { state, cap, request, approval } }) => ({
              name: batch.name,
              wallet: batch.wallet,
              profile: batch.profile,
              cards: summary.cards,
              cap,
              request,
              approvedCap: state === 'waiting' ? approval?.cap : undefined,
            })),
            viewOfTable(context),
          ),
  })
  return exitCodes.ok.code
}

/** The newest request first. */
const readWaiting = async (journal: Journal, profile: string | undefined): Promise<Waiting[]> => {
  const batches = openBatches(journal)
  const numbers = await listRequested(journal, profile)
  const all = await readInParallel(numbers, async (number): Promise<Waiting[]> => {
    const batch = await batches.getBatch(number)
    if (batch === undefined) return []
    const { state, cap, request, ...status } = (await readApprovalStatus({ journal, batch })) ?? {}
    if (state === undefined || state === 'approved' || cap === undefined || request === undefined) return []
    return [
      { batch, summary: await summarizeBatch(batches, batch), approval: { ...status, state, cap, request } },
    ]
  })
  return all.flat()
}
