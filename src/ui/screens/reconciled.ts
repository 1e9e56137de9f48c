// Renders what reconcile found out about an order, and the next step.

import { formatDuration } from '../../contract/duration.ts'
import { isFinal } from '../../contract/states.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { findStandingStyle, stateText } from './state.ts'

export type ReconciledRow = Pick<Entry, 'orderId' | 'reference' | 'state'> & {
  /** The state before reconcile. */
  readonly was: string
  /** A confirm may have spent money. */
  readonly isUnproven: boolean
  /** When another call can prove that nothing was spent. */
  readonly provenAt?: number
  readonly problem?: string
  /** The name of the batch that it belongs to. */
  readonly batch?: string
  /** It cannot be confirmed, because its total needs an approval. */
  readonly needsApproval?: boolean
}

/** The next step, for people and for JSON. */
export const nextStep = (row: ReconciledRow, { now, suggest }: Pick<View, 'now' | 'suggest'>): string => {
  const { orderId = '', state } = row
  if (row.isUnproven) return describeUnproven(row, now, suggest)
  const explain = suggest`get ${orderId} --explain`
  const read = `Show its cards: ${suggest`redeem ${orderId}`}`
  if (state === 'creating' || state === 'lost')
    return 'The response to create was lost, and nothing was spent. Run create again.'
  if (state === 'created')
    return `${describeConfirm(row, suggest)} If you do nothing, it expires and costs nothing.`
  if (['expired', 'not-spent', 'refused', 'not-sent'].includes(state))
    return 'Nothing was spent. You can use its reference again.'
  if (state === 'partial') return `${read}. Find out what is missing: ${explain}`
  if (state === 'failed' || state === 'rejected') return `Find out what happened: ${explain}`
  return isFinal(state) ? read : `Wait for it: ${suggest`watch ${orderId}`}`
}

/** An order of a batch is bought within the cap of the batch, so nobody confirms it by hand. */
const describeConfirm = ({ orderId = '', batch, needsApproval }: ReconciledRow, suggest: Suggest): string => {
  if (batch !== undefined) {
    return `It belongs to the batch ${sanitize(batch)}. To buy it, continue the batch: ${suggest`batch run ${batch}`}.`
  }
  return needsApproval === true
    ? 'It needs an approval, which only a batch can have.'
    : `Confirm it: ${suggest`confirm ${orderId}`}.`
}

const describeUnproven = (row: ReconciledRow, now: number, suggest: Suggest): string => {
  const { orderId = '', state, provenAt } = row
  const command = suggest`reconcile ${orderId}`
  const advice =
    state === 'created' ? `Not confirmed so far. ${describeConfirm(row, suggest)}` : 'Do not order again.'
  return provenAt === undefined
    ? `${advice} Check again: ${command}. If it stays unknown and you know that it spent nothing, add --settle not-spent and --reason.`
    : `${advice} Check again in ${formatDuration(Math.max(1_000, provenAt - now))}: ${command}`
}

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { orderId = 'An order without an id', reference, was, state, problem } = row
  const style = findStandingStyle(state)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(sanitize(orderId))}  ${stateText(state, theme, style)}${change}, ${style.meaning}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable response:')} ${sanitize(problem)}`]),
    `  ${nextStep(row, view)}`,
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
