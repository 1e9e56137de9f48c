// Prepares a batch for another run: refuses a cancelled batch, and wants failed cards again.
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import { packCards } from '../../operations/batch/plan/pack.ts'
import type { Spending } from '../../operations/deps.ts'
import type { OpenedBatch } from './open-batch.ts'

export const refuseCancelled = ({ name, cancelledAt }: Batch): void => {
  if (cancelledAt === undefined) return
  throw new Failure('refused', `the batch ${name} is cancelled; nothing was sent`, {
    fix: 'To buy its rows anyway, run the file with another --name.',
  })
}

/** The service may have delivered failed cards meanwhile. They must not be bought again. */
export const collectLate = async (
  { stderr }: Context,
  deps: Spending,
  { batches, batch }: Pick<OpenedBatch, 'batches' | 'batch'>,
): Promise<void> => {
  const { collectLateCards } = await import('../../operations/batch/late-cards.ts')
  const count = await collectLateCards(deps, batches, batch)
  if (count > 0)
    stderr.write(`The service has delivered ${count} failed ${count === 1 ? 'card' : 'cards'} meanwhile\n`)
}

/** Packs the failed cards into new orders. */
export const wantFailedAgain = ({ stderr }: Context, batches: Batches, { number }: Batch): void => {
  const count = batches.retryFailed(number, (cards) => [
    ...packCards(cards.map(({ quote, ...card }) => ({ ...card, quote: decimal(quote) }))).orderOf,
  ])
  if (count > 0) stderr.write(`Buying ${count} failed ${count === 1 ? 'card' : 'cards'} again\n`)
}
