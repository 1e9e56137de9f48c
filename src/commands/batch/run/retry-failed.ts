// Prepares the failed cards of a batch for another run.
import type { Context } from '../../../context.ts'
import { decimal } from '../../../contract/decimal.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { Grouping } from '../../../journal/batches/slot-cards.ts'
import { packCards } from '../../../operations/batch/plan/pack.ts'
import type { Spending } from '../../../operations/deps.ts'
import { writeNote } from '../../shared/notes.ts'
import type { OpenedBatch } from '../open-batch.ts'

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
