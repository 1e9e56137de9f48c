// Shows the progress of a batch on stderr: redrawn on a terminal, or one line a minute. The journal is the source, because
// another process may be buying the same batch.

import { canDraw, silentMs, type Waiting } from '../../app/notes.ts'
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'
import type { Decimal } from '../../contract/money/decimal.ts'
import { repeat } from '../../contract/time.ts'
import type { Batch } from '../../journal/batches/batches.ts'
import { countCardsByState, countEndedSlots, countInFlight } from '../../journal/batches/cards.ts'
import type { Buyer } from '../../journal/batches/slots.ts'
import { createLive } from '../../ui/terminal/live.ts'
import { cutText, sanitize, widthOf } from '../../ui/terminal/text.ts'
import { supportsUnicode, themeFor, type View } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import type { Trouble } from '../buy/queue.ts'
import { type BatchSummary, summarizeAgain } from '../buy/summary.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { maxTotalOf } from '../print-batch.ts'
import { describeTrouble, formatSpentOf, listBuyerLines, listCounts } from '../screens/batches.ts'

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

export type BatchProgress = Pick<Batch, 'name' | 'wallet'> &
  Pick<BatchSummary, 'orders' | 'spent'> & {
    readonly cards: Omit<BatchSummary['cards'], 'open' | 'cancelled'>
    readonly ordersDone: number
    readonly ordersInFlight: number
    /** Undefined before the user consented to a cap. */
    readonly maxTotal?: Decimal | undefined
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

type ProgressView = Pick<View, 'width' | 'theme'> & { readonly hasUnicode: boolean }

const minuteMs = 60_000
const hourMs = 3_600_000
/** A rate over a shorter time changes too much to be useful. */
const shortestRateMs = 5_000

const formatRate = (cardsPerMinute: number): string => {
  const text =
    cardsPerMinute < 0.1
      ? 'less than 0.1'
      : String(Number(cardsPerMinute.toFixed(cardsPerMinute < 10 ? 1 : 0)))
  return `${text} card${text === '1' ? '' : 's'} a minute`
}

const formatLeft = (ms: number): string => {
  if (ms < minuteMs) return 'less than 1 min left'
  const unit = ms < hourMs ? minuteMs : hourMs
  return `about ${formatDuration(Math.round(ms / unit) * unit)} left`
}

const describeProgress = (progress: BatchProgress) => {
  const { cards, orders, ordersDone, spent, elapsedMs, deliveredNow, trouble, isOver = false } = progress
  const { ordered, delivered, failed, duplicate, unknown } = cards
  const open = ordered - delivered - failed - duplicate - unknown
  const hasRate = elapsedMs >= shortestRateMs && deliveredNow > 0
  return {
    cards: `${delivered} of ${describeCount(ordered, 'card')} delivered`,
    orders: `${ordersDone} of ${describeCount(orders, 'order')}`,
    spent: `${formatSpentOf(spent, progress)} spent`,
    rate: hasRate ? [formatRate((deliveredNow * minuteMs) / elapsedMs)] : [],
    left: hasRate && open > 0 && !isOver ? [formatLeft((open * elapsedMs) / deliveredNow)] : [],
    problems: listCounts(cards, ['failed', 'duplicate', 'unknown']),
    troubles: trouble === undefined || isOver ? [] : [describeTrouble(trouble)],
  }
}

/** Puts as many parts on each line as fit. */
const packParts = (parts: readonly string[], width: number): string[] => {
  const lines: string[] = []
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)}, ${part}`
    if (lines.length > 0 && widthOf(longer) <= width) lines.splice(-1, 1, longer)
    else lines.push(cutText(part, width))
  }
  return lines
}

const longestBar = 40
const shortestBar = 10

/** Full only if every card was delivered. */
const renderBar = ({ cards }: BatchProgress, length: number, { theme, hasUnicode }: ProgressView): string => {
  const inner = hasUnicode ? length : length - 2
  const filled = cards.ordered === 0 ? inner : Math.floor((inner * cards.delivered) / cards.ordered)
  const left = inner - filled
  if (!hasUnicode) return `[${theme.good('#'.repeat(filled))}${theme.quiet('-'.repeat(left))}]`
  return `${theme.good('█'.repeat(filled))}${theme.quiet('░'.repeat(left))}`
}

const renderHead = (progress: BatchProgress, cards: string, view: ProgressView): string[] => {
  const { width, theme } = view
  const name = sanitize(progress.name)
  const beside = width - widthOf(name) - cards.length - 4
  const room = beside >= shortestBar ? beside : Math.max(shortestBar, width)
  const bar = renderBar(progress, Math.min(longestBar, room), view)
  return beside >= shortestBar
    ? [`${theme.strong(name)}  ${bar}  ${cards}`]
    : [theme.strong(cutText(name, width)), bar, cutText(cards, width)]
}

const maxBuyers = 8

/** For lines that are redrawn. */
export const renderBatchProgress = (progress: BatchProgress, view: ProgressView): string[] => {
  const { width, theme } = view
  const { ordersInFlight, buyers = [], now = 0 } = progress
  const { cards, orders, spent, rate, left, problems, troubles } = describeProgress(progress)
  const pending = ordersInFlight === 0 ? [] : [`${ordersInFlight} in progress`]
  return [
    ...renderHead(progress, cards, view),
    ...packParts([orders, ...pending, spent, ...rate, ...left], width),
    ...packParts(problems, width).map((line) => theme.warning(line)),
    ...troubles.map((line) => theme.warning(cutText(line, width))),
    ...listBuyerLines(buyers, now, maxBuyers).map((line) => theme.quiet(cutText(line, width))),
  ].map((line) => `${line}\n`)
}

/** For a pipe or a screen reader. */
export const formatBatchProgress = (progress: BatchProgress): string => {
  const { cards, orders, spent, left, problems, troubles } = describeProgress(progress)
  const parts = [cards, orders, spent, ...problems, ...left, ...troubles]
  return `${sanitize(progress.name)}: ${parts.join(', ')}`
}
