// Splits the charges of orders over their products, and over the rows of the batch that they were bought for.
import { type Decimal, parseDecimal, roundTo, sum, zero } from '../contract/money/decimal.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import { isSplitKey, type ReportKey, unknownKey } from '../contract/report/report.ts'
import type { BoughtRow } from '../journal/batches/bought-rows.ts'
import type { ChargeGroup } from '../journal/charge-groups.ts'

export type Share = {
  readonly orders: number
  readonly cards: number
  readonly delivered: number
  readonly duplicates: number
  readonly amount: Decimal
}

/** The part of a charge that is for a product, and for rows of a batch. */
type Part = Share & { readonly sku?: string | undefined; readonly cells?: BoughtRow['cells'] | undefined }

/** The parts add up to `all`. */
export const splitGroup = (
  { products, rows, currency }: ChargeGroup,
  all: Share,
  by: readonly ReportKey[],
): readonly Part[] => {
  const parts = by.some(isSplitKey) ? splitByProduct(products, all) : [all]
  return rows === undefined ? parts : parts.flatMap((part) => splitByRow(part, rows, currency))
}

/** All orders of `all` have the products in `text`. */
const splitByProduct = (text: string | null, all: Share): readonly Part[] => {
  const products = text === null ? undefined : parseProducts(text)
  if (products === undefined) return [all]
  const [only] = products
  if (products.length === 1 && only !== undefined) return [{ ...all, sku: only.sku }]
  const { orders } = all
  const shares = products.map(
    ({ sku, ordered, delivered = 0, duplicates = 0, charged }): Part => ({
      sku,
      orders,
      cards: ordered * orders,
      amount: parseDecimal(charged ?? '')?.times(String(orders)) ?? zero,
      delivered: (delivered - duplicates) * orders,
      duplicates: duplicates * orders,
    }),
  )
  // An invoice may contain one amount for the whole order, or the journal may not know the products' amounts.
  const rest = all.amount.minus(sum(shares.map(({ amount }) => amount)))
  if (rest.eq(zero)) return shares
  return [...shares, { orders, cards: 0, delivered: 0, duplicates: 0, amount: rest }]
}

/** All cards of a product in an order cost the same. A failed card that was ordered again belongs to the other order. */
const splitByRow = (part: Part, rows: readonly BoughtRow[], currency: string): readonly Part[] => {
  const { orders, amount: all } = part
  const unknown = rows[0]?.cells.map((cell) => (cell === undefined ? undefined : unknownKey))
  const own = rows.filter(({ sku }) => sku === part.sku)
  const bought = own.reduce((sum, { cards }) => sum + cards, 0)
  if (part.sku === undefined || bought > part.cards) {
    const hasOne = new Set(rows.map(({ cells }) => JSON.stringify(cells))).size === 1
    return [{ ...part, cells: hasOne ? rows[0]?.cells : unknown }]
  }
  const isDelivered = part.delivered === part.cards
  let [cards, spent] = [0, zero]
  const parts = own.map((row): Part => {
    cards += row.cards
    // The parts are rounded, and their sum is not.
    const upTo = cards === part.cards ? all : takeShare(all, cards, part.cards, currency)
    const amount = upTo.minus(spent)
    spent = upTo
    return { ...part, orders, ...row, delivered: isDelivered ? row.cards : row.delivered, amount }
  })
  if (cards === part.cards) return parts
  const rest = { cards: part.cards - cards, delivered: 0, duplicates: 0 }
  return [...parts, { ...part, ...rest, amount: all.minus(spent), cells: unknown }]
}

const takeShare = (all: Decimal, count: number, of: number, currency: string): Decimal =>
  roundTo(currency, all.times(String(count)).div(String(of)))
