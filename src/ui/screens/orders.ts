// Lists the orders of the journal, and the recorded reveals of codes.

import { parseDecimal } from '../../contract/decimal.ts'
import { parseProducts } from '../../contract/ordered-products.ts'
import { findGeneratedId } from '../../contract/reference.ts'
import { isKnownState } from '../../contract/states.ts'
import type { Entry } from '../../journal/entry.ts'
import type { Reveal } from '../../journal/reveals.ts'
import type { View } from '../terminal/view.ts'
import { describeProducts, formatMoney } from '../text/amounts.ts'
import { type Cell, type Column, fitsTable, renderTable } from '../text/table.ts'
import { formatAge, formatRelative, formatTime, toInstant } from '../text/time.ts'
import { standingCell } from './state.ts'

type OrderRow = Pick<
  Entry,
  | 'orderId'
  | 'reference'
  | 'state'
  | 'serviceState'
  | 'profile'
  | 'wallet'
  | 'total'
  | 'products'
  | 'placedAt'
> & {
  /** When the state was last seen, if it may have changed since. */
  readonly staleSince?: number
  /** Who placed it. */
  readonly by?: string
}

const absent = '–'

const formatTotal = ({ total, wallet }: OrderRow): string => {
  const amount = total === undefined ? undefined : parseDecimal(total)
  return amount === undefined || wallet === undefined ? absent : formatMoney(amount, wallet)
}

/** With the word of the service, if its document does not have it. */
const formatState = ({ state, serviceState, staleSince }: OrderRow, { theme, now, width }: View): Cell => {
  const { text, paint } = standingCell(state, theme)
  const word = serviceState === undefined || isKnownState(serviceState) ? '' : ` (${serviceState})`
  // On a narrow terminal, the total and the reference matter more. The note below the table counts these orders.
  const age = staleSince === undefined || width < 100 ? '' : `, ${formatRelative(staleSince, now)}`
  return { text: `${text}${word}${age}`, paint }
}

/** Undefined if the journal does not know them. */
export const formatProducts = ({ products }: Pick<OrderRow, 'products'>): string | undefined => {
  const parsed = products === undefined ? undefined : parseProducts(products)
  return parsed && describeProducts(parsed)
}

/** Generated references differ only in their end. */
const shortenReference = (reference: string): string => {
  const id = findGeneratedId(reference)
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
  {
    title: 'REFERENCE',
    narrow: 'cut',
    minWidth: 10,
    rank: 4,
    read: ({ reference }, { width }) => {
      if (reference === undefined) return absent
      return width === Infinity ? reference : shortenReference(reference)
    },
  },
  { title: 'PROFILE', rank: 8, read: ({ profile }) => profile },
]

export const renderOrders = (rows: readonly OrderRow[], view: View): string => {
  const hasPeople = rows.some(({ by }) => by !== undefined)
  const known = columns.filter(({ title }) => title !== 'BY' || hasPeople)
  const chosen = chooseColumns(known, rows, view)
  return renderTable(chosen, readCells(chosen, rows, view), view)
}

const readCells = (chosen: readonly OrderColumn[], rows: readonly OrderRow[], view: View): Cell[][] =>
  rows.map((row) => chosen.map(({ read }) => read(row, view)))

/** The profile is shown only if it leaves the products their usual width. */
const widenProducts = (column: OrderColumn): OrderColumn =>
  column.title === 'PRODUCTS' ? { ...column, minWidth: 28 } : column

/** Order, state, total and reference. */
const lastNeededRank = 4

/** All columns if the needed ones do not fit: then each row is a block of lines. */
const chooseColumns = (
  known: readonly OrderColumn[],
  rows: readonly OrderRow[],
  view: View,
): readonly OrderColumn[] => {
  let chosen: readonly OrderColumn[] = []
  for (const column of known.toSorted((one, other) => one.rank - other.rank)) {
    const more = known.filter((each) => each === column || chosen.includes(each))
    const wanted = column.title === 'PROFILE' ? more.map(widenProducts) : more
    if (fitsTable(wanted, readCells(more, rows, view), view.width)) chosen = more
    else if (column.rank <= lastNeededRank) return known
  }
  return chosen
}

export const renderReveals = (rows: readonly Omit<Reveal, 'origin'>[], view: View): string =>
  renderTable(
    [
      { title: 'WHEN' },
      { title: 'WHO' },
      { title: 'HOW' },
      { title: 'ORDER' },
      { title: 'SKUS', narrow: 'wrap' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    rows.map(({ at, who, how, orderId, skus, profile }) => [
      toInstant(at) === undefined ? '?' : formatTime(at, view),
      who,
      how,
      orderId,
      skus.join(', '),
      profile,
    ]),
    view,
  )
