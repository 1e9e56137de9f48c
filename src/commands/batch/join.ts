// Takes part in a batch that was started elsewhere. The consent to its cap is in the journal.
import type { Context } from '../../context.ts'
import { type Decimal, parseDecimal } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { formatSpentOf } from '../../ui/screens/batches.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'

/** Throws if nobody has started the batch. Returns its cap. */
export const joinBatch = (
  { stderr }: Pick<Context, 'stderr'>,
  batch: Batch,
  { spent, cards }: BatchSummary,
): Decimal => {
  const { name, startedAt, maxTotal } = batch
  const cap = maxTotal === undefined ? undefined : parseDecimal(maxTotal)
  if (startedAt === undefined || cap === undefined) {
    throw new Failure('usage', `the batch ${name} is not started, so a worker cannot take part in it`, {
      field: '--worker',
      fix: `Start it: orderctl batch run ${quoteShellWord(name)} --max-total AMOUNT`,
    })
  }
  stderr.write(
    `Taking part in the batch ${sanitize(name)}: ${formatSpentOf(spent, batch)} spent, ` +
      `${cards.delivered} of ${cards.ordered} cards delivered\n`,
  )
  return cap
}
