// Reads the approval of a batch, and converts it to JSON.
import { decimal } from '../../../contract/decimal.ts'
import { readApproval } from '../../../journal/batches/approvals.ts'
import { type ApprovalStatus, findApprovalStatus } from '../../../operations/batch/approval-status.ts'
import { isoTime } from '../../shared/journal/entry-data.ts'
import type { OpenedBatch } from '../open-batch.ts'

/** Undefined if the batch needs no approval and has none. */
export const readApprovalStatus = async ({
  journal,
  batch,
}: Pick<OpenedBatch, 'journal' | 'batch'>): Promise<ApprovalStatus | undefined> => {
  const state = await readApproval(journal, batch)
  return state && findApprovalStatus(batch, state)
}

/** For the cap of the last run. Somebody may have asked for another cap since then. */
export const readRunApproval = async ({
  journal,
  batch,
}: Pick<OpenedBatch, 'journal' | 'batch'>): Promise<ApprovalStatus | undefined> => {
  const found = await readApproval(journal, batch)
  if (found === undefined) return undefined
  const { request, ...state } = found
  const isOther = request?.cap !== batch.maxTotal
  return findApprovalStatus(batch, isOther || request === undefined ? state : { ...state, request })
}

export const approvalData = (status: ApprovalStatus | undefined) => {
  if (status === undefined) return null
  const { state, cap, request, approval } = status
  return {
    state,
    maxTotal: cap ?? null,
    askedBy: request?.role ?? null,
    askedAt: request === undefined ? null : isoTime(request.askedAt),
    approvedMaxTotal: approval === undefined ? null : decimal(approval.cap),
    approvedBy: approval?.role ?? null,
    approvedAt: approval === undefined ? null : isoTime(approval.approvedAt),
    until: approval === undefined ? null : isoTime(approval.until),
  }
}
