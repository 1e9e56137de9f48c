// Says what to type next for a batch.
import type { Batch } from '../../../journal/batches/batch.ts'
import type { ApprovalStatus } from '../../../operations/batch/approval-status.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import type { Suggest } from '../../../text/suggest.ts'

type NextStepsInput = Pick<Batch, 'name' | 'stopped' | 'profile'> &
  Pick<BatchSummary, 'state' | 'cards'> & {
    readonly suggest: Suggest
    /** Whether a process buys the batch. */
    readonly isRunning?: boolean
    /** Undefined if the cap needs no approval. */
    readonly approval?: ApprovalStatus['state']
    /** The command that approves the cap. */
    readonly approve?: string
    /** The cap of a valid approval: an exact decimal. */
    readonly approvedCap?: string
  }

/** Returns what to type next, one line for each step. */
export const listNextSteps = (input: NextStepsInput): string[] => {
  const { suggest, name, state, cards, isRunning, approval, approve, approvedCap } = input
  const toExport =
    cards.delivered > 0
      ? [`Codes are hidden. Write them to a file: ${suggest`batch export ${name} ${`${name}-codes.csv`}`}`]
      : []
  const toRetry =
    cards.failed > 0 ? [`Buy the failed cards again: ${suggest`batch run ${name} --retry-failed`}`] : []
  if (state === 'planned') {
    const buy = suggest`batch run ${name} ${{ 'max-total': approvedCap }}`
    if (approval === undefined || approval === 'approved') return [`Buy the batch: ${buy}`]
    return [
      `The batch waits for another database role: ${approve}`,
      ...(approvedCap === undefined ? [] : [`Buy it with the approved cap: ${buy}`]),
    ]
  }
  if (state === 'stopped') return [...explainStop(input), ...toExport]
  if (state === 'in-progress' && isRunning === true)
    return [`Watch it: ${suggest`batch show ${name} --watch`}`]
  const run = suggest`batch run ${name}`
  if (state === 'in-progress') return [`If no other process runs this batch, continue it: ${run}`]
  if (state === 'unknown') return [`Settle the unknown orders: ${run}`, ...toExport]
  return state === 'cancelled' ? toExport : [...toRetry, ...toExport]
}

const explainStop = ({ suggest, name, stopped, approval, profile }: NextStepsInput): string[] => {
  const run = suggest`batch run ${name}`
  switch (stopped) {
    case 'cap':
      return [
        `The batch reached its cap. Continue with a higher cap: ${suggest`batch run ${name} --max-total AMOUNT`}`,
      ]
    case 'approval':
      if (approval === 'expired') return [`The approval has expired. Ask for another one: ${run}`]
      return approval === 'waiting'
        ? [`The batch needs an approval. Ask for one: ${run}`]
        : [`The batch may continue: ${run}`]
    case 'budget':
      return [
        `A budget did not allow the next order. See what is left: ${suggest`profile limits ${profile}`}`,
        `When the budget allows it, continue: ${run}`,
      ]
    case 'charge':
      return [
        `An order was charged more than its total, which counts against the cap, or in another currency. See the orders: ${suggest`list ${{ batch: name }}`}`,
        `Continue: ${run}`,
      ]
    default:
      return [`The wallet has too little money. Top up the wallet, then continue: ${run}`]
  }
}
