// The orders that reconcile has asked for.

import type { Entry } from '../../journal/orders/entries.ts'
import type { OrderView } from '../../operations/view.ts'
import { sanitize } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import type { ResultFields } from '../text/result-fields.ts'
import { listedFields, type OrderFacts } from './orders.ts'
import { findViewStyle, formatSuggestion, refutedAdvice, type Suggestion, stateText } from './state.ts'

export type ReconciledRow = OrderFacts & {
  readonly entry: Entry
  readonly view: OrderView
  /** The state before reconcile. */
  readonly was: string
  readonly next: Suggestion
  readonly problem?: string | undefined
}

export const reconciledFields: ResultFields<ReconciledRow> = [
  ...listedFields,
  ['was', 'text', 'its state before', ({ was }) => was],
  ['safeFrom', 'time', 'when reconcile can first prove what was spent', ({ view }) => view.provenAt],
  ['problem', 'text', 'why the service did not show the order', ({ problem }) => problem],
  ['next', 'text', 'the next command', ({ next }) => next.command],
  ['advice', 'text', 'what to do', ({ next }) => next.advice],
]

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { was, problem } = row
  const { orderId = 'An order without an id', reference, state } = row.entry
  const style = findViewStyle(row.view)
  const next = formatSuggestion(row.next)
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
