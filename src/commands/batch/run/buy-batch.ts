// Buys a batch, shows its progress, and says which workers it waits for.
import type { Context } from '../../../context.ts'
import { formatUtcTime } from '../../../contract/timestamp.ts'
import { Failure } from '../../../errors.ts'
import type { StopReason } from '../../../journal/batches/batch.ts'
import type { BatchEnd, Counter } from '../../../operations/batch/batch-run.ts'
import { buySlots } from '../../../operations/batch/buy-slots.ts'
import type { Pace } from '../../../operations/batch/pace.ts'
import { defaultLeaseMs } from '../../../operations/batch/slot-leases.ts'
import type { BatchProgress } from '../../../ui/screens/batch/batch-progress.ts'
import { describeHolder } from '../../../ui/screens/batch/workers.ts'
import { describeCount } from '../../../ui/text/amounts.ts'
import type { SendingSession } from '../../shared/session.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { createProgressReader, showProgress } from './progress.ts'

type Purchase = {
  readonly session: SendingSession
  readonly pace: Pace
  readonly counter: Counter
  /** False with --json and --quiet. */
  readonly isShown: boolean
}

/** Call it for a batch that was started. */
export const buyBatch = async (
  context: Context,
  opened: OpenedBatch,
  { session, pace, counter, isShown }: Purchase,
): Promise<BatchEnd> => {
  const { interrupted, stderr, random, processes } = context
  const { batches, batch } = opened
  const readState = await createProgressReader(context, opened)
  const read = async (): Promise<BatchProgress> => ({
    ...(await readState()).progress,
    trouble: counter.trouble,
  })
  const endProgress = showProgress(context, { isShown, read, waiting: session.waiting })
  const sayInterrupted = (): void => {
    const orders = `${counter.inFlight} pending ${counter.inFlight === 1 ? 'order' : 'orders'}`
    stderr.write(
      `Interrupted: waiting for the responses to ${orders}. Press Ctrl-C again to leave at once.\n`,
    )
  }
  interrupted.addEventListener('abort', sayInterrupted, { once: true })
  try {
    const onWaiting = createWaitingNotice(context, opened)
    const end = await buySlots({ session, batches, batch, pace, counter, random, processes, onWaiting })
    if (end.kind === 'stopped' && isStopReason(end.reason)) {
      await batches.stopBatch(batch.number, end.reason, session.clock.now())
    }
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

const isStopReason = (reason: (BatchEnd & { kind: 'stopped' })['reason']): reason is StopReason =>
  !(reason instanceof Failure) && reason !== 'cancelled'

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
