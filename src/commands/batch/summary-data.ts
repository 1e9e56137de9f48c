// A batch as JSON, and the exit code that its state means.
import { type Decimal, parseDecimal } from '../../contract/decimal.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'

export const maxTotalOf = ({ maxTotal }: Pick<Batch, 'maxTotal'>): Decimal | undefined =>
  maxTotal === undefined ? undefined : parseDecimal(maxTotal)

export const summaryData = (batch: Batch, summary: BatchSummary) => {
  const { id, name, wallet } = batch
  const { state, rows, orders, spent } = summary
  const { ordered, delivered, failed, duplicate, unknown } = summary.cards
  return {
    batch: id,
    name,
    state,
    stopped: state === 'stopped' ? (batch.stopped ?? null) : null,
    rows,
    cards: { ordered, delivered, failed, duplicate, unknown },
    orders,
    spent,
    wallet,
    maxTotal: maxTotalOf(batch) ?? null,
    by: batch.by ?? null,
    cancelledBy: batch.cancelledBy ?? null,
  }
}

/** A batch that can still go on has the code 0. */
export const exitCodeOf = ({ state, cards }: BatchSummary): number => {
  if (cards.unknown > 0) return exitCodes.unknown.code
  if (state === 'stopped') return exitCodes.stopped.code
  if (cards.open > 0 || cards.delivered === cards.ordered) return exitCodes.ok.code
  return cards.delivered + cards.duplicate > 0 ? exitCodes.partial.code : exitCodes.failed.code
}
