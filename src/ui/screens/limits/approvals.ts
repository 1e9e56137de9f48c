// The approval of a batch.

import { decimal } from '../../../contract/decimal.ts'
import type { Approval, ApprovalRequest, ApprovalState } from '../../../journal/batches/approvals.ts'
import type { ApprovalStatus } from '../../../operations/approval.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { formatMoney } from '../../text/amounts.ts'
import type { Field } from '../../text/fields.ts'
import { formatRelative, formatTime } from '../../text/time.ts'

const describeRequest = ({ role, askedAt }: ApprovalRequest, view: View): string =>
  `${sanitize(role)}, ${formatTime(askedAt, view)}`

const formatCap = ({ cap }: Pick<Approval, 'cap'>, wallet: string): string =>
  formatMoney(decimal(cap), wallet)

/** 'up to 5,000.00 USD by ana' */
const describeCap = (approval: Approval, wallet: string): string =>
  `up to ${formatCap(approval, wallet)} by ${sanitize(approval.role)}`

/** '! expired 3 s ago; ben had approved up to 1,200.00 USD' */
const describeApproval = (
  state: ApprovalStatus['state'],
  approval: Approval | undefined,
  wallet: string,
  { theme, now }: View,
): string => {
  if (state === 'waiting' || approval === undefined) return theme.warning('○ waiting')
  return state === 'approved'
    ? `${theme.good('✓ approved')} ${describeCap(approval, wallet)}`
    : `${theme.warning(`! expired ${formatRelative(approval.until, now)}`)}; ${sanitize(approval.role)} had approved up to ${formatCap(approval, wallet)}`
}

/** The fields of a batch that needs an approval or has one. */
export const listApprovalFields = (
  status: ApprovalStatus | undefined,
  wallet: string,
  view: View,
): Field[] => {
  if (status === undefined) return []
  const { state, cap, request, approval } = status
  return [
    ['Approval', describeApproval(state, approval, wallet, view)],
    ['Approved', state === 'waiting' ? approval && describeCap(approval, wallet) : undefined],
    ['Valid until', state === 'expired' ? undefined : approval && formatTime(approval.until, view)],
    ['Cap asked', state === 'approved' ? undefined : cap && formatMoney(cap, wallet)],
    ['Asked by', request && describeRequest(request, view)],
  ]
}

/** What an approver sees: who asks, and the last approval. */
export const listEarlierFields = (
  { plannedBy, request, approvals: [last] }: Pick<ApprovalState, 'plannedBy' | 'request' | 'approvals'>,
  wallet: string,
  view: View,
): Field[] => [
  ['Planned by', sanitize(plannedBy)],
  ['Asked by', request && describeRequest(request, view)],
  ['Cap asked', request && formatCap(request, wallet)],
  ['Approval', last && describeApproval(last.isValid ? 'approved' : 'expired', last, wallet, view)],
  ['Valid until', last?.isValid === true ? formatTime(last.until, view) : undefined],
]
