// Prepares a batch for another run: refuses a cancelled batch, and wants failed cards again.
import type { Context } from '../../../context.ts'
import { decimal } from '../../../contract/decimal.ts'
import { Failure } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Grouping } from '../../../journal/batches/card-table.ts'
import type { Batches } from '../../../journal/batches/open-batches.ts'
import { packCards } from '../../../operations/batch/plan/pack.ts'
import type { Spending } from '../../../operations/deps.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'
import { writeNote } from '../../shared/notes.ts'
import type { OpenedBatch } from '../open-batch.ts'

export const refuseCancelled = (batch: Batch): void => {
  if (batch.cancelledAt !== undefined) throw createCancelledFailure(batch)
}

export const createCancelledFailure = ({ name }: Batch): Failure =>
  new Failure('refused', `the batch ${name} is cancelled; nothing was sent`, {
    fix: 'Put the rows that were not delivered into a file, and run it with another --name.',
  })

export const createReplacedFailure = ({ name }: Batch): Failure =>
  new Failure('refused', `the plan of the batch ${name} was replaced; nothing was sent`, {
    fix: `See the new plan: orderctl batch show ${quoteShellWord(name)}`,
  })

/** The service may have delivered failed cards meanwhile. They must not be bought again. */
export const collectLate = async (
  { stderr }: Context,
  deps: Spending,
  { batches, batch }: Pick<OpenedBatch, 'batches' | 'batch'>,
): Promise<void> => {
  const { collectLateCards } = await import('../../../operations/batch/late-cards.ts')
  const count = await collectLateCards(deps, batches, batch)
  if (count > 0)
    writeNote(
      { stderr },
      `The service has delivered ${count} failed ${count === 1 ? 'card' : 'cards'} meanwhile\n`,
    )
}

/** Packs the failed cards into new orders, each with one product: a product that fails again fails alone. */
export const wantFailedAgain = async (
  { stderr }: Context,
  batches: Batches,
  { number }: Batch,
): Promise<void> => {
  const count = await batches.retryFailed(number, packByProduct)
  if (count > 0) writeNote({ stderr }, `Buying ${count} failed ${count === 1 ? 'card' : 'cards'} again\n`)
}

const packByProduct: Grouping = (cards) => {
  const orderOf: number[] = []
  let orders = 0
  const products = Map.groupBy(
    cards.entries(),
    ([, { sku, productType, quote }]) => `${sku}\n${productType}\n${quote}`,
  )
  for (const theirs of products.values()) {
    const packing = packCards(theirs.map(([, { quote, ...card }]) => ({ ...card, quote: decimal(quote) })))
    for (const [index, [card]] of theirs.entries()) orderOf[card] = orders + (packing.orderOf[index] ?? 0)
    orders += packing.orders
  }
  return orderOf
}
