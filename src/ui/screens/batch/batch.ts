// Renders one batch: its state, its cards and orders, what went wrong, and what to type next.
import { type Decimal, parseDecimal, sum, zero } from '../../../contract/decimal.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { CardError } from '../../../journal/batches/card-counts.ts'
import type { StoredWorker } from '../../../journal/batches/leases.ts'
import type { Entry } from '../../../journal/entry.ts'
import type { ApprovalStatus } from '../../../operations/approval.ts'
import type { BatchSummary } from '../../../operations/batch/summary.ts'
import { nameActor } from '../../../text/actor-name.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { describeCount, formatMoney } from '../../text/amounts.ts'
import { renderFields, renderSection } from '../../text/fields.ts'
import { renderTable } from '../../text/table.ts'
import { formatTime } from '../../text/time.ts'
import { listApprovalFields } from '../limits/approvals.ts'
import { describeBatchState, type FaceValue, formatFaceValues, formatSpentOf } from './batches.ts'
import { listWorkerLines } from './workers.ts'

type BatchView = {
  readonly batch: Batch
  readonly summary: BatchSummary
  readonly faceValues?: readonly FaceValue[]
  readonly hasUnicode: boolean
  readonly approval?: ApprovalStatus
  readonly unknownOrders?: readonly Entry[]
  readonly workers?: readonly StoredWorker[]
  /** The most frequent first. */
  readonly errors?: readonly CardError[]
}

const maxUnknown = 20
/** The caller reads one error more than this, to know whether there are more. */
export const maxErrors = 10

const describeCards = ({ cards }: BatchSummary): string => {
  const others = (['failed', 'duplicate', 'unknown', 'open', 'cancelled'] as const).filter(
    (state) => cards[state] > 0,
  )
  return [
    `${cards.delivered} of ${cards.ordered} delivered`,
    ...others.map((state) => `${cards[state]} ${state}`),
  ].join(', ')
}

const showTime = (at: number | undefined, view: View): string | undefined =>
  at === undefined ? undefined : formatTime(at, view)

/** Orders whose outcome is unknown count as spent. */
const describeSpent = ({ batch, summary, unknownOrders = [] }: BatchView): string => {
  const unknown = sum(unknownOrders.map(({ total = '' }) => parseDecimal(total) ?? zero))
  const spent = formatSpentOf(summary.spent, batch)
  return unknown.gt(zero)
    ? `${spent}, of which ${formatMoney(unknown, batch.wallet)} may not have been spent`
    : spent
}

const describeFaceValue = ({ faceValues = [] }: BatchView): string | undefined =>
  faceValues.length === 0 ? undefined : formatFaceValues(faceValues)

const longestBar = 30
/** The names of the fields, and what the parts of the bar mean. */
const besideBar = 50

/** What is spent, what the other cards cost at face value, and the rest of the cap. Undefined if one is not known. */
const renderMoneyBar = (
  { batch, summary, faceValues = [], hasUnicode }: BatchView,
  { theme, width }: View,
) => {
  const barLength = Math.max(10, Math.min(longestBar, width - besideBar))
  const [faceValue, ...others] = faceValues
  const cap = parseDecimal(batch.maxTotal ?? '')
  if (cap === undefined || faceValue?.currency !== batch.wallet || others.length > 0) return undefined
  const largest = [summary.spent, faceValue.amount, cap].toSorted((one, other) => other.cmp(one))[0] ?? cap
  if (largest.eq(zero)) return undefined
  const place = (amount: Decimal): number => Math.floor(Number(amount.div(largest).toFixed(3)) * barLength)
  const toSpent = place(summary.spent)
  const toFace = Math.max(toSpent, place(faceValue.amount))
  const [full, half, rest] = hasUnicode ? ['█', '▒', '░'] : ['#', '=', '-']
  const bar = [
    theme.good(full.repeat(toSpent)),
    theme.warning(half.repeat(toFace - toSpent)),
    theme.quiet(rest.repeat(barLength - toFace)),
  ].join('')
  return `${hasUnicode ? bar : `[${bar}]`}  ${full} spent, ${half} face value, ${rest} cap`
}

/** What a run of the batch still has to do. */
const describeLeft = ({ state, cards }: BatchSummary): string => {
  const { open, unknown, failed } = cards
  if (state === 'cancelled') return 'nothing, because the batch is cancelled'
  const parts = [
    open > 0 ? `${describeCount(open, 'card')} to buy` : undefined,
    unknown > 0 ? `${describeCount(unknown, 'card')} with an unknown outcome` : undefined,
    failed > 0 ? `${describeCount(failed, 'failed card')}` : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? 'nothing' : parts.join(', ')
}

const renderSummary = (shown: BatchView, view: View): string => {
  const { batch, summary, approval } = shown
  return renderFields(
    [
      ['Batch', view.theme.strong(sanitize(batch.name))],
      ['Id', sanitize(batch.id)],
      ['State', describeBatchState(summary.state, batch.stopped, view.theme)],
      ['Profile', sanitize(batch.profile)],
      ['Address', batch.origin.includes('//') ? sanitize(batch.origin) : undefined],
      ['Wallet', sanitize(batch.wallet)],
      ['Rows', String(summary.rows)],
      ['Cards', describeCards(summary)],
      ['Orders', String(summary.orders)],
      ['Face value', describeFaceValue(shown)],
      ['Spent', describeSpent(shown)],
      ['', renderMoneyBar(shown, view)],
      ['Left', describeLeft(summary)],
      ...listApprovalFields(approval, batch.wallet, view),
      ['Planned by', batch.by?.role || batch.by?.writtenBy ? sanitize(nameActor(batch.by)) : undefined],
      ['Planned', showTime(batch.plannedAt, view)],
      ['Started', showTime(batch.startedAt, view)],
      ['Cancelled', showTime(batch.cancelledAt, view)],
    ],
    view,
  )
}

const renderUnknown = ({ batch, unknownOrders = [] }: BatchView, view: View): string => {
  if (unknownOrders.length === 0) return ''
  const lines = unknownOrders.slice(0, maxUnknown).map(({ orderId = '', reference }) => {
    const id = sanitize(orderId)
    const known = reference === undefined ? '' : `, reference ${sanitize(reference)}`
    return `${view.theme.strong(id)}${known}. Check it: ${view.suggest`reconcile ${orderId}`}\n`
  })
  const more = unknownOrders.length - maxUnknown
  const rest =
    more > 0 ? `${more} more: ${view.suggest`list ${{ batch: batch.name, state: 'unknown' }}`}\n` : ''
  return `\n${renderSection('Unknown orders', `${lines.join('')}${rest}`, view)}`
}

const renderWorkers = ({ workers = [] }: BatchView, view: View): string => {
  if (workers.length === 0) return ''
  const lines = listWorkerLines(workers, view.now).map((line) => `${line}\n`)
  return `\n${renderSection('Workers', lines.join(''), view)}`
}

const renderErrors = ({ batch, errors = [] }: BatchView, view: View): string => {
  if (errors.length === 0) return ''
  const table = renderTable(
    [
      { title: 'CARDS', align: 'right' },
      { title: 'ERROR', narrow: 'wrap' },
    ],
    errors.slice(0, maxErrors).map(({ error, count }) => [String(count), error]),
    view,
  )
  const rest =
    errors.length > maxErrors ? `More errors: ${view.suggest`batch show ${batch.name} --rows`}\n` : ''
  return `\n${renderSection('Errors', `${table}${rest}`, view)}`
}

export const renderBatch = (shown: BatchView, view: View): string =>
  renderSummary(shown, view) +
  renderWorkers(shown, view) +
  renderUnknown(shown, view) +
  renderErrors(shown, view)

type NextStepsView = Pick<BatchView, 'batch' | 'summary' | 'approval' | 'workers'> & {
  readonly suggest: Suggest
  /** The command that approves the cap. */
  readonly approve?: string
}

/** Returns what to type next, one line for each step. */
export const listNextSteps = (shown: NextStepsView): string[] => {
  const { suggest, batch, summary, approval, approve, workers = [] } = shown
  const { name } = batch
  const { state, cards } = summary
  const approvedCap = approval?.state === 'expired' ? undefined : approval?.approval?.cap
  const toExport =
    cards.delivered > 0
      ? [`Codes are hidden. Write them to a file: ${suggest`batch export ${name} ${`${name}-codes.csv`}`}`]
      : []
  const toRetry =
    cards.failed > 0 ? [`Buy the failed cards again: ${suggest`batch run ${name} --retry-failed`}`] : []
  if (state === 'planned') {
    const buy = suggest`batch run ${name} ${{ 'max-total': approvedCap }}`
    if (approval === undefined || approval.state === 'approved') return [`Buy the batch: ${buy}`]
    return [
      `The batch waits for another database role: ${approve}`,
      ...(approvedCap === undefined ? [] : [`Buy it with the approved cap: ${buy}`]),
    ]
  }
  if (state === 'stopped') return [...explainStop(shown), ...toExport]
  const run = suggest`batch run ${name}`
  if (state === 'in-progress') {
    return workers.some(({ isLost }) => !isLost)
      ? [`Watch it: ${suggest`batch show ${name} --watch`}`]
      : [`If no other process runs this batch, continue it: ${run}`]
  }
  if (state === 'unknown') return [`Settle the unknown orders: ${run}`, ...toExport]
  return state === 'cancelled' ? toExport : [...toRetry, ...toExport]
}

const explainStop = ({ suggest, batch, approval }: NextStepsView): string[] => {
  const { name, stopped, profile } = batch
  const run = suggest`batch run ${name}`
  switch (stopped) {
    case 'cap':
      return [`The batch reached its cap. Continue with a higher --max-total: ${run}`]
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
