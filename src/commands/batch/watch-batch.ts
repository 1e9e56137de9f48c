// Shows the progress of a batch from the journal until it has ended or stopped. Another process runs it.
import type { Context } from '../../context.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { isInFlight } from '../../operations/other-runs.ts'
import { interruption } from '../../operations/read.ts'
import type { BatchProgress } from '../../ui/screens/batch/batch-progress.ts'
import { readInParallel } from '../shared/journal/read-in-parallel.ts'
import type { OutputOptions } from '../shared/options.ts'
import type { OpenedBatch } from './open-batch.ts'
import { summarizeAgain } from './print-batch.ts'
import { createProgress } from './run/progress.ts'
import { maxTotalOf } from './summary-data.ts'
import { readWorkers } from './workers.ts'

const intervalMs = 2_000

/** Returns the summary at the end. */
export const watchBatch = async (
  context: Context,
  opened: OpenedBatch,
  { format }: Pick<OutputOptions, 'format'>,
): Promise<BatchSummary> => {
  const { clock, interrupted, stdout, stderr, suggest } = context
  // If stdout is closed, nobody reads the result.
  const signal = AbortSignal.any([interrupted, stdout.broken])
  const read = await createReader(context, opened)
  const { name } = opened.batch
  let now = await read()
  if (format === 'screen' && now.summary.state === 'planned')
    stderr.write(`The batch is not started yet. Start it: ${suggest`batch run ${name}`}\n`)
  const source = { latest: () => now.progress }
  const progress = createProgress(context, { isShown: format === 'screen', source })
  progress.begin()
  try {
    while (!now.hasEnded) {
      await clock.sleep(intervalMs, signal)
      if (signal.aborted) {
        throw interruption(interrupted, `stopped watching; the batch ${opened.batch.name} has not ended`, {
          fix: `Keep watching: ${suggest`batch show ${name} --watch`}`,
        })
      }
      now = await read()
    }
    return now.summary
  } finally {
    await progress.end()
  }
}

type Watched = {
  readonly summary: BatchSummary
  readonly progress: BatchProgress
  readonly hasEnded: boolean
}

const createReader = async ({ clock }: Context, opened: OpenedBatch): Promise<() => Promise<Watched>> => {
  const { batches, journal } = opened
  const startedAt = clock.monotonic()
  const { delivered: deliveredBefore } = await batches.countCards(opened.batch.number)

  const hasEnded = async ({ state, cards }: BatchSummary): Promise<boolean> => {
    if (state === 'stopped' || state === 'cancelled') return true
    if (state === 'planned' || cards.open > 0) return false
    if (cards.unknown === 0) return true
    const unproven = await batches.listUnknown(opened.batch.number)
    // The outcomes became known after the summary was read.
    if (unproven.length === 0) return false
    const calls = await readInParallel(unproven, ({ number }) => journal.listCalls(number))
    return !calls.flat().some((call) => isInFlight(call, clock.now()))
  }

  return async () => {
    const { batch, summary } = await summarizeAgain(opened)
    const { name, number, wallet } = batch
    const { cards, orders, spent } = summary
    const [ordersDone, ordersInFlight, workers, isOver] = await Promise.all([
      batches.countEnded(number),
      batches.countInFlight(number),
      readWorkers(batches, batch, summary),
      hasEnded(summary),
    ])
    const progress = {
      name,
      cards,
      orders,
      spent,
      wallet,
      maxTotal: maxTotalOf(batch),
      ordersDone,
      ordersInFlight,
      workers,
      now: clock.now(),
      elapsedMs: clock.monotonic() - startedAt,
      deliveredNow: Math.max(0, cards.delivered - deliveredBefore),
    }
    return { summary, progress, hasEnded: isOver }
  }
}
