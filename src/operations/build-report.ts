// Builds a report from the groups of orders that the journal counted. Splits their charges over their products, and over the
// rows of the batch that they were bought for. All amounts are exact.

import { type Decimal, parseDecimal, roundTo, sum, zero } from '../contract/money/decimal.ts'
import { parseProducts } from '../contract/order/ordered-products.ts'
import {
  type Charge,
  type ChargeKind,
  isSplitKey,
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
  type Share,
  unknownKey,
} from '../contract/report.ts'
import { periods } from '../contract/time.ts'
import type { BoughtRow, ChargeGroup } from '../journal/charge-groups.ts'
import { compareTexts } from '../text/words.ts'

export const buildReport = (
  groups: readonly ChargeGroup[],
  frame: Pick<Report, 'from' | 'until' | 'by'>,
): Report => {
  const { by } = frame
  const charges = groups.map((group) => ({ ...group, parts: splitByKeys(group, by) }))
  const whole = groups.map((group) => ({ ...group, parts: [{ ...group, keys: [] }] }))
  return {
    ...frame,
    rows: addUp(charges, by),
    totals: addUp(whole, []),
    unpriced: groups.reduce((sum, { unpriced }) => sum + unpriced, 0),
  }
}

/** The part of a charge that counts in one row. */
type Part = Share & { readonly keys: readonly string[] }

const splitByKeys = (group: ChargeGroup, by: readonly ReportKey[]): Part[] =>
  splitGroup(group, by).map((part) => ({
    ...part,
    keys: by.map((key, index) => {
      const value = key === 'product' ? part.sku : (part.cells?.[index] ?? group.values[index])
      return value || findAbsent(key)
    }),
  }))

const findAbsent = (key: ReportKey): string => {
  if (key === 'batch') return '(no batch)'
  return key === 'reference' || readColumnKey(key) !== undefined ? '(none)' : unknownKey
}

type SplitCharge = Pick<ChargeGroup, 'currency' | 'kind'> & { readonly parts: readonly Part[] }

const noCharge: Charge = { orders: 0, charged: zero }
const noFigures = {
  ...{ ...noCharge, cards: 0, delivered: 0, duplicates: 0 },
  ...{ failed: noCharge, partial: noCharge, open: noCharge, unknown: noCharge },
}

/** Returns a row for each currency and each combination of keys. */
const addUp = (charges: readonly SplitCharge[], by: readonly ReportKey[]): ReportRow[] => {
  const rows = new Map<string, ReportRow>()
  for (const { currency, kind, parts } of charges) {
    const counted = new Set<string>()
    for (const part of parts) {
      const id = JSON.stringify([currency, part.keys])
      const row = rows.get(id) ?? { ...noFigures, keys: part.keys, currency }
      // An order counts once in a row that includes several parts of it.
      rows.set(id, addShare(row, kind, counted.has(id) ? { ...part, orders: 0 } : part))
      counted.add(id)
    }
  }
  return [...rows.values()].toSorted((one, other) => compareRows(by, one, other))
}

const addCharge = (one: Charge, other: Charge): Charge => ({
  orders: one.orders + other.orders,
  charged: one.charged.plus(other.charged),
})

/** Unknown orders are not part of the charged amount. */
const addShare = (row: ReportRow, kind: ChargeKind, share: Share): ReportRow => {
  const counted = kind === 'successful' ? row : { ...row, [kind]: addCharge(row[kind], share) }
  if (kind === 'unknown') return counted
  return {
    ...counted,
    ...addCharge(row, share),
    cards: row.cards + share.cards,
    delivered: row.delivered + share.delivered,
    duplicates: row.duplicates + share.duplicates,
  }
}

/** By currency and keys, but the largest amount first if the last key is no time. */
const compareRows = (by: readonly ReportKey[], one: ReportRow, other: ReportRow): number => {
  const byCurrency = compareTexts(one.currency, other.currency)
  if (byCurrency !== 0) return byCurrency
  for (const [index, key] of by.entries()) {
    const isRanked = index === by.length - 1 && !(periods as readonly string[]).includes(key)
    const byAmount = isRanked ? other.charged.cmp(one.charged) : 0
    const difference = byAmount || compareTexts(one.keys[index] ?? '', other.keys[index] ?? '')
    if (difference !== 0) return difference
  }
  return 0
}

/** The part of a charge that is for a product, and for rows of a batch. */
type ChargePart = Share & {
  readonly sku?: string | undefined
  readonly cells?: BoughtRow['cells'] | undefined
}

/** The amounts of the parts add up to that of the group. */
const splitGroup = (group: ChargeGroup, by: readonly ReportKey[]): readonly ChargePart[] => {
  const { rows, currency } = group
  const parts = by.some(isSplitKey) ? splitByProduct(group) : [group]
  return rows === undefined ? parts : parts.flatMap((part) => splitByRow(part, rows, currency))
}

/** All orders of the group have the same products. */
const splitByProduct = ({ products: text, ...all }: ChargeGroup): readonly ChargePart[] => {
  const products = text === undefined ? undefined : parseProducts(text)
  if (products === undefined) return [all]
  const { orders } = all
  const toAmount = (charged = ''): Decimal => parseDecimal(charged)?.times(String(orders)) ?? zero
  const shares = products.map(
    ({ sku, ordered, delivered = 0, duplicates = 0, charged }): ChargePart => ({
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
const splitByRow = (
  part: ChargePart,
  rows: readonly BoughtRow[],
  currency: string,
): readonly ChargePart[] => {
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
  const parts = own.map((row): ChargePart => {
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
