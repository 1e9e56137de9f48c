// What is known now of an order that was open, and what a person must decide.
import { lengthText } from '../contract/duration.ts'
import { shellWord } from '../contract/shell-word.ts'
import { isFinal } from '../contract/states.ts'
import { safeText } from './safe-text.ts'
import { standingCell, standingMeaning } from './state.ts'
import type { View } from './view.ts'

export type ReconciledRow = {
  readonly orderId?: string | undefined
  readonly reference?: string | undefined
  /** How it stood before, and stands now. */
  readonly was: string
  readonly state: string
  /** When asking again can settle it. */
  readonly settlesAt?: number | undefined
  readonly problem?: string | undefined
}

/** One sentence: what to do, or that nothing is to do. */
export const nextStep = (row: ReconciledRow, now: number): string => {
  const { orderId, state, settlesAt } = row
  const again = settlesAt === undefined ? '' : ` in ${lengthText(Math.max(1_000, settlesAt - now))}`
  if (state === 'unknown' && orderId === undefined) {
    return `It cannot be looked up; nothing was confirmed, so nothing is spent by it. It lapses${again}. To order again before that: --allow-duplicate.`
  }
  const order = shellWord(safeText(orderId ?? ''))
  if (state === 'unknown')
    return `Do not order again. Ask again${again}: orderctl reconcile ${order}; look at it: orderctl get ${order}`
  if (state === 'created')
    return `Decide: orderctl confirm ${order}, or leave it, and it lapses and spends nothing.`
  if (state === 'lapsed' || state === 'refused' || state === 'not-sent')
    return 'Nothing is spent. Its reference can be used again.'
  if (state === 'partial')
    return `Its cards: orderctl redeem ${order}; what is missing: orderctl get ${order} --explain`
  if (state === 'failed' || state === 'rejected') return `See what happened: orderctl get ${order} --explain`
  return isFinal(state) ? `Its cards: orderctl redeem ${order}` : `It goes on: orderctl watch ${order}`
}

export const reconciledText = (row: ReconciledRow, { theme, now }: View): string => {
  const { orderId, reference, was, state, problem } = row
  const { text, paint } = standingCell(state, theme)
  const name = orderId === undefined ? 'An order without id' : safeText(orderId)
  const change = was === state ? '' : ` (was ${safeText(was)})`
  return [
    `${theme.strong(name)}  ${paint(safeText(text))}${change}, ${standingMeaning(state)}`,
    ...(reference === undefined ? [] : [`  Reference ${safeText(reference)}`]),
    ...(problem === undefined
      ? []
      : [`  ${theme.bad('The service could not be asked:')} ${safeText(problem)}`]),
    `  ${nextStep(row, now)}`,
    '',
  ].join('\n')
}
