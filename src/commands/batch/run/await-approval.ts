// Asks for the approval of a batch whose cap needs one, and waits for it.

import { writeNote } from '../../../app/notes.ts'
import { formatDuration } from '../../../contract/duration.ts'
import { type Decimal, formatDecimal } from '../../../contract/money/decimal.ts'
import { type Failure, interruption } from '../../../errors.ts'
import { readApproval, requestApproval } from '../../../journal/batches/approvals.ts'
import { type Batch, getBatch } from '../../../journal/batches/batches.ts'
import { type RunFacts, readApprovalFacts } from '../../../journal/limits.ts'
import {
  createPreparingFailure,
  createUnapprovedBatchFailure,
  findApprovalStatus,
  findCovering,
  findExpired,
  isCovered,
  listBarredRoles,
  needsApproval,
  writeApprove,
} from '../../../operations/approval.ts'
import { sanitize } from '../../../ui/terminal/text.ts'
import { createReplacedFailure, refuseCancelled } from '../cancelled.ts'
import type { BatchToRun } from '../open-batch.ts'

const pollMs = 3_000

/** Returns a check that the transaction of the start repeats, because the approval may expire before it. */
export const awaitApproval = async (run: BatchToRun, cap: Decimal) => {
  const { context, journal, batch, options } = run
  const { waitApproval: waitMs } = options
  const isMissing = ({ limits, approvedCaps }: RunFacts): boolean =>
    needsApproval(cap, limits) && !isCovered(cap, approvedCaps)
  const check = (facts: RunFacts): void => {
    refusePreparing(batch, facts)
    if (isMissing(facts))
      throw createUnapprovedBatchFailure(batch, { cap, limits: facts.limits, outcome: 'nothing was sent' })
  }
  const found = await readApprovalFacts(journal.read, batch.number)
  refusePreparing(batch, found)
  if (!isMissing(found)) return check
  await requestApproval(journal, batch.number, { planId: batch.id, cap: formatDecimal(cap) })
  const asked = await readApproval(journal.read, batch)
  const status = asked && findApprovalStatus(batch, asked)
  const refuse = (outcome: string): Failure =>
    createUnapprovedBatchFailure(batch, {
      cap,
      outcome,
      limits: found.limits,
      barred: asked && listBarredRoles(asked),
      expired: findExpired(status),
      smaller: status?.state === 'waiting' ? status.approval : undefined,
    })
  if (waitMs === undefined) throw refuse('nothing was sent')
  const wait = formatDuration(waitMs)
  writeNote(
    context,
    `Waiting up to ${wait} for an approval.\nAnother database role approves the batch: ${writeApprove(context.suggest, batch, cap)}\n`,
  )
  if (!(await waitForApproval(run, cap, waitMs)))
    throw refuse(`no one approved it within ${wait}, and nothing was sent`)
  return check
}

/** Throws if the database role may only plan the batch. */
export const refusePreparing = ({ name }: Pick<Batch, 'name'>, { preparing }: RunFacts): void => {
  if (preparing === undefined) return
  throw createPreparingFailure(preparing, {
    outcome: 'nothing was sent',
    write: (suggest) => suggest`batch run ${name}`,
  })
}

/** Returns false if nobody approved the cap in time. */
const waitForApproval = async (run: BatchToRun, cap: Decimal, waitMs: number): Promise<boolean> => {
  const { context, journal, batch } = run
  const { clock, interrupted } = context
  const endsAt = clock.monotonic() + waitMs
  for (;;) {
    const leftMs = endsAt - clock.monotonic()
    if (leftMs <= 0) return false
    await clock.sleep(Math.min(pollMs, leftMs), interrupted)
    if (interrupted.aborted) throw interruption(interrupted, 'the batch was not started; nothing was spent')
    const now = await getBatch(journal.read, batch.number)
    if (now === undefined) throw createReplacedFailure(batch)
    refuseCancelled(now)
    const state = await readApproval(journal.read, batch)
    const approval = state && findCovering(cap, state.approvals)
    if (approval !== undefined) writeNote(context, `Approved by ${sanitize(approval.role)}\n`)
    if (approval !== undefined || (state !== undefined && !needsApproval(cap, state.limits))) return true
  }
}
