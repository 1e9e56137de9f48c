// Buys a batch, shows its progress, and says which workers it waits for.
import type { Context } from '../../../context.ts'
import { formatUtcTime } from '../../../contract/timestamp.ts'
import { Failure } from '../../../errors.ts'
import type { BatchEnd, Counter } from '../../../operations/batch/batch-run.ts'
import { buySlots } from '../../../operations/batch/buy-slots.ts'
import type { Pace } from '../../../operations/batch/pace.ts'
import { defaultLeaseMs } from '../../../operations/batch/slot-leases.ts'
import { describeHolder } from '../../../ui/screens/batch/batches.ts'
import { describeCount } from '../../../ui/text/amounts.ts'
import { outputOf } from '../../shared/options.ts'
import type { BatchToRun, OpenedBatch } from '../open-batch.ts'
import { createProgressReader, showProgress } from './progress.ts'

/** Call it for a batch that was started. */
export const buyBatch = async (run: BatchToRun, pace: Pace, counter: Counter): Promise<BatchEnd> => {
  const { context, options, session, batches, batch } = run
  const { interrupted, stderr, random, processes } = context
  const readState = await createProgressReader(context, run)
  const endProgress = showProgress(context, {
    isShown: outputOf(options).format === 'screen',
    read: async () => ({ ...(await readState()), trouble: counter.trouble }),
    waiting: session.waiting,
  })
  const sayInterrupted = (): void => {
    const orders = `${counter.inFlight} pending ${counter.inFlight === 1 ? 'order' : 'orders'}`
    stderr.write(
      `Interrupted: waiting for the responses to ${orders}. Press Ctrl-C again to leave at once.\n`,
    )
  }
  interrupted.addEventListener('abort', sayInterrupted, { once: true })
  try {
    const onWaiting = createWaitingNotice(context, run)
    const end = await buySlots({ session, batches, batch, pace, counter, random, processes, onWaiting })
    if (end.kind === 'stopped' && !(end.reason instanceof Failure) && end.reason !== 'cancelled')
      await batches.stopBatch(batch.number, end.reason, session.clock.now())
    return end
  } catch (error) {
    // Orders may be bought, so the result is still reported.
    if (error instanceof Failure && error.kind === 'local-state') return { kind: 'stopped', reason: error }
    throw error
  } finally {
    interrupted.removeEventListener('abort', sayInterrupted)
    await endProgress()
  }
}

/** Names each worker once. */
export const createWaitingNotice = (
  { stderr }: Pick<Context, 'stderr'>,
  { batches, batch }: Pick<OpenedBatch, 'batches' | 'batch'>,
): (() => Promise<void>) => {
  const named = new Set<number>()
  return async () => {
    for (const worker of await batches.listWorkers(batch.number, defaultLeaseMs)) {
      const { number, slots, until } = worker
      if (slots === 0 || until === undefined || named.has(number)) continue
      named.add(number)
      stderr.write(
        `Waiting for ${describeCount(slots, 'order')} of another worker: ${describeHolder(worker)}. If it does not run any more, this run continues at ${formatUtcTime(until)}.\n`,
      )
    }
  }
}
