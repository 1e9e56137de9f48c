// Summarizes a batch: its state, its cards and the amount spent.
import type { Decimal } from '../../contract/decimal.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import { addCommitted } from '../budget.ts'

/** The final states have the names of the final states of an order. */
type BatchState =
  | 'planned'
  | 'in-progress'
  | 'stopped'
  | 'unknown'
  | 'successful'
  | 'partial'
  | 'failed'
  | 'cancelled'

export type BatchSummary = {
  readonly state: BatchState
  readonly rows: number
  readonly cards: {
    readonly ordered: number
    readonly delivered: number
    readonly failed: number
    /** Delivered with the code of another card, so given to nobody. */
    readonly duplicate: number
    readonly unknown: number
    /** Still to be bought or delivered. */
    readonly open: number
    readonly cancelled: number
  }
  readonly orders: number
  /** The totals of all orders that are, or may be, confirmed. */
  readonly spent: Decimal
}

export type Summarized = { readonly batch: Batch; readonly summary: BatchSummary }

/** With `now`, a confirm whose response may still arrive does not count as unknown: another worker may wait for it. */
export const summarizeBatch = async (batches: Batches, batch: Batch, now?: number): Promise<BatchSummary> => {
  const [{ wanted, delivered, duplicate, failed, cancelled }, unknown, rows, orders, spent] =
    await Promise.all([
      batches.countCards(batch.number),
      batches.countUnknown(batch.number, now),
      batches.countRows(batch.number),
      batches.countOrders(batch.number),
      batches.listSpent(batch.number),
    ])
  const ordered = wanted + delivered + duplicate + failed + cancelled
  const cards = { ordered, delivered, failed, duplicate, unknown, cancelled, open: wanted - unknown }
  return { state: findState(batch, cards), rows, cards, orders, spent: addCommitted(spent) }
}

/** Reads the batch again, because another process may run it. `now`: see summarizeBatch. */
export const summarizeAgain = async (
  { batches, batch: known }: { readonly batches: Batches; readonly batch: Batch },
  now?: number,
): Promise<Summarized> => {
  const batch = (await batches.getBatch(known.number)) ?? known
  return { batch, summary: await summarizeBatch(batches, batch, now) }
}

const findState = (
  { startedAt, stopped, cancelledAt }: Batch,
  { open, unknown, ...cards }: BatchSummary['cards'],
): BatchState => {
  if (cancelledAt !== undefined) return 'cancelled'
  if (startedAt === undefined) return 'planned'
  if (stopped !== undefined && open > 0) return 'stopped'
  if (open > 0) return 'in-progress'
  if (unknown > 0) return 'unknown'
  if (cards.failed + cards.duplicate === 0) return 'successful'
  return cards.delivered + cards.duplicate > 0 ? 'partial' : 'failed'
}
