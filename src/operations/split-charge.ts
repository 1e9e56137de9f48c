// Splits the charges of orders over their products, and over the rows of the batch that they were bought for.
import { type Decimal, parseDecimal, roundTo, sum, zero } from '../contract/money/decimal.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import { isSplitKey, type ReportKey, type Share, unknownKey } from '../contract/report/report.ts'
import type { BoughtRow, ChargeGroup } from '../journal/charge-groups.ts'

/** The part of a charge that is for a product, and for rows of a batch. */
type Part = Share & { readonly sku?: string | undefined; readonly cells?: BoughtRow['cells'] | undefined }

/** The amounts of the parts add up to that of the group. */
export const splitGroup = (group: ChargeGroup, by: readonly ReportKey[]): readonly Part[] => {
  const { rows, currency } = group
  const parts = by.some(isSplitKey) ? splitByProduct(group) : [group]
  return rows === undefined ? parts : parts.flatMap((part) => splitByRow(part, rows, currency))
}

/** All orders of the group have the same products. */
const splitByProduct = ({ products: text, ...all }: ChargeGroup): readonly Part[] => {
  const products = text === undefined ? undefined : parseProducts(text)
  if (products === undefined) return [all]
  const { orders } = all
  const toAmount = (charged = ''): Decimal => parseDecimal(charged)?.times(String(orders)) ?? zero
  const shares = products.map(
    ({ sku, ordered, delivered = 0, duplicates = 0, charged }): Part => ({
      sku,
      orders,
      cards: ordered * orders,
      delivered: (delivered - duplicates) * orders,
      duplicates: duplicates * orders,
      charged: products.length === 1 ? all.charged : toAmount(charged),
    }),
  )
  // An invoice may contain one amount for the whole order, or the journal may not know the products' amounts.
  const rest = all.charged.minus(sum(shares.map(({ charged }) => charged)))
  if (rest.eq(zero)) return shares
  return [...shares, { orders, cards: 0, delivered: 0, duplicates: 0, charged: rest }]
}

/** All cards of a product in an order cost the same. A failed card that was ordered again belongs to the other order. */
const splitByRow = (part: Part, rows: readonly BoughtRow[], currency: string): readonly Part[] => {
  const { charged: all } = part
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
    const upTo =
      cards === part.cards ? all : roundTo(currency, all.times(String(cards)).div(String(part.cards)))
    const charged = upTo.minus(spent)
    spent = upTo
    return { ...part, ...row, delivered: isDelivered ? row.cards : row.delivered, charged }
  })
  if (cards === part.cards) return parts
  const rest = { cards: part.cards - cards, delivered: 0, duplicates: 0, charged: all.minus(spent) }
  return [...parts, { ...part, ...rest, cells: unknown }]
}
