// An order on one line: a new order, each change of a watched order, and its live line among those of other orders.

import type { CreatedOrder } from '../../contract/schemas.ts'
import { formatDuration } from '../../contract/time.ts'
import type { OrderView } from '../../operations/view.ts'
import type { Writer } from '../terminal/io.ts'
import { sanitize, visibleWidth } from '../terminal/text.ts'
import type { Theme } from '../terminal/view.ts'
import { formatExpiry, formatMoney } from '../text/formats.ts'
import { paragraph } from '../text/table.ts'
import { findViewStyle, stateText } from './state.ts'

type WatchedOrder = Change & { readonly products: string; readonly isOver: boolean }

type Frame = {
  /** The number of orders, also of those that no response has shown yet. */
  readonly total: number
  /** What is true of an order that is over: 'final' */
  readonly goal: string
  readonly rows: number
  readonly theme: Theme
}

/**
 * A line for each order, and '3 of 5 final, 2 processing'. If they do not fit into the rows, the lines of unfinished orders come first.
 */
export const renderWatched = (orders: readonly WatchedOrder[], frame: Frame): string[] => {
  const { total, goal, rows, theme } = frame
  const space = Math.max(1, rows - 1)
  const isWhole = orders.length <= space
  const openFirst = orders.toSorted((one, other) => Number(one.isOver) - Number(other.isOver))
  const shown = isWhole ? orders : openFirst.slice(0, space - 1)
  const hidden = orders.length - shown.length
  const open = orders.filter(({ isOver }) => !isOver)
  const counts = [...Map.groupBy(open, ({ state }) => state)].map(
    ([state, all]) => `${all.length} ${sanitize(state)}`,
  )
  return [
    ...renderAligned(shown, theme),
    ...(hidden === 0 ? [] : [theme.quiet(`… and ${hidden} more`)]),
    [`${orders.length - open.length} of ${total} ${goal}`, ...counts].join(', '),
  ].map((line) => `${line}\n`)
}

/** The products come last, because a line that is too long is cut at its end. */
const renderAligned = (orders: readonly WatchedOrder[], theme: Theme): string[] => {
  const rows = orders.map((order) => listCells(order, theme))
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((cells) => visibleWidth(cells[column] ?? ''))),
  )
  return rows.map((cells, row) => {
    const padded = cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visibleWidth(cell)))
    return [...padded, sanitize(orders[row]?.products ?? '')].join('  ').trimEnd()
  })
}

const listCells = ({ id, state, view, ms }: Change, theme: Theme): string[] => [
  sanitize(id),
  stateText(state, theme, findViewStyle(view)),
  theme.quiet(`after ${formatDuration(ms)}`),
]

export type Change = {
  readonly id: string
  /** The word to show. */
  readonly state: string
  readonly view: OrderView
  /** Since the start of the watch. */
  readonly ms: number
}

export const renderChange = (change: Change, theme: Theme): string =>
  `${listCells(change, theme).join('  ')}\n`

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
