// Finds out whether a batch waits for an approval, or has one.
import { type Decimal, decimal } from '../../contract/decimal.ts'
import type { Approval, ApprovalRequest, ApprovalState } from '../../journal/batches/approvals.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import { findCovering, needsApproval } from '../approval.ts'

export type ApprovalStatus = {
  /** Expired, withdrawn: an approval of this cap was valid, and nobody has approved it again. */
  readonly state: 'waiting' | 'approved' | 'expired' | 'withdrawn'
  /** The cap that somebody asked for, or else that of the last run. */
  readonly cap?: Decimal
  readonly request?: ApprovalRequest
  readonly approval?: Approval
}

/** Undefined if the batch needs no approval and has none. */
export const findApprovalStatus = (
  { maxTotal }: Pick<Batch, 'maxTotal'>,
  { limits, request, approvals }: ApprovalState,
): ApprovalStatus | undefined => {
  const wanted = request?.cap ?? maxTotal
  const asked = request === undefined ? {} : { request }
  if (wanted === undefined) {
    const approval = approvals.find(({ isValid }) => isValid)
    return approval && { state: 'approved', approval }
  }
  const cap = decimal(wanted)
  const approval = findCovering(cap, approvals)
  if (approval !== undefined) return { state: 'approved', cap, ...asked, approval }
  if (!needsApproval(cap, limits)) return undefined
  const ended = approvals.find(({ cap: approved, isValid }) => !isValid && cap.lte(decimal(approved)))
  if (ended === undefined) return { state: 'waiting', cap, ...asked }
  const state = ended.withdrawnAt === undefined ? 'expired' : 'withdrawn'
  return { state, cap, ...asked, approval: ended }
}

/** The database roles that cannot approve the batch. */
export const listBarredRoles = ({ plannedBy, request }: ApprovalState): string[] => [
  ...new Set([plannedBy, ...(request === undefined ? [] : [request.role])]),
]
