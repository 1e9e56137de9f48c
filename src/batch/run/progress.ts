// Shows the progress of a batch on stderr: redrawn on a terminal, or one line a minute. The journal is the source, because
// another process may be buying the same batch.

import { canDraw, silentMs, type Waiting } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { formatDuration, repeat } from '../../contract/time.ts'
import type { Batch } from '../../journal/batches/batches.ts'
import { countCardsByState, countEndedSlots } from '../../journal/batches/cards.ts'
import type { Buyer } from '../../journal/batches/slots.ts'
import { createLive } from '../../ui/terminal/live.ts'
import { sanitize, wrapProse } from '../../ui/terminal/text.ts'
import { supportsUnicode, themeFor, type View } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import type { Trouble } from '../buy/queue.ts'
import { describeTrouble, formatSpentOf, listBuyerLines, listCounts } from '../screens/batches.ts'
import { type BatchSummary, type OpenedBatch, summarizeBatch } from '../summary.ts'

/** Returns a function that reads the batch, and what has changed since now. */
export const createProgressReader = async ({ clock }: Context, opened: OpenedBatch) => {
  const { journal, batch } = opened
  const startedAt = clock.monotonic()
  const { delivered: deliveredBefore } = await countCardsByState(journal.read, batch.number)
  return async (): Promise<BatchSummary & BatchProgress> => {
    const [current, ordersDone] = await Promise.all([
      summarizeBatch(opened, clock.now()),
      countEndedSlots(journal.read, batch.number),
    ])
    const { name, wallet, maxTotal } = current.batch
    return {
      ...current.summary,
      ...{ name, wallet, maxTotal, ordersDone },
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
export const showBatchProgress = (
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

export type BatchProgress = Pick<Batch, 'name' | 'wallet' | 'maxTotal'> &
  Pick<BatchSummary, 'orders' | 'spent'> & {
    readonly cards: Omit<BatchSummary['cards'], 'open' | 'cancelled'>
    readonly ordersDone: number
    /** Those whose orders are not finished. */
    readonly buyers?: readonly Buyer[]
    readonly now?: number
    readonly elapsedMs: number
    /** Cards delivered within `elapsedMs`. */
    readonly deliveredNow: number
    /** What orderctl waits for, and since when. */
    readonly trouble?: Trouble | undefined
    /** Nothing more is bought, so no time is left. */
    readonly isOver?: boolean
  }

const minuteMs = 60_000
const hourMs = 3_600_000
/** A rate over a shorter time changes too much to be useful. */
const shortestRateMs = 5_000

const formatLeft = (ms: number): string => {
  if (ms < minuteMs) return 'less than 1 min left'
  const unit = ms < hourMs ? minuteMs : hourMs
  return `about ${formatDuration(Math.round(ms / unit) * unit)} left`
}

export const formatBatchProgress = (progress: BatchProgress): string => {
  const { cards, orders, ordersDone, spent, elapsedMs, deliveredNow, trouble, isOver = false } = progress
  const { ordered, delivered, failed, duplicate, unknown } = cards
  const open = ordered - delivered - failed - duplicate - unknown
  const hasRate = elapsedMs >= shortestRateMs && deliveredNow > 0
  const parts = [
    `${delivered} of ${describeCount(ordered, 'card')} delivered`,
    `${ordersDone} of ${describeCount(orders, 'order')}`,
    `${formatSpentOf(spent, progress)} spent`,
    ...listCounts(cards, ['failed', 'duplicate', 'unknown']),
    ...(hasRate && open > 0 && !isOver ? [formatLeft((open * elapsedMs) / deliveredNow)] : []),
    ...(trouble === undefined || isOver ? [] : [describeTrouble(trouble)]),
  ]
  return `${sanitize(progress.name)}: ${parts.join(', ')}`
}

type ProgressView = Pick<View, 'width' | 'theme'> & { readonly hasUnicode: boolean }

const longestBar = 40

/** Full only if every card was delivered. */
const renderBar = ({ cards }: BatchProgress, { width, theme, hasUnicode }: ProgressView): string => {
  const length = Math.min(longestBar, width)
  const filled = Math.floor((length * cards.delivered) / Math.max(1, cards.ordered))
  const [full, rest] = hasUnicode ? ['█', '░'] : ['#', '-']
  return theme.good(full.repeat(filled)) + theme.quiet(rest.repeat(length - filled))
}

const maxBuyers = 8

/** For lines that are redrawn. */
export const renderBatchProgress = (progress: BatchProgress, view: ProgressView): string[] => {
  const { buyers = [], now = 0 } = progress
  return [
    renderBar(progress, view),
    ...wrapProse(formatBatchProgress(progress), view.width),
    ...listBuyerLines(buyers, now, maxBuyers),
  ]
}
