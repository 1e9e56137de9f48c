// Finds out whether a batch waits for an approval, or has one.
import { type Decimal, decimal } from '../../contract/decimal.ts'
import type { Approval, ApprovalRequest, ApprovalState } from '../../journal/batches/approval-state.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import { findCovering, needsApproval } from '../approval.ts'

export type ApprovalStatus = {
  /** Expired: an approval of this cap was valid, and nobody has approved it again. */
  readonly state: 'waiting' | 'approved' | 'expired'
  /** The cap that somebody asked for, or else that of the last run. */
  readonly cap?: Decimal
  readonly request?: ApprovalRequest
  /** If the state is waiting: a valid approval of a smaller cap. If it is expired: the expired approval. */
  readonly approval?: Approval
}

/** Undefined if the batch needs no approval and has none. */
export const findApprovalStatus = (
  { maxTotal }: Pick<Batch, 'maxTotal'>,
  { limits, request, approvals }: ApprovalState,
): ApprovalStatus | undefined => {
  const wanted = request?.cap ?? maxTotal
  if (wanted === undefined) {
    const approval = approvals.find(({ isValid }) => isValid)
    return approval && { state: 'approved', approval }
  }
  const cap = decimal(wanted)
  const approval = findCovering(cap, approvals)
  if (approval !== undefined) return { state: 'approved', cap, request, approval }
  if (!needsApproval(cap, limits)) return undefined
  const [smaller] = approvals
    .filter(({ isValid }) => isValid)
    .toSorted((one, other) => decimal(other.cap).cmp(decimal(one.cap)))
  if (smaller !== undefined) return { state: 'waiting', cap, request, approval: smaller }
  const expired = approvals.find(({ cap: approved, isValid }) => !isValid && cap.lte(decimal(approved)))
  return expired === undefined
    ? { state: 'waiting', cap, request }
    : { state: 'expired', cap, request, approval: expired }
}

/** The approval of the cap that has expired. */
export const findExpired = (status: ApprovalStatus | undefined): Approval | undefined =>
  status?.state === 'expired' ? status.approval : undefined

/** The database roles that cannot approve the batch. */
export const listBarredRoles = ({ plannedBy, request }: ApprovalState): string[] => [
  ...new Set([plannedBy, ...(request === undefined ? [] : [request.role])]),
]
