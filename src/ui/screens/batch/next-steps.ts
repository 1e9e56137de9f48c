// Says what to type next for a batch.
import { quoteShellWord } from '../../../text/shell-word.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { ApprovalView } from '../limits/approvals.ts'

type ApprovalState = ApprovalView['state']

type NextStepsInput = {
  readonly name: string
  readonly state: string
  readonly stopped: string | undefined
  readonly profile: string
  /** Whether a process buys the batch. */
  readonly isRunning?: boolean
  /** Undefined if the cap needs no approval. */
  readonly approval?: ApprovalState | undefined
  /** The command that approves the cap. */
  readonly approve?: string | undefined
  /** The cap of a valid approval: an exact decimal. */
  readonly approvedCap?: string | undefined
  readonly cards: { readonly delivered: number; readonly failed: number }
}

/** Returns what to type next, one line for each step. */
export const listNextSteps = (input: NextStepsInput): string[] => {
  const { name, state, cards, stopped, profile, isRunning, approval, approve, approvedCap } = input
  const batch = quoteShellWord(sanitize(name))
  const run = `orderctl batch run ${batch}`
  const output = quoteShellWord(`${sanitize(name)}-codes.csv`)
  const toExport =
    cards.delivered > 0
      ? [`Codes are hidden. Write them to a file: orderctl batch export ${batch} ${output}`]
      : []
  const toRetry = cards.failed > 0 ? [`Buy the failed cards again: ${run} --retry-failed`] : []
  if (state === 'planned') {
    const buy = `${run}${approvedCap === undefined ? '' : ` --max-total ${approvedCap}`}`
    if (approval === undefined || approval === 'approved') return [`Buy the batch: ${buy}`]
    return [
      `The batch waits for another database role: ${approve}`,
      ...(approvedCap === undefined ? [] : [`Buy it with the approved cap: ${buy}`]),
    ]
  }
  if (state === 'stopped') return [...explainStop({ stopped, approval, run, batch, profile }), ...toExport]
  if (state === 'in-progress' && isRunning === true) return [`Watch it: orderctl batch show ${batch} --watch`]
  if (state === 'in-progress') return [`If no other process runs this batch, continue it: ${run}`]
  if (state === 'unknown') return [`Settle the unknown orders: ${run}`, ...toExport]
  return state === 'cancelled' ? toExport : [...toRetry, ...toExport]
}

type Stop = Pick<NextStepsInput, 'stopped' | 'approval' | 'profile'> & {
  readonly run: string
  readonly batch: string
}

const explainStop = ({ stopped, approval, run, batch, profile }: Stop): string[] => {
  switch (stopped) {
    case 'cap':
      return [`The batch reached its cap. Continue with a higher cap: ${run} --max-total AMOUNT`]
    case 'approval':
      if (approval === 'expired') return [`The approval has expired. Ask for another one: ${run}`]
      return approval === 'waiting'
        ? [`The batch needs an approval. Ask for one: ${run}`]
        : [`The batch may continue: ${run}`]
    case 'budget':
      return [
        `A budget did not allow the next order. See what is left: orderctl profile limits ${quoteShellWord(sanitize(profile))}`,
        `When the budget allows it, continue: ${run}`,
      ]
    case 'charge':
      return [
        `An order was charged more than its total, and that counts against the cap. See the orders: orderctl list --batch ${batch}`,
        `Continue: ${run}`,
      ]
    default:
      return [`The wallet has too little money. Top up the wallet, then continue: ${run}`]
  }
}
