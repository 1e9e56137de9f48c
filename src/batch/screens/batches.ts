// The fields of batches and of the rows of one, tables of batches, and how the columns of a file were read, so that a user
// notices a wrong or missing column before money is spent.

import { type Decimal, decimal, parseDecimal } from '../../contract/money/decimal.ts'
import { isVerbatim } from '../../contract/refusals.ts'
import { formatUtcMinute } from '../../contract/time.ts'
import type { Approval } from '../../journal/batches/approvals.ts'
import type { Batch } from '../../journal/batches/batches.ts'
import type { Buyer } from '../../journal/batches/slots.ts'
import type { ApprovalStatus } from '../../operations/approval.ts'
import type { Suggest } from '../../text/suggest.ts'
import { nameActor } from '../../text/words.ts'
import { actorFields, toCountFields } from '../../ui/screens/orders.ts'
import { type StateStyle, stateCell, stateText } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { Theme, View } from '../../ui/terminal/view.ts'
import {
  describeCount,
  formatBareMoney,
  formatMoney,
  formatNumber,
  formatRelative,
} from '../../ui/text/formats.ts'
import {
  chooseFields,
  column,
  leaveOut,
  listOf,
  pick,
  type ResultField,
  type ResultFields,
  renderResults,
} from '../../ui/text/result-fields.ts'
import { listFirst, renderFields, renderNextSection, right, wrapFields } from '../../ui/text/table.ts'
import type { Trouble } from '../buy/queue.ts'
import type { FaceValue, ReportedRow, Summarized } from '../summary.ts'

export type ColumnReading = {
  /** Of a workbook. `of`: the number of visible sheets. */
  readonly sheet?: { readonly name: string; readonly of: number } | undefined
  readonly columns: Readonly<Record<'sku' | 'quote' | 'quantity' | 'productType', string | undefined>>
  /** Whether the numbers of the file have decimal commas. */
  readonly hasDecimalCommas: boolean
  readonly kept: readonly string[]
  /** The number of rows with an empty cell in a column that has a default. */
  readonly empty: Readonly<Record<'quantity' | 'productType', number>>
  /** Where the type of a product comes from if its row has none: 'the sandbox'. */
  readonly typesOf: string | undefined
  /** A column that may be the type of the products. */
  readonly likelyType: string | undefined
}

const readingFields: ResultFields<ColumnReading> = [
  ['skuColumn', 'text', 'the column of the SKUs', ({ columns }) => columns.sku],
  ['quoteColumn', 'text', 'that of the quotes', ({ columns }) => columns.quote],
  ['quantityColumn', 'text', 'that of the quantities', ({ columns }) => columns.quantity],
  ['productTypeColumn', 'text', 'that of the product types', ({ columns }) => columns.productType],
  ['otherColumns', listOf('text'), 'the other columns', ({ kept }) => kept],
]

const maxKept = 20

/** Begins with an empty line. */
export const renderReading = (reading: ColumnReading, view: View): string => {
  const { sheet, columns, hasDecimalCommas, kept, empty, typesOf, likelyType } = reading
  const type = typesOf === undefined ? 'fixed' : `the type in ${typesOf}`
  const describe = (column: string | undefined, default_: string, count: number): string => {
    if (column === undefined) return `no column: ${default_}`
    return count === 0 ? column : `${column} (${describeCount(count, 'empty cell')}: ${default_})`
  }
  const hint =
    likelyType === undefined || columns.productType !== undefined || typesOf !== undefined
      ? undefined
      : `To use '${likelyType}': ${view.suggest.flags({ map: `productType=${likelyType}` })}`
  const names = listFirst(kept, maxKept, (more) => `and ${more} more`)
  const texts: Readonly<Record<string, string | undefined>> = {
    sheet: sheet && (sheet.of > 1 ? `${sheet.name}, one of ${sheet.of} sheets` : sheet.name),
    sku: columns.sku,
    quote: columns.quote && columns.quote + (hasDecimalCommas ? ' (with decimal commas)' : ''),
    quantity: describe(columns.quantity, '1 card a row', empty.quantity),
    productType: describe(columns.productType, type, empty.productType),
    '': hint,
    others: names.length === 0 ? undefined : `${names.join(', ')} (kept for the export)`,
  }
  const fields = Object.entries(texts).map(([name, text]) => [name, text && sanitize(text)] as const)
  return renderNextSection('Columns', renderFields(wrapFields(fields, view.width), view), view)
}

/** '3,120.00 of 5,000.00 USD'. */
export const formatSpentOf = (
  spent: Decimal,
  { wallet, maxTotal = '' }: Pick<Batch, 'wallet' | 'maxTotal'>,
): string => {
  const cap = parseDecimal(maxTotal)
  return cap === undefined
    ? formatMoney(spent, wallet)
    : `${formatBareMoney(spent, wallet)} of ${formatMoney(cap, wallet)}`
}

/** They depend only on the row, so the service would refuse it again. */
const rowRefusals = ['product-not-found', 'quote-mismatch', 'quote-out-of-range'] as const

export const isRowRefusal = (error: string): boolean => rowRefusals.some((kind) => isVerbatim(kind, error))

/** `wrong`: how many of the failed cards the service would refuse again. */
export const adviseFailed = (
  { name, wallet }: Pick<Batch, 'name' | 'wallet'>,
  { failed, wrong }: { readonly failed: number; readonly wrong: number },
  suggest: Suggest,
): string[] => [
  ...(wrong === 0
    ? []
    : [
        `Correct the SKU, type or price of ${failed > wrong ? `${wrong} of the cards` : wrong === 1 ? 'the card' : 'the cards'} in a new file, then plan it: ${suggest`batch plan ${`${name}-2.csv`} ${{ wallet }}`}`,
      ]),
  ...(failed === wrong
    ? []
    : [
        `Buy ${wrong === 0 ? 'the' : 'all'} failed cards again: ${suggest`batch run ${name} --retry-failed`}`,
      ]),
]

/** In a script, batch run needs a cap. */
export const adviseBuy = ({ name, wallet }: Batch, suggest: Suggest, cap?: string): string => {
  const run = suggest`batch run ${name} ${{ 'max-total': cap }}`
  if (cap !== undefined) return `Buy the batch: ${run}`
  return `Buy the batch with ${run} and --max-total, its cap in ${sanitize(wallet)}.`
}

/** '84.94 USD + 20.00 (currency not known)' */
export const formatFaceValues = (faceValues: readonly FaceValue[]): string =>
  faceValues
    .map(({ amount, currency }) =>
      currency === undefined ? `${formatNumber(amount)} (currency not known)` : formatMoney(amount, currency),
    )
    .join(' + ')

/** ['2 failed', '1 unknown'] */
export const listCounts = <State extends string>(cards: Record<State, number>, states: readonly State[]) =>
  states.filter((state) => cards[state] > 0).map((state) => `${cards[state]} ${state}`)

const absent = '–'

const namePlanner = ({ batch: { by } }: Summarized): string => (by === undefined ? absent : nameActor(by))

/** A batch, and what a command has read of it. */
export type ListedBatch = Summarized & {
  readonly approval?: ApprovalStatus | undefined
  readonly buyers?: readonly Buyer[] | undefined
  /** The ids of orders that are paid, although a person settled them as not spent. */
  readonly refuted?: readonly string[] | undefined
  readonly faceValues?: readonly FaceValue[]
  readonly reading?: ColumnReading | undefined
}

const batchOf = ({ batch }: ListedBatch) => batch

/** '500.00 USD, asked by ana 2 h ago'. Of a smaller cap that is approved: ', approved up to 100.00 USD'. */
const showApproval = ({ batch: { wallet }, approval }: ListedBatch, { now }: View): string => {
  const { cap, request, approval: smaller } = approval ?? {}
  const asked = request && ` asked by ${request.role} ${formatRelative(request.askedAt, now)}`
  const approved = smaller?.isValid && ` approved up to ${formatMoney(decimal(smaller.cap), wallet)}`
  return [cap && formatMoney(cap, wallet), asked, approved].filter(Boolean).join(',')
}

const cardCountFields = toCountFields(
  ...['ordered', 'delivered', 'failed', 'duplicate', 'unknown', 'cancelled', 'open'],
)

export const batchFields: ResultFields<ListedBatch> = [
  ...pick(batchOf, { id: ['text', 'the id of its plan; equal plans share it'] }),
  ['name', 'text', 'your name for it', ({ batch }) => batch.name, { title: 'BATCH', narrow: 'cut' }],
  column(
    'state',
    'text',
    'planned, in-progress, stopped, unknown, successful, partial, failed or cancelled',
    ({ summary }) => summary.state,
    { title: 'STATE', cell: ({ summary }, { theme }) => batchStateCell(summary.state, theme) },
  ),
  [
    'stopped',
    'text',
    'why it stopped',
    ({ batch, summary }) => (summary.state === 'stopped' ? batch.stopped : undefined),
  ],
  ['rowCount', 'count', 'the number of rows', ({ summary }) => summary.rows],
  column('cardCounts', cardCountFields, 'what became of its cards', ({ summary }) => summary.cards, {
    title: 'CARDS',
    cell: ({ summary: { cards } }) => `${cards.delivered} of ${cards.ordered}`,
    ...right,
  }),
  column('orderCount', 'count', 'the number of orders', ({ summary }) => summary.orders, {
    title: 'ORDERS',
    ...right,
    narrow: 'leave-out',
  }),
  column('spent', 'amount', 'the sum of its paid orders', ({ summary }) => summary.spent, {
    title: 'SPENT',
    cell: ({ batch, summary }) => formatSpentOf(summary.spent, batch),
    ...right,
  }),
  ['currency', 'text', 'of the amounts', ({ batch }) => batch.wallet],
  ...pick(batchOf, {
    wallet: ['text', 'the wallet that pays'],
    maxTotal: ['amount', 'its cap'],
    plannedAt: ['time', 'when it was planned'],
  }),
  column('startedAt', 'time', 'when its purchase began', ({ batch }) => batch.startedAt, {
    title: 'WHEN',
    cell: ({ batch }, { now }) => formatRelative(batch.startedAt ?? batch.plannedAt, now),
  }),
  column('by', actorFields, 'the person who planned it', ({ batch }) => batch.by, {
    title: 'BY',
    cell: namePlanner,
    narrow: 'cut',
    minWidth: 6,
  }),
  column('profile', 'text', 'the profile that planned it', ({ batch }) => batch.profile, {
    title: 'PROFILE',
    narrow: 'leave-out',
  }),
  ...pick(batchOf, { cancelledBy: [actorFields, 'the person who cancelled it'] }),
]

const approvalFields: ResultFields<ApprovalStatus> = [
  ...pick((status: ApprovalStatus) => status, { state: ['text', 'waiting, approved or expired'] }),
  ['maxTotal', 'amount', 'the cap that needs an approval', ({ cap }) => cap],
  ['askedBy', actorFields, 'who asked for it', ({ request }) => request],
  ['askedAt', 'time', 'when', ({ request }) => request?.askedAt],
  ['approvedMaxTotal', 'amount', 'the cap that is approved', ({ approval }) => approval?.cap],
  ['approvedBy', actorFields, 'who approved it', ({ approval }) => approval],
  ...pick(({ approval }: ApprovalStatus) => approval ?? ({} as Partial<Approval>), {
    approvedAt: ['time', 'when'],
  }),
  ['endsAt', 'time', 'when the approval ends', ({ approval }) => approval?.until],
]

const buyerFields: ResultFields<Buyer> = [
  ['by', actorFields, 'the person whose orders are not finished', ({ by }) => by],
  ['buyingCount', 'count', 'orders that are being bought', ({ buying }) => buying],
  ['waitingCount', 'count', 'orders that wait for their cards', ({ waiting }) => waiting],
  ['changedAt', 'time', 'when one last changed', ({ seenAt }) => seenAt],
  ['endsAt', 'time', 'when other runs can take them over', ({ until }) => until],
]

const faceValues: ResultField<ListedBatch> = [
  'faceValues',
  listOf(
    pick((value: FaceValue) => value, {
      amount: ['amount', 'the sum of the quotes'],
      currency: ['text', 'null if it is not known'],
    }),
  ),
  'what the cards are worth, by currency',
  (batch) => batch.faceValues,
]

export const plannedFields: ResultFields<ListedBatch> = [
  ...batchFields,
  faceValues,
  ['columns', readingFields, 'how the columns of the file were read', ({ reading }) => reading],
]
export const approvedFields: ResultFields<ListedBatch> = [
  ...batchFields,
  column('approval', approvalFields, 'null if it needs none', ({ approval }) => approval, {
    title: 'APPROVAL',
    cell: showApproval,
    narrow: 'wrap',
  }),
  [
    'refutedOrderIds',
    listOf('text'),
    'orders that are paid, although a person decided not-spent',
    ({ refuted }) => refuted,
  ],
]
export const shownFields: ResultFields<ListedBatch> = [
  ...approvedFields,
  faceValues,
  ['buyers', listOf(buyerFields), 'who has unfinished orders', ({ buyers }) => buyers],
]

export const exportedFields = pick((exported: { file: string; cardCounts: object }) => exported, {
  file: ['text', 'the file'],
  cardCounts: [cardCountFields, 'what became of the cards'],
})

/** Says who planned each batch if several people did. */
export const renderBatches = (all: readonly ListedBatch[], view: View): string => {
  const hasSeveral = new Set(all.map(namePlanner)).size > 1
  return renderResults(hasSeveral ? batchFields : leaveOut(batchFields, 'by'), all, view)
}

/** Batches that wait for an approval. */
export const renderApprovals = (all: readonly ListedBatch[], view: View): string =>
  renderResults(chooseFields(approvedFields, 'name', 'cardCounts', 'profile', 'approval'), all, view)

const styles = new Map<string, StateStyle>([
  ['planned', { mark: '○', paint: 'warning', meaning: 'nothing was bought yet' }],
  ['in-progress', { mark: '…', paint: 'warning', meaning: 'not complete yet' }],
  ['stopped', { mark: '!', paint: 'warning', meaning: 'it cannot continue by itself' }],
  ['unknown', { mark: '?', paint: 'bad', meaning: 'the outcome of some orders is unknown' }],
  ['successful', { mark: '✓', paint: 'good', meaning: 'all cards were delivered' }],
  ['delivered', { mark: '✓', paint: 'good', meaning: 'all cards were delivered' }],
  ['partial', { mark: '!', paint: 'warning', meaning: 'some cards were not delivered' }],
  ['failed', { mark: '✗', paint: 'bad', meaning: 'no card was delivered' }],
  ['duplicate', { mark: '✗', paint: 'bad', meaning: 'paid, but no card is certain to be its own' }],
  ['cancelled', { mark: '–', paint: 'quiet', meaning: 'it buys no more cards' }],
  ['open', { mark: '○', paint: 'warning', meaning: 'not delivered yet' }],
])

const findStyle = (state: string): StateStyle =>
  styles.get(state) ?? { mark: '?', paint: 'warning', meaning: 'unknown state' }

/** Also shows the state of a row. */
const batchStateCell = (state: string, theme: Theme) => stateCell(state, theme, findStyle(state))

const stopMeanings = new Map([
  ['cap', 'it reached its cap'],
  ['funds', 'the wallet has too little money'],
  ['budget', 'a budget does not allow the next order'],
  ['approval', 'it has no valid approval'],
  ['charge', 'an order was charged more than its total, or in another currency'],
])

/** '! partial, some cards were not delivered'. `stopped`: the reason. */
export const describeBatchState = (state: string, stopped: string | undefined, theme: Theme): string => {
  const style = findStyle(state)
  const reason = state === 'stopped' ? stopMeanings.get(stopped ?? '') : undefined
  return `${stateText(state, theme, style)}, ${reason ?? style.meaning}`
}

export const describeTrouble = ({ reason, since }: Trouble): string =>
  `waiting since ${formatUtcMinute(since)}: ${sanitize(reason)}`

/** 'ana@ci-1' */
export const nameBuyer = ({ by }: Pick<Buyer, 'by'>): string =>
  by === undefined ? 'unknown' : sanitize(nameActor(by, `${by.role ?? by.user}@${by.host}`))

/** 'ana@ci-1: 11 orders, 8 being bought, 3 waiting for cards, last change 3 s ago'. */
export const listBuyerLines = (buyers: readonly Buyer[], now: number, max = 20): string[] => {
  const lines = buyers.map((buyer) => {
    const { buying, waiting, seenAt, until } = buyer
    const count = describeCount(buying + waiting, 'order')
    const held = [
      ...(buying === 0 ? [] : [`${buying} being bought`]),
      ...(waiting === 0 ? [] : [`${waiting} waiting for cards`]),
    ]
    const parts = until === undefined ? ['left by a run that ended'] : held
    return `${nameBuyer(buyer)}: ${count}, ${[...parts, `last change ${formatRelative(seenAt, now)}`].join(', ')}`
  })
  return listFirst(lines, max, (more) => `${more} more`)
}

type Cards = ReportedRow['cards']

const count = ({ cards }: ReportedRow, state: Cards[number]['state']): number =>
  cards.filter((card) => card.state === state).length

/** Returns '–' for a row of --product, which has no line. */
export const formatLine = ({ line }: { readonly line: number }): string => (line > 0 ? String(line) : absent)

/** The fields of a row. `columns`: the names of the other columns of the input. */
export const listRowFields = (columns: readonly string[]): ResultFields<ReportedRow> => [
  column('line', 'count', 'its line in the file', ({ line }) => line, {
    title: 'LINE',
    cell: formatLine,
    ...right,
  }),
  ['sku', 'text', 'the SKU', ({ sku }) => sku, { title: 'SKU' }],
  ['productType', 'text', 'fixed or range', ({ productType }) => productType],
  column('quote', 'amount', 'the value of one card', ({ quote }) => quote, {
    title: 'QUOTE',
    cell: ({ quote }) => formatNumber(decimal(quote)),
    ...right,
  }),
  ['quantity', 'count', 'the number of cards that are wanted', ({ quantity }) => quantity],
  column(
    'cardCounts',
    toCountFields('delivered', 'failed', 'duplicate'),
    'what became of its cards',
    (row) => ({
      ...{ delivered: count(row, 'delivered'), failed: count(row, 'failed') },
      duplicate: count(row, 'duplicate'),
    }),
    { title: 'CARDS', cell: (row) => `${count(row, 'delivered')} of ${row.quantity}`, ...right },
  ),
  column('state', 'text', 'of its cards, or in-progress or partial', ({ state }) => state, {
    title: 'STATE',
    cell: ({ state }, { theme }) => batchStateCell(state, theme),
  }),
  [
    'cells',
    'object',
    'its other columns',
    ({ cells }) => new Map(columns.map((column, index) => [column, cells[index] ?? ''])),
  ],
  ['cards', listOf(rowCardFields), 'its cards', ({ cards }) => cards],
]

const rowCardFields: ResultFields<Cards[number]> = [
  ...pick((card: Cards[number]) => card, {
    state: ['text', 'delivered, duplicate, failed, cancelled, open or unknown'],
  }),
  ['problem', 'text', 'why it failed', ({ error }) => error],
  ['orderId', 'text', 'the order that buys it', ({ order }) => order?.orderId],
  ['reference', 'text', 'the reference of that order', ({ order }) => order?.reference],
]
