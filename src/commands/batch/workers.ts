// Reads the workers of a batch for `batch show`.
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches, StoredWorker } from '../../journal/batches/batches.ts'
import { defaultLeaseMs } from '../../operations/batch/slot-leases.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { isoTime } from '../shared/journal/entry-data.ts'

/** If nothing is left to buy, workers that were lost do not matter any more. */
export const readWorkers = async (
  batches: Batches,
  { number }: Batch,
  { cards }: BatchSummary,
): Promise<StoredWorker[]> => {
  const workers = await batches.listWorkers(number, defaultLeaseMs)
  return cards.open + cards.unknown > 0 ? workers : workers.filter(({ isLost }) => !isLost)
}

export const workerData = ({ by, processId, slots, isLost, ...times }: StoredWorker) => ({
  by: by ?? null,
  process: processId,
  state: isLost ? 'lost' : 'running',
  orders: slots,
  startedAt: isoTime(times.startedAt),
  seenAt: isoTime(times.seenAt),
})
