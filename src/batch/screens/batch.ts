// Renders one batch: its state, its cards and orders, what went wrong, what to type next, and its rows.

import { type Decimal, formatDecimal, parseDecimal, sum, zero } from '../../contract/money/decimal.ts'
import type { Batch } from '../../journal/batches/batches.ts'
import type { CardError } from '../../journal/batches/cards.ts'
import type { Buyer } from '../../journal/batches/slots.ts'
import type { Entry } from '../../journal/orders/entries.ts'
import type { ApprovalStatus } from '../../operations/approval.ts'
import type { Suggest } from '../../text/suggest.ts'
import { nameActor } from '../../text/words.ts'
import { listApprovalFields } from '../../ui/screens/limits.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { describeCount, formatMoney, formatTime, writeRepayAdvice } from '../../ui/text/formats.ts'
import { listColumns } from '../../ui/text/result-fields.ts'
import {
  type ColumnLayout,
  type ColumnOf,
  type ColumnsOf,
  listFirst,
  type NamedText,
  paragraph,
  renderFields,
  renderNextSection,
  renderTableOf,
  right,
  wrapFields,
} from '../../ui/text/table.ts'
import type { BatchSummary, FaceValue, ReportedRow } from '../summary.ts'
import {
  adviseBuy,
  adviseFailed,
  describeBatchState,
  formatFaceValues,
  formatSpentOf,
  isRowRefusal,
  listBuyerLines,
  listCounts,
  listRowFields,
} from './batches.ts'

type BatchView = {
  readonly batch: Batch
  readonly summary: BatchSummary
  readonly faceValues?: readonly FaceValue[]
  readonly approval?: ApprovalStatus
  readonly unknownOrders?: readonly Entry[]
  /** Those whose orders are not finished. */
  readonly buyers?: readonly Buyer[]
  /** The most frequent first. */
  readonly errors?: readonly CardError[]
}

const maxUnknown = 20
const maxErrors = 10

/** Orders whose outcome is unknown count as spent. */
const describeSpent = ({ batch, summary, unknownOrders = [] }: BatchView): string => {
  const unknown = sum(unknownOrders.map(({ total = '' }) => parseDecimal(total) ?? zero))
  const spent = formatSpentOf(summary.spent, batch)
  return unknown.gt(zero)
    ? `${spent}, of which ${formatMoney(unknown, batch.wallet)} may not have been spent`
    : spent
}

/** What a run of the batch still has to do. */
const describeLeft = ({ state, cards: { open, unknown, failed } }: BatchSummary): string => {
  if (state === 'cancelled') return 'nothing, because the batch is cancelled'
  const parts = [
    ...(open > 0 ? [`${describeCount(open, 'card')} not delivered yet`] : []),
    ...(unknown > 0 ? [`${describeCount(unknown, 'card')} with an unknown outcome`] : []),
    ...(failed > 0 ? [describeCount(failed, 'failed card')] : []),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

/** `more`: below the other amounts. */
const renderBatchSummary = (shown: BatchView, view: View, more: readonly NamedText[] = []): string => {
  const { batch, summary, approval, faceValues = [] } = shown
  const { delivered, ordered } = summary.cards
  const others = listCounts(summary.cards, ['failed', 'duplicate', 'unknown', 'open', 'cancelled'])
  const showTime = (at: number | undefined) => (at === undefined ? undefined : formatTime(at, view))
  const fields = wrapFields(
    [
      ['Batch', view.theme.strong(sanitize(batch.name))],
      ['Id', sanitize(batch.id)],
      ['State', describeBatchState(summary.state, batch.stopped, view.theme)],
      ['Profile', sanitize(batch.profile)],
      ['Address', batch.origin.includes('//') ? sanitize(batch.origin) : undefined],
      ['Wallet', sanitize(batch.wallet)],
      ['Rows', String(summary.rows)],
      ['Cards', [`${delivered} of ${ordered} delivered`, ...others].join(', ')],
      ['Orders', String(summary.orders)],
      ['Face value', faceValues.length === 0 ? undefined : formatFaceValues(faceValues)],
      ['Spent', describeSpent(shown)],
      ['Left', describeLeft(summary)],
      ...more,
      ...listApprovalFields(approval, batch.wallet, view),
      ['Planned by', batch.by?.role || batch.by?.writtenBy ? sanitize(nameActor(batch.by)) : undefined],
      ['Planned', showTime(batch.plannedAt)],
      ['Started', showTime(batch.startedAt)],
      ['Cancelled', showTime(batch.cancelledAt)],
    ],
    view.width,
  )
  return renderFields(fields, view)
}

/** Before it is bought. */
export const renderPlan = (shown: BatchView, view: View, more?: readonly NamedText[]): string => {
  const unknown = 'Exchange rates, fees and discounts are not known before the orders are created.'
  return `${renderBatchSummary(shown, view, more)}\n${paragraph(unknown, view.width)}`
}

const renderUnknownOrders = (
  { batch, unknownOrders = [] }: BatchView,
  { theme, suggest, width }: View,
): string[] => {
  const lines = unknownOrders.map(({ orderId = '', reference }) => {
    const known = reference === undefined ? '' : `, reference ${sanitize(reference)}`
    return paragraph(
      `${theme.strong(sanitize(orderId))}${known}. Check it: ${suggest`reconcile ${orderId}`}`,
      width,
    )
  })
  const showAll = suggest`list ${{ batch: batch.name, state: 'unknown' }}`
  return listFirst(lines, maxUnknown, (more) => `${more} more: ${showAll}\n`)
}

const renderErrors = ({ batch, errors = [] }: BatchView, view: View): string => {
  if (errors.length === 0) return ''
  const table = renderTableOf(
    [
      ['CARDS', ({ count }) => String(count), right],
      ['ERROR', ({ error }) => error, { narrow: 'wrap' }],
    ],
    errors.slice(0, maxErrors),
    view,
  )
  const showRows = view.suggest`batch show ${batch.name} --rows`
  return errors.length > maxErrors ? `${table}More errors: ${showRows}\n` : table
}

export const renderBatch = (shown: BatchView, view: View): string => {
  const buyers = listBuyerLines(shown.buyers ?? [], view.now).map((line) => paragraph(line, view.width))
  return (
    renderBatchSummary(shown, view) +
    renderNextSection('Orders in progress', buyers.join(''), view) +
    renderNextSection('Unknown orders', renderUnknownOrders(shown, view).join(''), view) +
    renderNextSection('Errors', renderErrors(shown, view), view)
  )
}

/** Orders that bought the same rows. */
export const describeDoubleOrders = (ids: readonly string[], suggest: Suggest): string =>
  [
    `${ids.length} paid orders bought the same rows, so some of their cards belong to no row. List the cards and their rows:`,
    ...ids.map((id) => `  ${suggest`redeem ${id}`}`),
  ].join('\n')

type NextStepsView = Pick<BatchView, 'batch' | 'summary' | 'approval' | 'buyers' | 'errors'> & {
  readonly suggest: Suggest
  /** In the currency of the wallet, if that is known. */
  readonly faceValue?: Decimal | undefined
  /** Which cap the open cards need, if the batch stopped at its cap and that is known. */
  readonly ofRest: readonly string[]
  /** The command that approves the cap. */
  readonly approve?: string
}

/** Returns what to type next, one line for each step. */
export const listNextSteps = (shown: NextStepsView): string[] => {
  const { suggest, batch, summary, approval, approve, faceValue, errors = [], buyers = [] } = shown
  const { name } = batch
  const { state, cards } = summary
  const approvedCap = approval?.state === 'expired' ? undefined : approval?.approval?.cap
  const run = suggest`batch run ${name}`
  const toExport =
    cards.delivered > 0
      ? [`Codes are hidden. Write them to a file: ${suggest`batch export ${name} ${`${name}-codes.csv`}`}`]
      : []
  const wrong = errors.filter(({ error }) => isRowRefusal(error)).reduce((all, { count }) => all + count, 0)
  const toRetry =
    cards.failed > 0
      ? [
          ...adviseFailed(batch, { failed: cards.failed, wrong }, suggest),
          ...writeRepayAdvice('The orders that contain them', summary.short, batch.wallet, 'in all'),
        ]
      : []
  if (state === 'planned') {
    const cap = approvedCap ?? (faceValue && formatDecimal(faceValue))
    if (approval === undefined || approval.state === 'approved') return [adviseBuy(batch, suggest, cap)]
    const buy = suggest`batch run ${name} ${{ 'max-total': cap }}`
    const toBuy = approvedCap === undefined ? [] : [`Buy it with the approved cap: ${buy}`]
    return [`The batch waits for another database role: ${approve}`, ...toBuy]
  }
  if (state === 'in-progress') {
    return buyers.some(({ until }) => until !== undefined)
      ? [`Watch it: ${suggest`batch show ${name} --watch`}`]
      : [`If no other process runs this batch, continue it: ${run}`]
  }
  if (state === 'stopped') return [...explainStop(shown, run), ...toExport]
  if (state === 'unknown') return [`Settle the unknown orders: ${run}`, ...toExport]
  return state === 'cancelled' ? toExport : [...toRetry, ...toExport]
}

const explainStop = ({ suggest, batch, approval, ofRest }: NextStepsView, run: string): string[] => {
  const { name, stopped, profile } = batch
  switch (stopped) {
    case 'cap':
      return ['The batch reached its cap. To continue, run it with a higher --max-total.', ...ofRest]
    case 'approval':
      if (approval?.state === 'expired') return [`The approval has expired. Ask for another one: ${run}`]
      return approval?.state === 'waiting'
        ? [`The batch needs an approval. Ask for one: ${run}`]
        : [`The batch may continue: ${run}`]
    case 'budget':
      return [
        `A budget did not allow the next order. See what is left: ${suggest`profile limits ${profile}`}`,
        `When the budget allows it, continue: ${run}`,
      ]
    case 'charge':
      return [
        `An order was charged more than its total, which counts against the cap, or in another currency. See the orders: ${suggest`list ${{ batch: name }}`}`,
        `Continue: ${run}`,
      ]
    default:
      return [`The wallet has too little money. Top up the wallet, then continue: ${run}`]
  }
}

const joinDistinct = (
  separator: string,
  cards: ReportedRow['cards'],
  read: (card: ReportedRow['cards'][number]) => string | undefined,
) => [...new Set(cards.map(read).filter((text) => text !== undefined))].join(separator)

const looksLikeName = /name|recipient|person|empf/i

/**
 * On a narrow terminal, the references are left out first, then the other columns of the input. The names, or else the
 * first column, are only cut.
 */
export const renderRows = (columns: readonly string[], rows: readonly ReportedRow[], view: View): string => {
  const readReferences = ({ cards }: ReportedRow): string =>
    joinDistinct(', ', cards, ({ order }) => order?.reference)
  const readErrors = ({ cards }: ReportedRow): string => joinDistinct('; ', cards, ({ error }) => error)
  const hasReferences = rows.some((row) => readReferences(row) !== '')
  const hasErrors = rows.some((row) => readErrors(row) !== '')
  const nameColumn = Math.max(
    0,
    columns.findIndex((name) => looksLikeName.test(name)),
  )
  const all: ColumnsOf<ReportedRow> = [
    ...listColumns(listRowFields(columns), rows, view),
    ...listInputColumns(columns, (index) => (index === nameColumn ? 'cut' : 'leave-out')),
    ['REFERENCE', readReferences, { narrow: 'leave-out', isShown: hasReferences }],
    ['ERROR', readErrors, { narrow: 'wrap', isShown: hasErrors }],
  ]
  return renderTableOf(all, rows, view)
}

export const listInputColumns = (
  columns: readonly string[],
  narrowOf: (index: number) => NonNullable<ColumnLayout['narrow']>,
) =>
  columns.map(
    (title, index): ColumnOf<Pick<ReportedRow, 'cells'>> => [
      title,
      ({ cells }) => cells[index],
      { narrow: narrowOf(index) },
    ],
  )
