// Renders what reconcile found out about an order, and the next step.

import { formatDuration } from '../../contract/duration.ts'
import { isFinal } from '../../contract/states.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { standingCell, standingMeaning } from './state.ts'

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
  if (state === 'creating' || state === 'lost')
    return 'The response to create was lost, and nothing was spent. Run create again.'
  if (state === 'created')
    return `${describeConfirm(row, suggest)} If you do nothing, it expires and costs nothing.`
  if (['expired', 'not-spent', 'refused', 'not-sent'].includes(state))
    return 'Nothing was spent. You can use its reference again.'
  if (state === 'partial')
    return `Show its cards: ${suggest`redeem ${orderId}`}. Find out what is missing: ${suggest`get ${orderId} --explain`}`
  if (state === 'failed' || state === 'rejected')
    return `Find out what happened: ${suggest`get ${orderId} --explain`}`
  return isFinal(state)
    ? `Show its cards: ${suggest`redeem ${orderId}`}`
    : `Wait for it: ${suggest`watch ${orderId}`}`
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
  if (provenAt === undefined) {
    return `${advice} Check again: ${command}. If it stays unknown and you know that it spent nothing, add --settle not-spent and --reason.`
  }
  const when = formatDuration(Math.max(1_000, provenAt - now))
  return `${advice} Check again in ${when}: ${command}`
}

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { orderId, reference, was, state, problem } = row
  const { text, paint } = standingCell(state, theme)
  const name = orderId === undefined ? 'An order without an id' : sanitize(orderId)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(name)}  ${paint(sanitize(text))}${change}, ${standingMeaning(state)}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable response:')} ${sanitize(problem)}`]),
    `  ${nextStep(row, view)}`,
    '',
  ].join('\n')
}

const maxNamed = 5

/** The message about orders that may have spent money. */
export const describeUnknownOrders = (ids: readonly string[]): string => {
  const named = ids.slice(0, maxNamed).map(sanitize)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const orders = ids.length === 1 ? 'the order' : `${ids.length} orders:`
  return `money may have been spent for ${orders} ${named.join(', ')}${more}`
}
