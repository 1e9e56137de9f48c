// Renders what reconcile found out about an order, and the next step.
import { formatDuration } from '../../contract/duration.ts'
import { isFinal } from '../../contract/states.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { standingCell, standingMeaning } from './state.ts'

export type ReconciledRow = {
  readonly orderId?: string | undefined
  readonly reference?: string | undefined
  /** The state before reconcile. */
  readonly was: string
  readonly state: string
  /** A confirm may have spent money. */
  readonly isUnproven: boolean
  /** When another call can prove that nothing was spent. */
  readonly provenAt?: number | undefined
  readonly problem?: string | undefined
  /** The name of the batch that it belongs to. */
  readonly batch?: string | undefined
  /** It cannot be confirmed, because its total needs an approval. */
  readonly needsApproval?: boolean
}

/** The next step, for people and for JSON. */
export const nextStep = (row: ReconciledRow, now: number): string => {
  const { orderId, state } = row
  const order = quoteShellWord(sanitize(orderId ?? ''))
  if (row.isUnproven) return describeUnproven(row, order, now)
  if (state === 'creating' || state === 'lost')
    return 'The response to create was lost, and nothing was spent. Run create again.'
  if (state === 'created')
    return `${describeConfirm(row, order)} If you do nothing, it expires and costs nothing.`
  if (['expired', 'not-spent', 'refused', 'not-sent'].includes(state))
    return 'Nothing was spent. You can use its reference again.'
  if (state === 'partial')
    return `Show its cards: orderctl redeem ${order}. Find out what is missing: orderctl get ${order} --explain`
  if (state === 'failed' || state === 'rejected')
    return `Find out what happened: orderctl get ${order} --explain`
  return isFinal(state) ? `Show its cards: orderctl redeem ${order}` : `Wait for it: orderctl watch ${order}`
}

/** An order of a batch is bought within the cap of the batch, so nobody confirms it by hand. */
const describeConfirm = ({ batch, needsApproval }: ReconciledRow, order: string): string => {
  if (batch !== undefined) {
    const name = quoteShellWord(sanitize(batch))
    return `It belongs to the batch ${sanitize(batch)}. To buy it, continue the batch: orderctl batch run ${name}.`
  }
  return needsApproval === true
    ? 'It needs an approval, which only a batch can have.'
    : `Confirm it: orderctl confirm ${order}.`
}

const describeUnproven = (row: ReconciledRow, order: string, now: number): string => {
  const { state, provenAt } = row
  const command = `orderctl reconcile ${order}`
  const advice =
    state === 'created' ? `Not confirmed so far. ${describeConfirm(row, order)}` : 'Do not order again.'
  if (provenAt === undefined) {
    return `${advice} Check again: ${command}. If it stays unknown: ${command} --settle spent|not-spent --reason TEXT`
  }
  const when = formatDuration(Math.max(1_000, provenAt - now))
  return `${advice} Check again in ${when}: ${command}`
}

export const renderReconciled = (row: ReconciledRow, { theme, now }: View): string => {
  const { orderId, reference, was, state, problem } = row
  const { text, paint } = standingCell(state, theme)
  const name = orderId === undefined ? 'An order without an id' : sanitize(orderId)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(name)}  ${paint(sanitize(text))}${change}, ${standingMeaning(state)}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable answer:')} ${sanitize(problem)}`]),
    `  ${nextStep(row, now)}`,
    '',
  ].join('\n')
}
