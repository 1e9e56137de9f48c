// Says which workers a run of a batch waits for, once for each.
import type { Context } from '../../../context.ts'
import { formatUtcTime } from '../../../contract/timestamp.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import { defaultLeaseMs } from '../../../operations/batch/slot-leases.ts'
import { describeHolder } from '../../../ui/screens/batch/workers.ts'

export const createWaitingNotice = (
  { stderr }: Pick<Context, 'stderr'>,
  { batches, batch }: { readonly batches: Batches; readonly batch: Batch },
): (() => Promise<void>) => {
  const named = new Set<number>()
  return async () => {
    for (const worker of await batches.listWorkers(batch.number, defaultLeaseMs)) {
      const { number, slots, until } = worker
      if (slots === 0 || until === undefined || named.has(number)) continue
      named.add(number)
      const orders = slots === 1 ? '1 order' : `${slots} orders`
      stderr.write(
        `Waiting for ${orders} of another worker: ${describeHolder(worker)}. If it does not run any more, this run continues at ${formatUtcTime(until)}.\n`,
      )
    }
  }
}
