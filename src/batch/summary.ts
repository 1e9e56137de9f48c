// Summarizes a batch: its state, the exit code of that state, its approval, its cards, their face value and the amount spent.
// Reports each row: the state of its cards, and the orders that bought them.

import { readProductList } from '../app/product-list.ts'
import type { Context } from '../context.ts'
import {
  type Decimal,
  decimal,
  formatDecimal,
  parseDecimal,
  roundUpToLimit,
  sum,
} from '../contract/money/decimal.ts'
import { exitCodes } from '../errors.ts'
import type { Access } from '../journal/access.ts'
import { readApproval } from '../journal/batches/approvals.ts'
import {
  type Batch,
  type CardState,
  getBatch,
  isFailedCard,
  type StoredRow,
} from '../journal/batches/batches.ts'
import {
  countCardsByState,
  countRows,
  countSlots,
  countUnknownCards,
  listBatchCards,
  listBatchOrders,
  listBatchRows,
  listUnknownOrders,
  readShort,
} from '../journal/batches/cards.ts'
import type { Journal } from '../journal/journal.ts'
import { readSpent } from '../journal/limits.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { type ApprovalStatus, findApprovalStatus } from '../operations/approval.ts'
import type { BatchRow } from '../operations/batch-limits.ts'
import { amountOf, readRequestedProducts } from '../operations/offer.ts'
import type { Account } from '../profiles/account.ts'

/** The final states have the same names as an order's final states. */
type BatchState =
  | 'planned'
  | 'in-progress'
  | 'stopped'
  | 'unknown'
  | 'successful'
  | 'partial'
  | 'failed'
  | 'cancelled'

export type BatchSummary = {
  readonly state: BatchState
  readonly rows: number
  readonly cards: {
    readonly ordered: number
    readonly delivered: number
    readonly failed: number
    /** Paid, but given to no row: with a different card's code, or not listed by a successful order. */
    readonly duplicate: number
    readonly unknown: number
    /** Still to be bought or delivered. */
    readonly open: number
    readonly cancelled: number
  }
  readonly orders: number
  /** The totals of all orders that are, or may be, confirmed. */
  readonly spent: Decimal
  /** The charges of the failed cards' orders. Undefined without failed cards. */
  readonly short?: Decimal | undefined
}

export type OpenedBatch = { readonly journal: Journal; readonly batch: Batch }

export type Summarized = { readonly batch: Batch; readonly summary: BatchSummary }

/**
 * Reads the batch again, because a different process may run it. With `now`, a confirm whose response may still arrive does
 * not count as unknown: a different worker may wait for it.
 */
export const summarizeBatch = async (
  { journal, batch: known }: OpenedBatch,
  now?: number,
): Promise<Summarized> => {
  const access = journal.read
  const batch = (await getBatch(access, known.number)) ?? known
  const [{ wanted, delivered, duplicate, failed, cancelled }, unknown, rows, orders, spent] =
    await Promise.all([
      countCardsByState(access, batch.number),
      countUnknownCards(access, batch.number, now),
      countRows(access, batch.number),
      countSlots(access, batch.number),
      readSpent(access, batch.number),
    ])
  const ordered = wanted + delivered + duplicate + failed + cancelled
  const cards = { ordered, delivered, failed, duplicate, unknown, cancelled, open: wanted - unknown }
  const short = failed === 0 ? undefined : amountOf(await readShort(access, batch.number))
  const state = findState(batch, cards)
  return { batch, summary: { state, rows, cards, orders, spent: amountOf(spent), short } }
}

const findState = (
  { startedAt, stopped, cancelledAt }: Batch,
  { open, unknown, ...cards }: BatchSummary['cards'],
): BatchState => {
  if (cancelledAt !== undefined) return 'cancelled'
  if (startedAt === undefined) return 'planned'
  if (stopped !== undefined && open > 0) return 'stopped'
  if (open > 0) return 'in-progress'
  if (unknown > 0) return 'unknown'
  if (cards.failed + cards.duplicate === 0) return 'successful'
  return cards.delivered + cards.duplicate > 0 ? 'partial' : 'failed'
}

/** A wanted card is open, or unknown if the confirm of its order is not proven. */
export type ReportedState = Exclude<CardState, 'wanted'> | 'open' | 'unknown'

type ReportedCard = {
  readonly state: ReportedState
  readonly error: string | undefined
  /** The order that bought it, was to buy it, or was refused. */
  readonly order: Entry | undefined
}

export type ReportedRow = StoredRow & {
  readonly state: ReportedState | 'in-progress' | 'partial'
  readonly cards: readonly ReportedCard[]
}

/** In the order of the input. */
export const reportRows = async (access: Access, { number }: Pick<Batch, 'number'>) => {
  const [orders, unknown, allCards, rows] = await Promise.all([
    listBatchOrders(access, number),
    listUnknownOrders(access, number),
    listBatchCards(access, number),
    listBatchRows(access, number),
  ])
  const slots = Map.groupBy(orders, ({ slot }) => slot)
  const unproven = new Set(unknown.map(({ slot }) => slot))
  const cards = Map.groupBy(allCards, ({ row }) => row)
  return rows.values().map((row): ReportedRow => {
    const reported = (cards.get(row.row) ?? []).map(({ state, error, slot }): ReportedCard => {
      const undelivered = unproven.has(slot) ? 'unknown' : 'open'
      const order = findOrder(row, state, slots.get(slot) ?? [])
      return { state: state === 'wanted' ? undelivered : state, error, order }
    })
    return { ...row, state: findRowState(reported), cards: reported }
  })
}

const findRowState = (cards: readonly ReportedCard[]): ReportedRow['state'] => {
  const states = new Set(cards.map(({ state }) => state))
  const [only = 'open'] = states
  if (states.size <= 1) return only
  if (states.has('unknown')) return 'unknown'
  if (states.has('open')) return 'in-progress'
  return states.has('delivered') ? 'partial' : 'failed'
}

/** After the service refused a product, the next order of the slot was created without it. */
const findOrder = (row: StoredRow, state: CardState, orders: readonly Entry[]): Entry | undefined => {
  const hasProduct = (entry: Entry): boolean =>
    readRequestedProducts(entry)?.some(
      ({ sku, productType, quote }) =>
        sku === row.sku && productType === row.productType && quote.eq(row.quote),
    ) ?? true
  const candidates = isFailedCard({ state }) ? orders.filter(hasProduct) : orders
  return candidates.find(({ confirmedAt }) => confirmedAt !== undefined) ?? candidates[0]
}

export const maxTotalOf = ({ maxTotal }: Pick<Batch, 'maxTotal'>): Decimal | undefined =>
  maxTotal === undefined ? undefined : parseDecimal(maxTotal)

/** A batch that can still go on has the code 0. */
export const exitCodeOf = ({ state, cards }: BatchSummary): number => {
  if (cards.unknown > 0) return exitCodes.unknown.code
  if (state === 'stopped') return exitCodes.stopped.code
  if (cards.open > 0 || cards.delivered === cards.ordered) return exitCodes.ok.code
  return cards.delivered + cards.duplicate > 0 ? exitCodes.partial.code : exitCodes.failed.code
}

/** Undefined if the batch needs no approval and has none. */
export const readApprovalStatus = async (
  { journal, batch }: OpenedBatch,
  summary: Pick<BatchSummary, 'state'>,
): Promise<ApprovalStatus | undefined> => {
  const state = await readApproval(journal.read, batch)
  // A finished batch needs no further approval, so a newer request is ignored.
  const isOther =
    ['successful', 'cancelled'].includes(summary.state) && state?.request?.cap !== batch.maxTotal
  return state && findApprovalStatus(batch, isOther ? { ...state, request: undefined } : state)
}

/** The currency is undefined for products whose currency is not known. */
export type FaceValue = { readonly amount: Decimal; readonly currency: string | undefined }

export const findFaceValues = async (context: Context, account: Account, rows: readonly BatchRow[]) => {
  const list = await readProductList(context, account, 'the currencies of its products are not known')
  const byCurrency = Map.groupBy(rows, ({ sku }) => list?.products.get(sku)?.price.currency)
  const worthOf = ({ quote, quantity }: BatchRow): Decimal => decimal(quote).times(decimal(String(quantity)))
  return [...byCurrency].map(([currency, theirs]) => ({ amount: sum(theirs.map(worthOf)), currency }))
}

/** As much as a cap needs. Undefined if not all products have the currency of the wallet. */
export const findFaceValueIn = (wallet: string, faceValues: readonly FaceValue[]): Decimal | undefined => {
  const [only, ...others] = faceValues
  return others.length === 0 && only?.currency === wallet ? roundUpToLimit(only.amount) : undefined
}

/** What all open cards need, if the batch stopped at its cap. `faceValue`: as findFaceValueIn returns it. */
export const adviseRest = async ({ journal, batch }: OpenedBatch, spent: Decimal, faceValue?: Decimal) => {
  if (batch.stopped !== 'cap' || faceValue === undefined) return []
  const open = (await reportRows(journal.read, batch)).flatMap(({ quote, cards }) =>
    cards.filter(({ state }) => state === 'open').map(() => decimal(quote)),
  )
  const cap = formatDecimal(roundUpToLimit(spent.plus(sum(open))))
  return [`All open cards need --max-total ${cap} at face value.`]
}
