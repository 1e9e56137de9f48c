// The failure of a batch that was cancelled while it ran.
import { zero } from '../../../contract/decimal.ts'
import { formatUtcTime } from '../../../contract/timestamp.ts'
import { Failure } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'
import { describeActor } from '../describe-actor.ts'

export const createCancelledFailure = (
  { name, cancelledBy, cancelledAt }: Batch,
  { spent, cards }: BatchSummary,
): Failure => {
  const who = cancelledBy === undefined ? '' : ` by ${describeActor(cancelledBy)}`
  const when = cancelledAt === undefined ? '' : ` at ${formatUtcTime(cancelledAt)}`
  const outcome = `${cards.delivered} of ${cards.ordered} ${cards.ordered === 1 ? 'card' : 'cards'} delivered`
  return new Failure(
    spent.gt(zero) && cards.cancelled > 0 ? 'partial' : 'refused',
    `the batch ${name} was cancelled${who}${when} while it ran; ${outcome}`,
    { fix: `See what was bought: orderctl batch show ${quoteShellWord(name)}` },
  )
}
