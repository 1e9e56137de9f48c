// Buys a batch, shows its progress, and says for whose orders it waits.

import { writeProse } from '../../../app/notes.ts'
import { formatOf } from '../../../app/output/output.ts'
import type { Context } from '../../../context.ts'
import { formatUtcTime } from '../../../contract/time.ts'
import { Failure } from '../../../errors.ts'
import { recordStop } from '../../../journal/batches/batches.ts'
import { listBuyers } from '../../../journal/batches/slots.ts'
import type { BatchEnd, Counter } from '../../../operations/batch/batch-run.ts'
import { buySlots } from '../../../operations/batch/buy-slots.ts'
import type { Pace } from '../../../operations/batch/pace.ts'
import { describeCount } from '../../../ui/text/formats.ts'
import type { BatchToRun, OpenedBatch } from '../open-batch.ts'
import { nameBuyer } from '../screens/batches.ts'
import { createProgressReader, showProgress } from './progress.ts'

/** Call it for a batch that was started. */
export const buyBatch = async (run: BatchToRun, pace: Pace, counter: Counter): Promise<BatchEnd> => {
  const { context, options, session, journal, batch } = run
  const { interrupted, random } = context
  const readState = await createProgressReader(context, run)
  const endProgress = showProgress(context, {
    isShown: formatOf(options) === 'screen',
    read: async () => ({ ...(await readState()), trouble: counter.trouble }),
    waiting: session.waiting,
  })
  const sayInterrupted = (): void => {
    const orders = describeCount(counter.countCalling(), 'pending order')
    writeProse(
      context,
      `Interrupted: waiting for the responses to ${orders}. Press Ctrl-C again to leave at once.\n`,
    )
  }
  interrupted.addEventListener('abort', sayInterrupted, { once: true })
  try {
    const onWaiting = createWaitingNotice(context, run)
    const end = await buySlots({ session, batch, pace, counter, random, onWaiting })
    if (end.kind === 'stopped' && !(end.reason instanceof Failure) && end.reason !== 'cancelled')
      await recordStop(journal, batch.number, end.reason, session.clock.now())
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

/** Names each buyer once. */
const createWaitingNotice = (
  { stderr }: Pick<Context, 'stderr'>,
  { journal, batch }: Pick<OpenedBatch, 'journal' | 'batch'>,
): (() => Promise<void>) => {
  const named = new Set<string>()
  return async () => {
    for (const buyer of await listBuyers(journal.read, batch.number)) {
      const { buying, waiting, until } = buyer
      const name = nameBuyer(buyer)
      if (named.has(name)) continue
      named.add(name)
      const next =
        until === undefined ? '' : ` If that run died, this one continues at ${formatUtcTime(until)}.`
      writeProse(
        { stderr },
        `Waiting for ${describeCount(buying + waiting, 'order')} of another run: ${name}.${next}\n`,
      )
    }
  }
}
