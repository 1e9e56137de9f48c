// Reports each row of a batch: the state of its cards, and the orders that bought them.
import type { Batch, CardState, StoredRow } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/batches.ts'
import type { Entry } from '../../journal/entry.ts'
import { readRequestedProducts } from '../compare.ts'

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

export const countCards = ({ cards }: Pick<ReportedRow, 'cards'>, state: ReportedState): number =>
  cards.filter((card) => card.state === state).length

/** In the order of the input. */
export const reportRows = async (
  batches: Batches,
  { number }: Pick<Batch, 'number'>,
): Promise<Iterable<ReportedRow>> => {
  const [orders, unknown, allCards, rows] = await Promise.all([
    batches.listOrders(number),
    batches.listUnknown(number),
    batches.listCards(number),
    batches.listRows(number),
  ])
  const slots = Map.groupBy(orders, ({ slot }) => slot)
  const unproven = new Set(unknown.map(({ slot }) => slot))
  const cards = Map.groupBy(allCards, ({ row }) => row)
  return rows.values().map((row) => {
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
  const candidates = state === 'failed' ? orders.filter((entry) => hasProduct(entry, row)) : orders
  return candidates.find(({ confirmedAt }) => confirmedAt !== undefined) ?? candidates[0]
}

const hasProduct = (entry: Entry, { sku, productType, quote }: StoredRow): boolean =>
  readRequestedProducts(entry)?.some(
    (line) => line.sku === sku && line.productType === productType && line.quote.eq(quote),
  ) ?? true
