// Prints one batch, as JSON or a screen, and what to type next: its state, its cards and orders, what went wrong. Also renders its
// plan and its rows.

import { formatOf, type OutputOptions, outputFor, warnOfRefuted } from '../app/output/output.ts'
import { warnProse, writeNote } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { type Decimal, formatDecimal, parseDecimal, sum, zero } from '../contract/money/decimal.ts'
import type { Batch } from '../journal/batches/batches.ts'
import {
  type CardError,
  listCardErrors,
  listDoubleOrders,
  listRefutedOrders,
  listUnknownOrders,
} from '../journal/batches/cards.ts'
import { type Buyer, listBuyers } from '../journal/batches/slots.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { type ApprovalStatus, writeApprove } from '../operations/approval.ts'
import type { Suggest } from '../text/suggest.ts'
import { nameActor } from '../text/words.ts'
import { listApprovalFields } from '../ui/screens/limits.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { type View, viewOf } from '../ui/terminal/view.ts'
import { describeCount, formatMoney, formatTime, writeRepayAdvice } from '../ui/text/formats.ts'
import { listColumns, listNames, type ResultFields, readFields } from '../ui/text/result-fields.ts'
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
} from '../ui/text/table.ts'
import {
  adviseBuy,
  adviseFailed,
  approvedFields,
  describeBatchState,
  formatFaceValues,
  formatSpentOf,
  isRowRefusal,
  type ListedBatch,
  listBuyerLines,
  listCounts,
  listRowFields,
} from './screens/batches.ts'
import {
  adviseRest,
  type BatchSummary,
  type FaceValue,
  findFaceValueIn,
  type OpenedBatch,
  type ReportedRow,
  readApprovalStatus,
  type Summarized,
  summarizeBatch,
} from './summary.ts'

type PrintOptions = {
  /** If it is known already. */
  readonly summarized?: Summarized
  /** Of the JSON. */
  readonly fields?: ResultFields<ListedBatch>
  readonly printsSteps?: boolean
  /** Shows whose orders are not finished. */
  readonly showsBuyers?: boolean
  readonly faceValues?: readonly FaceValue[]
}

export const printBatch = async (
  context: Context,
  opened: OpenedBatch,
  output: OutputOptions,
  {
    summarized,
    fields = approvedFields,
    printsSteps = true,
    showsBuyers = false,
    faceValues,
  }: PrintOptions = {},
): Promise<void> => {
  const { read } = opened.journal
  const { batch, summary } = summarized ?? (await summarizeBatch(opened))
  const { number, wallet } = batch
  const approval = await readApprovalStatus({ ...opened, batch }, summary)
  const buyers = showsBuyers ? await listBuyers(read, number) : undefined
  const refuted = (await listRefutedOrders(read, number)).map(({ orderId = '' }) => orderId)
  const errors = formatOf(output) === 'screen' ? await listCardErrors(read, number) : []
  const shown = { batch, summary, approval, buyers, faceValues, errors }
  await outputFor(context, output).print({
    names: listNames(fields),
    data: () => readFields(fields, { ...shown, refuted }),
    ids: [batch.name],
    screen: async () => {
      const unknownOrders = summary.cards.unknown === 0 ? [] : await listUnknownOrders(read, number)
      return renderBatch({ ...shown, unknownOrders }, viewOf(context))
    },
  })
  warnOfRefuted(context, refuted)
  for (const orders of (await listDoubleOrders(read, number)).values()) {
    const ids = orders.map(({ orderId = '' }) => orderId)
    warnProse(context, describeDoubleOrders(ids, context.suggest))
  }
  if (!printsSteps || formatOf(output) !== 'screen') return
  const faceValue = faceValues && findFaceValueIn(wallet, faceValues)
  const ofRest = await adviseRest({ ...opened, batch }, summary.spent, faceValue)
  const steps = listNextSteps({ ...shown, ofRest }, context.suggest, faceValue)
  for (const step of steps) writeNote(context, `${step}\n`)
}

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
  /** Which cap the open cards need, if the batch stopped at its cap and that is known. */
  readonly ofRest?: readonly string[]
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

const renderBatch = (shown: BatchView, view: View): string => {
  const buyers = listBuyerLines(shown.buyers ?? [], view.now).map((line) => paragraph(line, view.width))
  return (
    renderBatchSummary(shown, view) +
    renderNextSection('Orders in progress', buyers.join(''), view) +
    renderNextSection('Unknown orders', renderUnknownOrders(shown, view).join(''), view) +
    renderNextSection('Errors', renderErrors(shown, view), view)
  )
}

/** Orders that bought the same rows. */
const describeDoubleOrders = (ids: readonly string[], suggest: Suggest): string =>
  [
    `${ids.length} paid orders bought the same rows, so some of their cards belong to no row. List the cards and their rows:`,
    ...ids.map((id) => `  ${suggest`redeem ${id}`}`),
  ].join('\n')

/** Returns what to type next, one line for each step. `faceValue`: in the currency of the wallet, if that is known. */
const listNextSteps = (shown: BatchView, suggest: Suggest, faceValue?: Decimal): string[] => {
  const { batch, summary, approval, errors = [], buyers = [] } = shown
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
    const approve = approval.cap && writeApprove(suggest, batch, approval.cap)
    return [`The batch waits for another database role: ${approve}`, ...toBuy]
  }
  if (state === 'in-progress') {
    return buyers.some(({ until }) => until !== undefined)
      ? [`Watch it: ${suggest`batch show ${name} --watch`}`]
      : [`If no other process runs this batch, continue it: ${run}`]
  }
  if (state === 'stopped') return [...explainStop(shown, suggest, run), ...toExport]
  if (state === 'unknown') return [`Settle the unknown orders: ${run}`, ...toExport]
  return state === 'cancelled' ? toExport : [...toRetry, ...toExport]
}

const explainStop = (shown: BatchView, suggest: Suggest, run: string): string[] => {
  const { approval, ofRest = [] } = shown
  const { name, stopped, profile } = shown.batch
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
