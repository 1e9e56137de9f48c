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

/** 'up to 5,000.00 USD by ana' */
const describeCap = ({ cap, role }: Approval, wallet: string): string =>
  `up to ${formatMoney(decimal(cap), wallet)} by ${sanitize(role)}`

const describeEnd = (approval: Approval | undefined, view: View): string | undefined =>
  approval === undefined ? undefined : formatTime(approval.until, view)

/** '! expired 3 s ago; ben had approved up to 1,200.00 USD' */
const describeExpired = ({ cap, role, until }: Approval, wallet: string, view: View): string =>
  `${view.theme.warning(`! expired ${formatRelative(until, view.now)}`)}; ${sanitize(role)} had approved up to ${formatMoney(decimal(cap), wallet)}`

const describeApproval = ({ state, approval }: ApprovalStatus, wallet: string, view: View): string => {
  const { theme } = view
  if (state === 'waiting' || approval === undefined) return theme.warning('○ waiting')
  return state === 'approved'
    ? `${theme.good('✓ approved')} ${describeCap(approval, wallet)}`
    : describeExpired(approval, wallet, view)
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
    ['Approval', describeApproval(status, wallet, view)],
    ['Approved', state === 'waiting' && approval !== undefined ? describeCap(approval, wallet) : undefined],
    ['Valid until', state === 'expired' ? undefined : describeEnd(approval, view)],
    ['Cap asked', state === 'approved' || cap === undefined ? undefined : formatMoney(cap, wallet)],
    ['Asked by', request === undefined ? undefined : describeRequest(request, view)],
  ]
}

/** What an approver sees: who asks, and the last approval. */
export const listEarlierFields = (
  { plannedBy, request, approvals: [last] }: Pick<ApprovalState, 'plannedBy' | 'request' | 'approvals'>,
  wallet: string,
  view: View,
): Field[] => [
  ['Planned by', sanitize(plannedBy)],
  ['Asked by', request === undefined ? undefined : describeRequest(request, view)],
  ['Cap asked', request === undefined ? undefined : formatMoney(decimal(request.cap), wallet)],
  [
    'Approval',
    last === undefined
      ? undefined
      : describeApproval({ state: last.isValid ? 'approved' : 'expired', approval: last }, wallet, view),
  ],
  ['Valid until', last?.isValid === true ? describeEnd(last, view) : undefined],
]
