// Shows the progress of a batch on stderr: redrawn on a terminal, or one line a minute. The journal is the source,
// because another process may be buying the same batch.

import { canDraw, silentMs, type Waiting } from '../../../app/notes.ts'
import type { Context } from '../../../context.ts'
import { repeat } from '../../../contract/time.ts'
import { countCardsByState, countEndedSlots, countInFlight } from '../../../journal/batches/cards.ts'
import { type BatchSummary, summarizeAgain } from '../../../operations/batch/summary.ts'
import { createLive } from '../../../ui/terminal/live.ts'
import { supportsUnicode, themeFor } from '../../../ui/terminal/view.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { maxTotalOf } from '../print-batch.ts'
import { type BatchProgress, formatBatchProgress, renderBatchProgress } from '../screens/progress.ts'

/** Returns a function that reads the batch, and what has changed since now. */
export const createProgressReader = async ({ clock }: Context, opened: OpenedBatch) => {
  const { journal, batch } = opened
  const startedAt = clock.monotonic()
  const { delivered: deliveredBefore } = await countCardsByState(journal.read, batch.number)
  return async (): Promise<BatchSummary & BatchProgress> => {
    const [current, ordersDone, ordersInFlight] = await Promise.all([
      summarizeAgain(opened, clock.now()),
      countEndedSlots(journal.read, batch.number),
      countInFlight(journal.read, batch.number),
    ])
    const { name, wallet } = batch
    return {
      ...current.summary,
      ...{ name, wallet, ordersDone, ordersInFlight },
      maxTotal: maxTotalOf(current.batch),
      elapsedMs: clock.monotonic() - startedAt,
      deliveredNow: Math.max(0, current.summary.cards.delivered - deliveredBefore),
    }
  }
}

type ProgressOptions = {
  /** False with --json and --quiet. */
  readonly isShown: boolean
  readonly read: () => Promise<BatchProgress>
  /** Its line is hidden while the progress is shown, because it would appear below it. */
  readonly waiting?: Waiting
}

const drawMs = 1_000
export const lineMs = 60_000
/** Counting takes longer the larger the batch is. It must not slow down the orders. */
const maxShareOfTime = 0.05

/** Returns a function that ends it, and never rejects. */
export const showProgress = (
  context: Context,
  { isShown, read, waiting }: ProgressOptions,
): (() => Promise<void>) => {
  if (!isShown) return async () => {}
  const { clock, stderr, environment, platform } = context
  const isDrawn = canDraw(context, { showsProgress: true })
  const live = createLive(stderr, isDrawn)
  const over = new AbortController()
  const silenced = waiting?.begin(() => undefined)
  let drawn = ''

  const show = (progress: BatchProgress): void => {
    if (!isDrawn) {
      stderr.write(`${formatBatchProgress(progress)}\n`)
      return
    }
    const hasUnicode = supportsUnicode(environment, platform)
    const lines = renderBatchProgress(progress, { theme: themeFor(stderr), hasUnicode, width: stderr.width })
    if (lines.join('') === drawn && live.isDrawn()) return
    live.show(lines)
    drawn = lines.join('')
  }

  const repeating = clock.sleep(isDrawn ? silentMs : lineMs, over.signal).then(() =>
    repeat(clock, over.signal, async () => {
      const before = clock.monotonic()
      await attempt(async () => {
        const progress = await read()
        if (!over.signal.aborted) show(progress)
      })
      return isDrawn ? Math.max(drawMs, (clock.monotonic() - before) / maxShareOfTime) : lineMs
    }),
  )

  return async () => {
    over.abort()
    await repeating
    silenced?.end()
    await attempt(async () => {
      if (isDrawn) live.clear()
      else show({ ...(await read()), isOver: true })
    })
  }
}

/** A terminal or a journal that fails must not end the work. The next repetition tries again. */
const attempt = (work: () => Promise<void>): Promise<void> => work().catch(() => {})
