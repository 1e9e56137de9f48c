// Renders what reconcile found out about an order, and the next step.

import type { Entry } from '../../journal/orders/entry.ts'
import type { OrderView } from '../../operations/view.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { formatNextStep, type NextStep } from './next-step.ts'
import { findEntryStyle, stateText } from './state.ts'

export type ReconciledRow = Pick<Entry, 'orderId' | 'reference' | 'state' | 'voidReason'> & {
  /** The state before reconcile. */
  readonly was: string
  readonly view: OrderView
  readonly next: NextStep
  readonly problem?: string | undefined
}

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { orderId = 'An order without an id', reference, was, state, problem } = row
  const style = findEntryStyle(row.voidReason, row.view)
  const next = formatNextStep(row.next)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(sanitize(orderId))}  ${stateText(state, theme, style)}${change}, ${style.meaning}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable response:')} ${sanitize(problem)}`]),
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
