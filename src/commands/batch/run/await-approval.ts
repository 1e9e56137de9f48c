// Asks for the approval of a batch whose cap needs one, and waits for it.
import type { Context } from '../../../context.ts'
import { type Decimal, formatDecimal } from '../../../contract/decimal.ts'
import { formatDuration } from '../../../contract/duration.ts'
import { type Failure, interruption } from '../../../errors.ts'
import {
  type ApprovalState,
  findApprovalFacts,
  readApproval,
  requestApproval,
} from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { BatchStart } from '../../../journal/batches/batch-table.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { Journal } from '../../../journal/journal.ts'
import {
  createUnapprovedBatchFailure,
  findApprovalStatus,
  findCovering,
  findExpired,
  isCovered,
  listBarredRoles,
  needsApproval,
  writeApprove,
} from '../../../operations/approval.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { writeNote } from '../../shared/notes.ts'
import { createReplacedFailure, refuseCancelled } from '../cancelled.ts'

const pollMs = 3_000

type Wanted = {
  readonly journal: Journal
  readonly batches: Batches
  readonly batch: Batch
  readonly cap: Decimal
  /** Undefined: do not wait. */
  readonly waitMs: number | undefined
}

/**
 * Returns a check for the transaction that starts the batch, because the approval may expire before. Undefined if the
 * cap needs no approval.
 */
export const awaitApproval = async (
  context: Context,
  wanted: Wanted,
): Promise<BatchStart['checkApproval']> => {
  const { journal, batch, cap, waitMs } = wanted
  const found = await findApprovalFacts(journal, batch.number)
  if (!needsApproval(cap, found.limits)) return undefined
  const check: BatchStart['checkApproval'] = ({ limits, approvedCaps }) => {
    if (needsApproval(cap, limits) && !isCovered(cap, approvedCaps))
      throw createUnapprovedBatchFailure(batch, { cap, limits, outcome: 'nothing was sent' })
  }
  if (isCovered(cap, found.approvedCaps)) return check
  await requestApproval(journal, batch.number, { planId: batch.id, cap: formatDecimal(cap) })
  const asked = await readApproval(journal, batch)
  const barred = asked === undefined ? [] : listBarredRoles(asked)
  const status = asked && findApprovalStatus(batch, asked)
  const expired = findExpired(status)
  const smaller = status?.state === 'waiting' ? status.approval : undefined
  const refuse = (outcome: string): Failure =>
    createUnapprovedBatchFailure(batch, { cap, outcome, limits: found.limits, barred, expired, smaller })
  if (waitMs === undefined) throw refuse('nothing was sent')
  writeNote(
    context,
    `Waiting up to ${formatDuration(waitMs)} for an approval.\nAnother database role approves the batch: ${writeApprove(context.suggest, batch, cap)}\n`,
  )
  await waitForApproval(context, wanted, () =>
    refuse(`nobody approved it within ${formatDuration(waitMs)}, and nothing was sent`),
  )
  return check
}

const waitForApproval = async (
  { clock, interrupted, stderr }: Context,
  { journal, batches, batch, cap, waitMs = 0 }: Wanted,
  createTooLate: () => Failure,
): Promise<void> => {
  const endsAt = clock.monotonic() + waitMs
  for (;;) {
    const leftMs = endsAt - clock.monotonic()
    if (leftMs <= 0) throw createTooLate()
    await clock.sleep(Math.min(pollMs, leftMs), interrupted)
    if (interrupted.aborted) throw interruption(interrupted, 'the batch was not started; nothing was spent')
    const now = await batches.getBatch(batch.number)
    if (now === undefined) throw createReplacedFailure(batch)
    refuseCancelled(now)
    const state = await readApproval(journal, batch)
    if (state === undefined || !isAllowed(state, cap)) continue
    const role = findCovering(cap, state.approvals)?.role
    if (role !== undefined) writeNote({ stderr }, `Approved by ${sanitize(role)}\n`)
    return
  }
}

const isAllowed = ({ limits, approvals }: ApprovalState, cap: Decimal): boolean =>
  !needsApproval(cap, limits) || findCovering(cap, approvals) !== undefined
