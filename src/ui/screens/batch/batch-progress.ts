// The progress of a batch: lines that are redrawn on a terminal, or one plain line.

import type { Decimal } from '../../../contract/decimal.ts'
import { formatDuration } from '../../../contract/duration.ts'
import type { StoredWorker, Trouble } from '../../../journal/batches/leases.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { cutText, widthOf } from '../../terminal/text-width.ts'
import type { View } from '../../terminal/view.ts'
import { describeCount } from '../../text/amounts.ts'
import { formatSpentOf } from './batches.ts'
import { describeTrouble, listWorkerLines } from './workers.ts'

export type BatchProgress = {
  readonly name: string
  readonly cards: Omit<BatchSummary['cards'], 'open' | 'cancelled'>
  /** In the plan. */
  readonly orders: number
  readonly ordersDone: number
  readonly ordersInFlight: number
  readonly spent: Decimal
  /** Undefined before the user consented to a cap. */
  readonly maxTotal?: Decimal | undefined
  readonly wallet: string
  /** The processes that buy the batch at this time. */
  readonly workers?: readonly StoredWorker[]
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
const hasRate = ({ elapsedMs, deliveredNow }: BatchProgress): boolean =>
  elapsedMs >= shortestRateMs && deliveredNow > 0

const formatRate = (progress: BatchProgress): string | undefined => {
  if (!hasRate(progress)) return undefined
  const rate = (progress.deliveredNow * minuteMs) / progress.elapsedMs
  const text = rate < 0.1 ? 'less than 0.1' : String(Number(rate.toFixed(rate < 10 ? 1 : 0)))
  return `${text} card${text === '1' ? '' : 's'} a minute`
}

const formatLeft = (progress: BatchProgress): string | undefined => {
  const { ordered, delivered, failed, duplicate, unknown } = progress.cards
  const open = ordered - delivered - failed - duplicate - unknown
  if (!hasRate(progress) || open <= 0 || progress.isOver === true) return undefined
  const ms = (open * progress.elapsedMs) / progress.deliveredNow
  if (ms < minuteMs) return 'less than 1 min left'
  const unit = ms < hourMs ? minuteMs : hourMs
  return `about ${formatDuration(Math.round(ms / unit) * unit)} left`
}

const listProblems = ({ cards }: BatchProgress): string[] => [
  ...(cards.failed > 0 ? [`${cards.failed} failed`] : []),
  ...(cards.duplicate > 0 ? [`${cards.duplicate} duplicate`] : []),
  ...(cards.unknown > 0 ? [`${cards.unknown} unknown`] : []),
]

const listTroubles = ({ trouble, isOver }: BatchProgress): string[] =>
  trouble === undefined || isOver === true ? [] : [describeTrouble(trouble)]

const formatCards = ({ cards }: BatchProgress): string =>
  `${cards.delivered} of ${describeCount(cards.ordered, 'card')} delivered`

const formatOrders = ({ ordersDone, orders }: BatchProgress): string =>
  `${ordersDone} of ${describeCount(orders, 'order')}`

const formatSpent = (progress: BatchProgress): string => `${formatSpentOf(progress.spent, progress)} spent`

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

const renderHead = (progress: BatchProgress, view: ProgressView): string[] => {
  const cards = formatCards(progress)
  const name = sanitize(progress.name)
  const beside = view.width - widthOf(name) - cards.length - 4
  if (beside >= shortestBar) {
    const bar = renderBar(progress, Math.min(longestBar, beside), view)
    return [`${view.theme.strong(name)}  ${bar}  ${cards}`]
  }
  const bar = renderBar(progress, Math.min(longestBar, Math.max(shortestBar, view.width)), view)
  return [view.theme.strong(cutText(name, view.width)), bar, cutText(cards, view.width)]
}

const maxWorkers = 8

/** For lines that are redrawn. */
export const renderBatchProgress = (progress: BatchProgress, view: ProgressView): string[] => {
  const { ordersInFlight, workers = [], now = 0 } = progress
  const parts = [
    formatOrders(progress),
    ordersInFlight === 0 ? undefined : `${ordersInFlight} in progress`,
    formatSpent(progress),
    formatRate(progress),
    formatLeft(progress),
  ].filter((part) => part !== undefined)
  return [
    ...renderHead(progress, view),
    ...packParts(parts, view.width),
    ...packParts(listProblems(progress), view.width).map((line) => view.theme.warning(line)),
    ...listTroubles(progress).map((line) => view.theme.warning(cutText(line, view.width))),
    ...listWorkerLines(workers, now, maxWorkers).map((line) => view.theme.quiet(cutText(line, view.width))),
  ].map((line) => `${line}\n`)
}

const countWorkers = ({ workers = [] }: BatchProgress): string[] => {
  const lost = workers.filter(({ isLost }) => isLost).length
  const running = workers.length - lost
  return [
    ...(running > 0 ? [describeCount(running, 'worker')] : []),
    ...(lost > 0 ? [`${describeCount(lost, 'worker')} lost`] : []),
  ]
}

/** For a pipe or a screen reader. */
export const formatBatchProgress = (progress: BatchProgress): string => {
  const parts = [
    formatCards(progress),
    formatOrders(progress),
    formatSpent(progress),
    ...countWorkers(progress),
    ...listProblems(progress),
    formatLeft(progress),
    ...listTroubles(progress),
  ].filter((part) => part !== undefined)
  return `${sanitize(progress.name)}: ${parts.join(', ')}`
}
