// Lists the orders of the journal, the recorded reveals of codes, and what reconcile found out about each order.

import { parseDecimal } from '../../contract/money/decimal.ts'
import { parseProducts } from '../../contract/order/ordered-products.ts'
import { findGeneratedId } from '../../contract/order/reference.ts'
import { hideHash } from '../../contract/states.ts'
import { formatUtcTime } from '../../contract/time.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import type { Reveal } from '../../journal/orders/seen-cards.ts'
import type { OrderView } from '../../operations/view.ts'
import { findRevealer, type NamedActor, nameActor } from '../../text/actor-name.ts'
import { sanitize } from '../terminal/text.ts'
import type { View } from '../terminal/view.ts'
import {
  describeProducts,
  formatAge,
  formatClock,
  formatIso,
  formatMoney,
  formatRelative,
  toInstant,
} from '../text/formats.ts'
import { pick, pickTimes, type ResultFields } from '../text/result-fields.ts'
import { type Cell, right } from '../text/table.ts'
import {
  findEntryStyle,
  findWordStyle,
  formatSuggestion,
  refutedAdvice,
  type Suggestion,
  stateCell,
  stateText,
} from './state.ts'

export type ListedOrder = {
  readonly entry: Entry
  readonly view: Pick<OrderView, 'money' | 'progress' | 'decision'>
  /** As ordered, or as the service showed them. Undefined if the journal does not know them. */
  readonly products: readonly object[] | undefined
  readonly batch: string | undefined
  readonly by: NamedActor | undefined
  /** When the state was last seen, if it may have changed since. */
  readonly staleSince: number | undefined
  /** The last word of the service, if its document does not have it. */
  readonly undocumentedWord: string | undefined
}

const absent = '–'

const entryOf = ({ entry }: ListedOrder) => entry

const readTotal = ({ entry: { total } }: ListedOrder) => parseDecimal(total ?? '')

const showTotal = (row: ListedOrder): string => {
  const amount = readTotal(row)
  const { wallet } = row.entry
  return amount === undefined || wallet === undefined ? absent : formatMoney(amount, wallet)
}

/** With the word of the service, if its document does not have it. */
const showState = (
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

const showId = ({ entry }: ListedOrder): string => entry.orderId ?? absent
const showProducts = (row: ListedOrder): string => formatProducts(row) ?? absent
const showPerson = (row: ListedOrder): string => formatPerson(row) ?? absent
const showAge = ({ entry }: ListedOrder, { now }: View): string => formatAge(entry.placedAt, now)

/** Generated references differ only in their end. */
const showReference = ({ entry: { reference = absent } }: ListedOrder, { width }: View): string => {
  const id = width === Infinity ? undefined : findGeneratedId(reference)
  return id === undefined ? reference : `…${id}`
}

/** CSV is for an accountant: what each order cost, when, and who placed it. An id is never cut, so that it can be copied. */
export const listedFields: ResultFields<ListedOrder> = [
  ['id', ({ entry }) => entry.orderId, { title: 'ORDER', csv: 'order', cell: showId }],
  [
    'reference',
    ({ entry }) => entry.reference,
    { title: 'REFERENCE', csv: 'reference', cell: showReference, narrow: 'cut' },
  ],
  ['state', ({ entry }) => entry.state, { title: 'STATE', csv: 'state', cell: showState }],
  ...pick(({ view }: ListedOrder) => view, 'money', 'progress', 'decision'),
  ...pick(entryOf, 'standing', 'result'),
  ['serviceState', ({ entry }) => entry.serviceState && hideHash(entry.serviceState)],
  [
    'products',
    ({ products }) => products,
    {
      title: 'PRODUCTS',
      csv: 'products',
      cell: showProducts,
      csvText: formatProducts,
      narrow: 'leave-out',
      minWidth: 16,
    },
  ],
  [
    'total',
    readTotal,
    { title: 'TOTAL', csv: 'amount', cell: showTotal, csvText: ({ entry }) => entry.total, ...right },
  ],
  ['wallet', ({ entry }) => entry.wallet, { csv: 'currency' }],
  [
    'by',
    ({ by }) => by,
    {
      title: 'BY',
      csv: 'person',
      cell: showPerson,
      csvText: formatPerson,
      narrow: 'leave-out',
      isOptional: true,
    },
  ],
  [
    'placedAt',
    ({ entry }) => formatIso(entry.placedAt),
    { title: 'AGE', csv: 'placed', cell: showAge, ...right, narrow: 'leave-out' },
  ],
  ['confirmedAt', ({ entry }) => formatIso(entry.confirmedAt), { csv: 'confirmed' }],
  ...pickTimes(entryOf, 'changedAt', 'expiresAt'),
  ['profile', ({ entry }) => entry.profile, { title: 'PROFILE', csv: 'profile', narrow: 'leave-out' }],
  ...pick(entryOf, 'origin', 'placedWith', 'webhookHost'),
  ['batch', ({ batch }) => batch],
  ['stale', ({ staleSince }) => staleSince !== undefined],
]

export type ListedReveal = Reveal & { readonly by: NamedActor | undefined }

/** An export of many orders is one row. */
export const joinExports = (reveals: readonly ListedReveal[]): ListedReveal[] => {
  const groups = Map.groupBy(reveals, ({ at, who, how, profile }) => [at, who, how, profile].join('\n'))
  return [...groups.values()].flatMap((all) => {
    const [first] = all
    if (first?.how !== 'export' || all.length === 1) return all
    return [
      { ...first, orderId: `${all.length} orders`, skus: [...new Set(all.flatMap(({ skus }) => skus))] },
    ]
  })
}

/** In a shared journal, the role says more than a login name such as root. */
export const revealFields: ResultFields<ListedReveal> = [
  [
    'at',
    ({ at }) => formatIso(at),
    { title: 'WHEN', cell: ({ at }, view) => (toInstant(at) === undefined ? '?' : formatClock(at, view)) },
  ],
  ['who', ({ who }) => who, { title: 'WHO', cell: (reveal) => nameActor(findRevealer(reveal)) }],
  ['how', ({ how }) => how, { title: 'HOW' }],
  ['id', ({ orderId }) => orderId, { title: 'ORDER' }],
  ['skus', ({ skus }) => skus, { title: 'SKUS', cell: ({ skus }) => skus.join(', '), narrow: 'wrap' }],
  ['profile', ({ profile }) => profile, { title: 'PROFILE', narrow: 'leave-out' }],
  ...pick((reveal: ListedReveal) => reveal, 'origin', 'by'),
]

export type ReconciledRow = ListedOrder & {
  /** The state before reconcile. */
  readonly was: string
  readonly view: OrderView
  readonly next: Suggestion
  readonly problem?: string | undefined
}

export const reconciledFields: ResultFields<ReconciledRow> = [
  ...listedFields,
  ['was', ({ was }) => was],
  ['safeFrom', ({ view: { provenAt } }) => provenAt && formatUtcTime(provenAt)],
  ['problem', ({ problem }) => problem],
  ['next', ({ next }) => next.command],
  ['advice', ({ next }) => next.advice],
]

export const renderReconciled = (row: ReconciledRow, view: View): string => {
  const { theme } = view
  const { was, problem } = row
  const { orderId = 'An order without an id', reference, state, voidReason } = row.entry
  const style = findEntryStyle(voidReason, row.view)
  const next = formatSuggestion(row.next)
  const change = was === state ? '' : ` (was ${sanitize(was)})`
  return [
    `${theme.strong(sanitize(orderId))}  ${stateText(state, theme, style)}${change}, ${style.meaning}`,
    ...(reference === undefined ? [] : [`  Reference ${sanitize(reference)}`]),
    ...(problem === undefined ? [] : [`  ${theme.bad('No usable response:')} ${sanitize(problem)}`]),
    ...(row.view.decision === 'refuted'
      ? [`  ${theme.bad('Settled as not spent, but it is paid.')} ${refutedAdvice}`]
      : []),
    ...(next === '' ? [] : [`  ${next}`]),
    '',
  ].join('\n')
}

/** The message about orders that may have spent money. */
export const describeUnknownOrders = (ids: readonly string[]): string => {
  const named = ids.slice(0, 5).map(sanitize)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const orders = ids.length === 1 ? 'the order' : `${ids.length} orders:`
  return `money may have been spent for ${orders} ${named.join(', ')}${more}`
}
