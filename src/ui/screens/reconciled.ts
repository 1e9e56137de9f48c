// Renders what reconcile found out about an order, and the next step.

import { formatUtcTime } from '../../contract/time/timestamp.ts'
import type { OrderView } from '../../operations/view.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import type { ResultFields } from '../text/result-fields.ts'
import { formatNextStep, type NextStep } from './next-step.ts'
import { type ListedOrder, listedFields } from './orders.ts'
import { findEntryStyle, refutedAdvice, stateText } from './state.ts'

export type ReconciledRow = ListedOrder & {
  /** The state before reconcile. */
  readonly was: string
  readonly view: OrderView
  readonly next: NextStep
  readonly problem?: string | undefined
}

export const reconciledFields: ResultFields<ReconciledRow> = [
  ...listedFields,
  ['was', ({ was }) => was],
  ['safeFrom', ({ view: { provenAt } }) => provenAt && formatUtcTime(provenAt)],
  ['problem', ({ problem }) => problem],
  ['next', ({ next }) => next.command],
  ['advice', ({ next }) => next.advice],
]

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { was, problem } = row
  const { orderId = 'An order without an id', reference, state, voidReason } = row.entry
  const style = findEntryStyle(voidReason, row.view)
  const next = formatNextStep(row.next)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(sanitize(orderId))}  ${stateText(state, theme, style)}${change}, ${style.meaning}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable response:')} ${sanitize(problem)}`]),
    ...(row.view.decision === 'refuted'
      ? [`  ${theme.bad('Settled as not spent, but it is paid.')} ${refutedAdvice}`]
      : []),
    ...(next === '' ? [] : [`  ${next}`]),
    '',
  ].join('\n')
}

/** The message about orders that may have spent money. */
export const describeUnknownOrders = (ids: readonly string[]): string => {
  const named = ids.slice(0, 5).map(sanitize)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const orders = ids.length === 1 ? 'the order' : `${ids.length} orders:`
  return `money may have been spent for ${orders} ${named.join(', ')}${more}`
}
