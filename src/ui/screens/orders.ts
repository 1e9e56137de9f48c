// Lists the orders of the journal, and the recorded reveals of codes.

import { parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/ordered-products.ts'
import { findGeneratedId } from '../../contract/reference.ts'
import { hideHash } from '../../contract/state-words.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import type { Reveal } from '../../journal/orders/reveals.ts'
import type { OrderView } from '../../operations/view.ts'
import { findRevealer, type NamedActor, nameActor } from '../../text/actor-name.ts'
import type { View } from '../terminal/view.ts'
import { describeProducts, formatMoney } from '../text/amounts.ts'
import { listColumns, type ResultFields } from '../text/result-fields.ts'
import { type Cell, type ColumnOf, fitsTable, readTable, renderTableOf } from '../text/table.ts'
import { formatAge, formatIso, formatRelative, formatTime, toInstant } from '../text/time.ts'
import { findWordStyle, stateCell } from './state.ts'

/** An order of the journal. */
export type ListedOrder = {
  readonly entry: Entry
  readonly view: Pick<OrderView, 'money' | 'progress'>
  /** As ordered, or as the service showed them. Undefined if the journal does not know them. */
  readonly products: readonly object[] | undefined
  /** The name of its batch. */
  readonly batch: string | undefined
  readonly by: NamedActor | undefined
  /** When the state was last seen, if it may have changed since. */
  readonly staleSince: number | undefined
  /** The last word of the service, if its document does not have it. */
  readonly undocumentedWord: string | undefined
}

const absent = '–'

const readTotal = ({ entry: { total } }: ListedOrder) =>
  total === undefined ? undefined : parseDecimal(total)

const formatTotal = (row: ListedOrder): string => {
  const amount = readTotal(row)
  const { wallet } = row.entry
  return amount === undefined || wallet === undefined ? absent : formatMoney(amount, wallet)
}

/** With the word of the service, if its document does not have it. */
const formatState = (
  { entry: { state }, undocumentedWord, staleSince }: ListedOrder,
  { theme, now, width }: View,
): Cell => {
  const { text, paint } = stateCell(state, theme, findWordStyle(state))
  const word = undocumentedWord === undefined ? '' : ` (${undocumentedWord})`
  // On a narrow terminal, the total and the reference matter more. The note below the table counts these orders.
  const age = staleSince === undefined || width < 100 ? '' : `, ${formatRelative(staleSince, now)}`
  return { text: `${text}${word}${age}`, paint }
}

/** Undefined if the journal does not know them. */
const formatProducts = ({ entry: { products = '' } }: ListedOrder): string | undefined => {
  const parsed = parseProducts(products)
  return parsed && describeProducts(parsed)
}

const formatPerson = ({ by }: ListedOrder): string | undefined => by && nameActor(by)

/** Generated references differ only in their end. */
const shortenReference = ({ entry: { reference = absent } }: ListedOrder, { width }: View): string => {
  const id = width === Infinity ? undefined : findGeneratedId(reference)
  return id === undefined ? reference : `…${id}`
}

/** CSV is for an accountant: what each order cost, when, and who placed it. An id is never cut, so that it can be copied. */
export const listedFields: ResultFields<ListedOrder> = [
  [
    'id',
    ({ entry }) => entry.orderId,
    { title: 'ORDER', csv: 'order', cell: ({ entry }) => entry.orderId ?? absent },
  ],
  [
    'reference',
    ({ entry }) => entry.reference,
    { title: 'REFERENCE', csv: 'reference', cell: shortenReference, narrow: 'cut' },
  ],
  [
    'placedAt',
    ({ entry }) => formatIso(entry.placedAt),
    {
      title: 'AGE',
      csv: 'placed',
      cell: ({ entry }, { now }) => formatAge(entry.placedAt, now),
      align: 'right',
    },
  ],
  ['confirmedAt', ({ entry }) => formatIso(entry.confirmedAt), { csv: 'confirmed' }],
  ['changedAt', ({ entry }) => formatIso(entry.changedAt)],
  ['expiresAt', ({ entry }) => formatIso(entry.expiresAt)],
  ['state', ({ entry }) => entry.state, { title: 'STATE', csv: 'state', cell: formatState }],
  ['money', ({ view }) => view.money],
  ['progress', ({ view }) => view.progress],
  ['standing', ({ entry }) => entry.standing],
  ['serviceState', ({ entry }) => entry.serviceState && hideHash(entry.serviceState)],
  ['result', ({ entry }) => entry.result],
  [
    'products',
    ({ products }) => products,
    {
      title: 'PRODUCTS',
      csv: 'products',
      cell: (row) => formatProducts(row) ?? absent,
      csvText: formatProducts,
      narrow: 'cut',
      minWidth: 16,
    },
  ],
  [
    'total',
    readTotal,
    { title: 'TOTAL', csv: 'amount', cell: formatTotal, csvText: ({ entry }) => entry.total, align: 'right' },
  ],
  ['wallet', ({ entry }) => entry.wallet, { csv: 'currency' }],
  [
    'by',
    ({ by }) => by,
    {
      title: 'BY',
      csv: 'person',
      cell: (row) => formatPerson(row) ?? absent,
      csvText: formatPerson,
      isOptional: true,
    },
  ],
  ['profile', ({ entry }) => entry.profile, { title: 'PROFILE', csv: 'profile' }],
  ['origin', ({ entry }) => entry.origin],
  ['batch', ({ batch }) => batch],
  ['placedWith', ({ entry }) => entry.placedWith],
  ['stale', ({ staleSince }) => staleSince !== undefined],
]

/** The columns of the table. The last ones are left out first: it needs the order, state, total and reference. */
const titles = ['ORDER', 'STATE', 'PRODUCTS', 'TOTAL', 'AGE', 'BY', 'REFERENCE', 'PROFILE']
const byImportance = ['ORDER', 'STATE', 'TOTAL', 'REFERENCE', 'PRODUCTS', 'BY', 'AGE', 'PROFILE']
const neededCount = 4

export const renderOrders = (rows: readonly ListedOrder[], view: View): string => {
  const all = listColumns(listedFields, rows, view)
  const known = titles.flatMap((title) => all.filter(([each]) => each === title))
  let chosen: typeof known = []
  for (const [index, title] of byImportance.entries()) {
    const more = known.filter((column) => column[0] === title || chosen.includes(column))
    // The profile is shown only if it leaves the products their usual width.
    const minWidth = title === 'PROFILE' ? 28 : 16
    const wanted = more.map(
      ([name, read, layout]): ColumnOf<ListedOrder> => [
        name,
        read,
        name === 'PRODUCTS' ? { ...layout, minWidth } : layout,
      ],
    )
    if (fitsTable(...readTable(wanted, rows), view.width)) chosen = more
    // Then each row is a block of lines.
    else if (index < neededCount) return renderTableOf(known, rows, view)
  }
  return renderTableOf(chosen, rows, view)
}

/** A recorded reveal. */
export type ListedReveal = Reveal & { readonly by: NamedActor | undefined }

/** In a shared journal, the role says more than a login name such as root. */
export const revealFields: ResultFields<ListedReveal> = [
  [
    'at',
    ({ at }) => formatIso(at),
    { title: 'WHEN', cell: ({ at }, view) => (toInstant(at) === undefined ? '?' : formatTime(at, view)) },
  ],
  ['who', ({ who }) => who, { title: 'WHO', cell: (reveal) => nameActor(findRevealer(reveal)) }],
  ['how', ({ how }) => how, { title: 'HOW' }],
  ['id', ({ orderId }) => orderId, { title: 'ORDER' }],
  ['skus', ({ skus }) => skus, { title: 'SKUS', cell: ({ skus }) => skus.join(', '), narrow: 'wrap' }],
  ['profile', ({ profile }) => profile, { title: 'PROFILE', narrow: 'leave-out' }],
  ['origin', ({ origin }) => origin],
  ['by', ({ by }) => by],
]
