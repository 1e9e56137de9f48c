// Lists the orders of the journal, and the recorded reveals of codes.

import { parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/ordered-products.ts'
import { findGeneratedId } from '../../contract/reference.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import type { Reveal } from '../../journal/orders/reveals.ts'
import type { View } from '../terminal/view.ts'
import { describeProducts, formatMoney } from '../text/amounts.ts'
import { type Cell, type Column, fitsTable, renderTable, renderTableOf } from '../text/table.ts'
import { formatAge, formatRelative, formatTime, toInstant } from '../text/time.ts'
import { findWordStyle, stateCell } from './state.ts'

type OrderRow = Partial<Entry> & {
  readonly state: string
  readonly profile: string
  readonly placedAt: number
  /** When the state was last seen, if it may have changed since. */
  readonly staleSince?: number
  /** The last word of the service, if its document does not have it. */
  readonly undocumentedWord?: string | undefined
  /** Who placed it. */
  readonly by?: string
}

const absent = '–'

const formatTotal = ({ total = '', wallet }: OrderRow): string => {
  const amount = parseDecimal(total)
  return amount === undefined || wallet === undefined ? absent : formatMoney(amount, wallet)
}

/** With the word of the service, if its document does not have it. */
const formatState = (
  { state, undocumentedWord, staleSince }: OrderRow,
  { theme, now, width }: View,
): Cell => {
  const { text, paint } = stateCell(state, theme, findWordStyle(state))
  const word = undocumentedWord === undefined ? '' : ` (${undocumentedWord})`
  // On a narrow terminal, the total and the reference matter more. The note below the table counts these orders.
  const age = staleSince === undefined || width < 100 ? '' : `, ${formatRelative(staleSince, now)}`
  return { text: `${text}${word}${age}`, paint }
}

/** Undefined if the journal does not know them. */
export const formatProducts = ({ products = '' }: Pick<OrderRow, 'products'>): string | undefined => {
  const parsed = parseProducts(products)
  return parsed && describeProducts(parsed)
}

/** Generated references differ only in their end. */
const shortenReference = ({ reference = absent }: OrderRow, { width }: View): string => {
  const id = width === Infinity ? undefined : findGeneratedId(reference)
  return id === undefined ? reference : `…${id}`
}

type OrderColumn = Column & {
  /** The lowest are left out last. */
  readonly rank: number
  readonly read: (row: OrderRow, view: View) => Cell
}

/** An id is never cut, so that it can be copied. */
const columns: readonly OrderColumn[] = [
  { title: 'ORDER', rank: 1, read: ({ orderId = absent }) => orderId },
  { title: 'STATE', rank: 2, read: formatState },
  { title: 'PRODUCTS', narrow: 'cut', minWidth: 16, rank: 5, read: (row) => formatProducts(row) ?? absent },
  { title: 'TOTAL', align: 'right', rank: 3, read: formatTotal },
  { title: 'AGE', align: 'right', rank: 7, read: ({ placedAt }, { now }) => formatAge(placedAt, now) },
  { title: 'BY', rank: 6, read: ({ by = absent }) => by },
  { title: 'REFERENCE', narrow: 'cut', rank: 4, read: shortenReference },
  { title: 'PROFILE', rank: 8, read: ({ profile }) => profile },
]

/** Order, state, total and reference. */
const lastNeededRank = 4

export const renderOrders = (rows: readonly OrderRow[], view: View): string => {
  const hasPeople = rows.some(({ by }) => by !== undefined)
  const known = columns.filter(({ title }) => title !== 'BY' || hasPeople)
  const readCells = (some: readonly OrderColumn[]): Cell[][] =>
    rows.map((row) => some.map(({ read }) => read(row, view)))
  let chosen: readonly OrderColumn[] = []
  for (const column of known.toSorted((one, other) => one.rank - other.rank)) {
    const more = known.filter((each) => each === column || chosen.includes(each))
    // The profile is shown only if it leaves the products their usual width.
    const minWidth = column.title === 'PROFILE' ? 28 : 16
    const wanted = more.map((each) => (each.title === 'PRODUCTS' ? { ...each, minWidth } : each))
    if (fitsTable(wanted, readCells(more), view.width)) chosen = more
    // Then each row is a block of lines.
    else if (column.rank <= lastNeededRank) return renderTable(known, readCells(known), view)
  }
  return renderTable(chosen, readCells(chosen), view)
}

export const renderReveals = (rows: readonly Omit<Reveal, 'origin'>[], view: View): string =>
  renderTableOf(
    [
      ['WHEN', ({ at }) => (toInstant(at) === undefined ? '?' : formatTime(at, view))],
      ['WHO', ({ who }) => who],
      ['HOW', ({ how }) => how],
      ['ORDER', ({ orderId }) => orderId],
      ['SKUS', ({ skus }) => skus.join(', '), { narrow: 'wrap' }],
      ['PROFILE', ({ profile }) => profile, { narrow: 'leave-out' }],
    ],
    rows,
    view,
  )
