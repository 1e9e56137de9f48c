// Tables of batches, and of the rows of one batch. The state of a batch as a mark, a colour and its meaning.
import { type Decimal, decimal, parseDecimal } from '../../../contract/decimal.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { ApprovalStatus } from '../../../operations/approval.ts'
import type { ReportedRow } from '../../../operations/batch/row-report.ts'
import type { Summarized } from '../../../operations/batch/summary.ts'
import { nameActor } from '../../../text/actor-name.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { Theme, View } from '../../terminal/view.ts'
import { formatBareMoney, formatMoney, formatNumber } from '../../text/amounts.ts'
import { renderTable } from '../../text/table.ts'
import { formatRelative } from '../../text/time.ts'

/** '3,120.00 of 5,000.00 USD'. */
export const formatSpentOf = (
  spent: Decimal,
  { wallet, maxTotal }: { readonly wallet: string; readonly maxTotal?: Decimal | string | undefined },
): string => {
  const cap = typeof maxTotal === 'string' ? parseDecimal(maxTotal) : maxTotal
  return cap === undefined
    ? formatMoney(spent, wallet)
    : `${formatBareMoney(spent, wallet)} of ${formatMoney(cap, wallet)}`
}

const absent = '–'

/** The currency is undefined for products whose currency is not known. */
export type FaceValue = { readonly amount: Decimal; readonly currency: string | undefined }

/** '84.94 USD + 20.00 (currency not known)' */
export const formatFaceValues = (faceValues: readonly FaceValue[]): string =>
  faceValues
    .map(({ amount, currency }) =>
      currency === undefined ? `${formatNumber(amount)} (currency not known)` : formatMoney(amount, currency),
    )
    .join(' + ')

/** Says who planned each batch if several people did. */
export const renderBatches = (all: readonly Summarized[], view: View): string => {
  const people = all.map(({ batch: { by } }) => (by === undefined ? absent : nameActor(by)))
  const hasSeveral = new Set(people).size > 1
  return renderTable(
    [
      { title: 'BATCH', narrow: 'cut' },
      { title: 'STATE' },
      { title: 'CARDS', align: 'right' },
      { title: 'ORDERS', align: 'right', narrow: 'leave-out' },
      { title: 'SPENT', align: 'right' },
      { title: 'WHEN' },
      ...(hasSeveral ? [{ title: 'BY', narrow: 'cut', minWidth: 6 } as const] : []),
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    all.map(({ batch, summary: { state, cards, orders, spent } }, index) => [
      batch.name,
      batchStateCell(state, view.theme),
      `${cards.delivered} of ${cards.ordered}`,
      String(orders),
      formatSpentOf(spent, batch),
      formatRelative(batch.startedAt ?? batch.plannedAt, view.now),
      ...(hasSeveral ? [people[index] ?? absent] : []),
      batch.profile,
    ]),
    view,
  )
}

type Waiting = Summarized & { readonly approval?: ApprovalStatus }

/** The batches that wait for an approval. */
export const renderWaiting = (all: readonly Waiting[], view: View): string => {
  const format = (amount: Decimal | string | undefined, { wallet }: Batch): string =>
    amount === undefined ? '' : formatMoney(typeof amount === 'string' ? decimal(amount) : amount, wallet)
  /** If the state is 'waiting', it is valid, and its cap is smaller. */
  const findSmaller = ({ approval }: Waiting): string | undefined =>
    approval?.state === 'waiting' ? approval.approval?.cap : undefined
  const isPartly = all.some((each) => findSmaller(each) !== undefined)
  return renderTable(
    [
      { title: 'BATCH', narrow: 'cut' },
      { title: 'CARDS', align: 'right' },
      { title: 'CAP', align: 'right' },
      ...(isPartly ? [{ title: 'APPROVED', align: 'right' } as const] : []),
      { title: 'ASKED BY' },
      { title: 'WHEN' },
      { title: 'PROFILE', narrow: 'leave-out' },
    ],
    all.map((each) => {
      const { batch, summary, approval: { cap, request } = {} } = each
      return [
        batch.name,
        String(summary.cards.ordered),
        format(cap, batch),
        ...(isPartly ? [format(findSmaller(each), batch)] : []),
        request?.role ?? '',
        request === undefined ? '' : formatRelative(request.askedAt, view.now),
        batch.profile,
      ]
    }),
    view,
  )
}

const listDistinct = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => text !== undefined)),
]

/** `columns`: the names of the other columns of the input. They give way to references and errors. */
export const renderRows = (columns: readonly string[], rows: readonly ReportedRow[], view: View): string => {
  const hasOrders = rows.some(({ cards }) => cards.some(({ order, error }) => order?.reference ?? error))
  return renderTable(
    [
      { title: 'LINE', align: 'right' },
      { title: 'SKU' },
      { title: 'QUOTE', align: 'right' },
      { title: 'CARDS', align: 'right' },
      { title: 'STATE' },
      ...columns.map((title) => ({ title, narrow: hasOrders ? 'leave-out' : 'wrap' }) as const),
      ...(hasOrders ? orderColumns : []),
    ],
    rows.map(({ line, sku, quote, quantity, state, cards, cells }) => [
      line > 0 ? String(line) : absent,
      sku,
      formatNumber(decimal(quote)),
      `${cards.filter((card) => card.state === 'delivered').length} of ${quantity}`,
      batchStateCell(state, view.theme),
      ...columns.map((_, index) => cells[index] ?? ''),
      ...(hasOrders
        ? [
            listDistinct(cards.map(({ order }) => order?.reference)).join(', '),
            listDistinct(cards.map(({ error }) => error)).join('; '),
          ]
        : []),
    ]),
    view,
  )
}

const orderColumns = [
  { title: 'REFERENCE', narrow: 'wrap' },
  { title: 'ERROR', narrow: 'wrap' },
] as const

type StateStyle = { readonly mark: string; readonly paint: keyof Theme; readonly meaning: string }

const styles = new Map<string, StateStyle>([
  ['planned', { mark: '○', paint: 'warning', meaning: 'nothing was bought yet' }],
  ['in-progress', { mark: '…', paint: 'warning', meaning: 'not complete yet' }],
  ['stopped', { mark: '!', paint: 'warning', meaning: 'the wallet has too little money' }],
  ['unknown', { mark: '?', paint: 'bad', meaning: 'the outcome of some orders is unknown' }],
  ['successful', { mark: '✓', paint: 'good', meaning: 'all cards were delivered' }],
  ['delivered', { mark: '✓', paint: 'good', meaning: 'all cards were delivered' }],
  ['partial', { mark: '!', paint: 'warning', meaning: 'some cards were not delivered' }],
  ['failed', { mark: '✗', paint: 'bad', meaning: 'no card was delivered' }],
  ['duplicate', { mark: '✗', paint: 'bad', meaning: 'another card has the same code' }],
  ['cancelled', { mark: '–', paint: 'quiet', meaning: 'it buys no more cards' }],
  ['open', { mark: '○', paint: 'warning', meaning: 'not delivered yet' }],
])

const findStyle = (state: string): StateStyle =>
  styles.get(state) ?? { mark: '?', paint: 'warning', meaning: 'unknown state' }

const stopMeanings = new Map([
  ['cap', 'it reached its cap'],
  ['budget', 'a budget does not allow the next order'],
  ['approval', 'it has no valid approval'],
  ['charge', 'an order was charged more than its total, or in another currency'],
])

/** '! partial, some cards were not delivered'. `stopped`: the reason. */
export const describeBatchState = (state: string, stopped: string | undefined, theme: Theme): string => {
  const { mark, paint, meaning } = findStyle(state)
  const reason = state === 'stopped' ? stopMeanings.get(stopped ?? '') : undefined
  return `${theme[paint](`${mark} ${sanitize(state)}`)}, ${reason ?? meaning}`
}

/** Also for the state of a row. A table makes the text safe itself. */
const batchStateCell = (state: string, theme: Theme) => {
  const { mark, paint } = findStyle(state)
  return { text: `${mark} ${state}`, paint: theme[paint] }
}
