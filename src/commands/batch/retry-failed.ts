// Prepares a batch that ran before: its failed cards may be bought again, unless it is cancelled.
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import { packCards } from '../../operations/batch/plan/pack.ts'

export const refuseCancelled = ({ name, cancelledAt }: Batch): void => {
  if (cancelledAt === undefined) return
  throw new Failure('refused', `the batch ${name} is cancelled; nothing was sent`, {
    fix: 'To buy its rows anyway, run the file with another --name.',
  })
}

/** Packs the failed cards into new orders. */
export const wantFailedAgain = ({ stderr }: Context, batches: Batches, { number }: Batch): void => {
  const count = batches.retryFailed(number, (cards) => [
    ...packCards(cards.map(({ quote, ...card }) => ({ ...card, quote: decimal(quote) }))).orderOf,
  ])
  if (count > 0) stderr.write(`Buying ${count} failed ${count === 1 ? 'card' : 'cards'} again\n`)
}
