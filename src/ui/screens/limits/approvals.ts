// The approval of a batch, and the table of the batches that wait for one.
import { type Decimal, decimal } from '../../../contract/decimal.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import type { Field } from '../../text/fields.ts'
import { formatMoney } from '../../text/money.ts'
import { renderTable } from '../../text/table.ts'
import { formatRelative, formatTime } from '../../text/time.ts'

type RequestView = { readonly role: string; readonly askedAt: number }

export type ApprovalView = {
  readonly state: 'waiting' | 'approved' | 'expired'
  readonly cap?: Decimal
  readonly request?: RequestView
  readonly approval?: {
    /** An exact decimal. */
    readonly cap: string
    readonly role: string
    readonly until: number
  }
}

const describeRequest = ({ role, askedAt }: RequestView, view: View): string =>
  `${sanitize(role)}, ${formatTime(askedAt, view)}`

type ApprovedView = NonNullable<ApprovalView['approval']>

/** 'up to 5,000.00 USD by ana' */
const describeCap = ({ cap, role }: ApprovedView, wallet: string): string =>
  `up to ${formatMoney(decimal(cap), wallet)} by ${sanitize(role)}`

const describeEnd = (approval: ApprovedView | undefined, view: View): string | undefined =>
  approval === undefined ? undefined : formatTime(approval.until, view)

/** '! expired 3 s ago; ben had approved up to 1,200.00 USD' */
const describeExpired = ({ cap, role, until }: ApprovedView, wallet: string, view: View): string =>
  `${view.theme.warning(`! expired ${formatRelative(until, view.now)}`)}; ${sanitize(role)} had approved up to ${formatMoney(decimal(cap), wallet)}`

const describeApproval = ({ state, approval }: ApprovalView, wallet: string, view: View): string => {
  const { theme } = view
  if (state === 'waiting' || approval === undefined) return theme.warning('○ waiting')
  return state === 'approved'
    ? `${theme.good('✓ approved')} ${describeCap(approval, wallet)}`
    : describeExpired(approval, wallet, view)
}

/** The fields of a batch that needs an approval or has one. */
export const listApprovalFields = (status: ApprovalView | undefined, wallet: string, view: View): Field[] => {
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

type Earlier = {
  readonly plannedBy: string
  readonly request?: RequestView & {
    /** An exact decimal. */
    readonly cap: string
  }
  /** Newest first. */
  readonly approvals: readonly (NonNullable<ApprovalView['approval']> & { readonly isValid: boolean })[]
}

/** What an approver sees: who asks, and the last approval. */
export const listEarlierFields = (
  { plannedBy, request, approvals: [last] }: Earlier,
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

export type WaitingLine = {
  readonly name: string
  readonly wallet: string
  readonly profile: string
  readonly cards: { readonly ordered: number }
  readonly cap: Decimal
  readonly request: RequestView
  /** A valid approval of a smaller cap: an exact decimal. */
  readonly approvedCap?: string | undefined
}

export const renderWaiting = (lines: readonly WaitingLine[], view: View): string => {
  const isPartly = lines.some(({ approvedCap }) => approvedCap !== undefined)
  return renderTable(
    [
      { title: 'BATCH', narrow: 'cut' },
      { title: 'CARDS', align: 'right' },
      { title: 'CAP', align: 'right' },
      ...(isPartly ? [{ title: 'APPROVED', align: 'right' } as const] : []),
      { title: 'ASKED BY' },
      { title: 'WHEN' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    lines.map(({ name, cards, cap, approvedCap, wallet, request, profile }) => [
      name,
      String(cards.ordered),
      formatMoney(cap, wallet),
      ...(isPartly ? [approvedCap === undefined ? '' : formatMoney(decimal(approvedCap), wallet)] : []),
      request.role,
      formatRelative(request.askedAt, view.now),
      profile,
    ]),
    view,
  )
}
