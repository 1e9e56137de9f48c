// What is known about an order after reconcile, and what to do about it.
import { formatDuration } from '../../contract/duration.ts'
import { isFinal } from '../../contract/states.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { View } from '../terminal/view.ts'
import { standingCell, standingMeaning } from './state.ts'

export type ReconciledRow = {
  readonly orderId?: string | undefined
  readonly reference?: string | undefined
  /** The state before, and now. */
  readonly was: string
  readonly state: string
  /** A confirm may have spent. */
  readonly isUnproven: boolean
  /** When a further call can prove that nothing was spent. */
  readonly provenAt?: number | undefined
  readonly problem?: string | undefined
}

/** What to do next, for people and for JSON. */
export const nextStep = (row: ReconciledRow, now: number): string => {
  const { orderId, state } = row
  const order = quoteShellWord(safeText(orderId ?? ''))
  if (row.isUnproven) return unprovenStep(row, order, now)
  if (state === 'unanswered') return 'The answer to create was lost. Nothing was spent. Run the create again.'
  if (state === 'created')
    return `Confirm it: orderctl confirm ${order}. If you leave it, it expires and spends nothing.`
  if (state === 'expired' || state === 'refused' || state === 'not-sent')
    return 'Nothing was spent. Its reference can be used again.'
  if (state === 'partial')
    return `See its cards: orderctl redeem ${order}. See what is missing: orderctl get ${order} --explain`
  if (state === 'failed' || state === 'rejected') return `See what happened: orderctl get ${order} --explain`
  return isFinal(state) ? `See its cards: orderctl redeem ${order}` : `Wait for it: orderctl watch ${order}`
}

const unprovenStep = ({ state, provenAt }: ReconciledRow, order: string, now: number): string => {
  const command = `orderctl reconcile ${order}`
  const doubt =
    state === 'created'
      ? `Not confirmed so far. Confirm it: orderctl confirm ${order}.`
      : 'Do not order again.'
  if (provenAt === undefined) {
    return `${doubt} Ask again: ${command}. If it can never be settled: ${command} --settle spent|not-spent --reason TEXT`
  }
  const when = formatDuration(Math.max(1_000, provenAt - now))
  return `${doubt} It can be settled in ${when}: ${command}`
}

export const reconciledText = (row: ReconciledRow, { theme, now }: View): string => {
  const { orderId, reference, was, state, problem } = row
  const { text, paint } = standingCell(state, theme)
  const name = orderId === undefined ? 'An order without an id' : safeText(orderId)
  const change = was === state ? '' : ` (was ${safeText(was)})`
  return [
    `${theme.strong(name)}  ${paint(safeText(text))}${change}, ${standingMeaning(state)}`,
    ...(reference === undefined ? [] : [`  Reference ${safeText(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable answer:')} ${safeText(problem)}`]),
    `  ${nextStep(row, now)}`,
    '',
  ].join('\n')
}
