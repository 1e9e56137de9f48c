// An order on one line: a new order, each change of a watched order, and its live line among those of other orders.
import { formatDuration } from '../../contract/duration.ts'
import type { CreatedOrder } from '../../contract/schemas.ts'
import type { Writer } from '../terminal/io.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { widthOf } from '../terminal/text-width.ts'
import { type Theme, themeFor } from '../terminal/view.ts'
import { formatMoney } from '../text/amounts.ts'
import { paragraph } from '../text/fields.ts'
import { formatExpiry } from '../text/time.ts'
import { stateText } from './state.ts'

const plainTheme = themeFor({ colour: false })

export type WatchedOrder = Change & {
  readonly products: string
  readonly isOver: boolean
}

type Frame = {
  /** The number of orders, also of those that no response has shown yet. */
  readonly total: number
  /** What is true of an order that is over: 'final' */
  readonly goal: string
  readonly rows: number
  readonly theme: Theme
}

/**
 * A line for each order, and a summary. If they do not fit into the rows, the lines of unfinished orders come first.
 */
export const renderWatched = (
  orders: readonly WatchedOrder[],
  { total, goal, rows, theme }: Frame,
): string[] => {
  const space = Math.max(1, rows - 1)
  const isWhole = orders.length <= space
  const byUrgency = orders.toSorted((one, other) => Number(one.isOver) - Number(other.isOver))
  const shown = isWhole ? orders : byUrgency.slice(0, space - 1)
  const hidden = orders.length - shown.length
  return [
    ...renderAligned(shown, theme),
    ...(hidden === 0 ? [] : [theme.quiet(`… and ${hidden} more`)]),
    summarize(orders, `of ${total} ${goal}`),
  ].map((line) => `${line}\n`)
}

/** The products come last, because a line that is too long is cut at its end. */
const renderAligned = (orders: readonly WatchedOrder[], theme: Theme): string[] => {
  const cells = orders.map(({ id, state, ms, products }) => ({
    texts: [sanitize(id), stateText(state, plainTheme), `after ${formatDuration(ms)}`] as const,
    state,
    products: sanitize(products),
  }))
  const [ids = 0, states = 0, times = 0] = [0, 1, 2].map((index) =>
    Math.max(0, ...cells.map(({ texts }) => widthOf(texts[index] ?? ''))),
  )
  return cells.map(({ texts: [id, text, time], state, products }) =>
    [
      id + padding(id, ids),
      stateText(state, theme) + padding(text, states),
      theme.quiet(time) + padding(time, times),
      products,
    ]
      .join('  ')
      .trimEnd(),
  )
}

const padding = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text)))

/** '3 of 5 final, 2 processing' */
const summarize = (orders: readonly WatchedOrder[], ofAll: string): string => {
  const open = orders.filter(({ isOver }) => !isOver)
  const counts = [...Map.groupBy(open, ({ state }) => state)].map(
    ([state, all]) => `${all.length} ${sanitize(state)}`,
  )
  return [`${orders.length - open.length} ${ofAll}`, ...counts].join(', ')
}

export type Change = {
  readonly id: string
  readonly state: string
  /** Since the start of the watch. */
  readonly ms: number
}

export const renderChange = ({ id, state, ms }: Change, theme: Theme): string =>
  `${sanitize(id)}  ${stateText(state, theme)}  ${theme.quiet(`after ${formatDuration(ms)}`)}\n`

/** A new order (order-service.md 2.9), for commands that go on to confirm it. Wrapped on a terminal only. */
export const renderCreatedLine = (
  { id, invoice, expiresAt }: CreatedOrder,
  reference: string,
  now: number,
  { isTerminal, width }: Pick<Writer, 'isTerminal' | 'width'>,
): string => {
  const { total, wallet } = invoice
  const names = `created ${sanitize(id)} (reference ${sanitize(reference)})`
  const price = `${formatMoney(total, wallet)} from the ${sanitize(wallet)} wallet`
  const text = `${names}: ${price}, ${formatExpiry(expiresAt, now)}`
  return paragraph(text, isTerminal ? width : Number.POSITIVE_INFINITY)
}
