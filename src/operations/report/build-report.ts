// Builds a report from the groups of orders that the journal added up. All amounts are exact.
import { type Decimal, decimal, parseDecimal, zero } from '../../contract/decimal.ts'
import type { Charge, DoubtfulKind, Figures, Report, ReportKey, ReportRow } from '../../contract/report.ts'
import type { ChargeGroup } from '../../journal/report/charge-groups.ts'
import { formatKeyValue, isTimeKey } from './key-values.ts'
import { type Share, splitByProduct } from './product-charges.ts'

type Frame = Pick<Report, 'from' | 'until' | 'by'>

export const buildReport = (groups: readonly ChargeGroup[], { from, until, by }: Frame): Report => {
  const rows = new Map<string, ReportRow>()
  const totals = new Map<string, Figures>()
  let unpriced = 0
  const product = by.indexOf('product')
  for (const group of groups) {
    const charged = sumAmounts(group)
    if (charged === undefined) unpriced += group.orders
    const { orders, cards, delivered } = group
    const all: Share = { orders, cards, delivered, charged: charged ?? zero }
    const currency = group.currency ?? '?'
    totals.set(currency, addShare(totals.get(currency) ?? noFigures, group, all))
    const shares =
      product === -1 ? [{ ...all, sku: undefined }] : splitByProduct(toText(group.values[product]), all)
    for (const { sku, ...share } of shares) {
      const keys = by.map((key, index) => formatKeyValue(key, index === product ? sku : group.values[index]))
      const id = JSON.stringify([currency, ...keys])
      const row = rows.get(id) ?? { ...noFigures, keys, currency }
      rows.set(id, { ...row, ...addShare(row, group, share) })
    }
  }
  return {
    ...{ from, until, by, unpriced },
    rows: [...rows.values()].toSorted((one, other) => compareRows(by, one, other)),
    totals: new Map([...totals].toSorted(([one], [other]) => compareTexts(one, other))),
  }
}

const toText = (value: string | number | null | undefined): string | null =>
  typeof value === 'string' ? value : null

/** Undefined if the journal does not have the amount. */
const sumAmounts = ({ sum, amount, orders }: ChargeGroup): Decimal | undefined =>
  sum === undefined
    ? parseDecimal(amount ?? '')?.times(decimal(String(orders)))
    : decimal(`${sum.digits}e-${sum.scale}`)

const noCharge: Charge = { orders: 0, charged: zero }
const noFigures: Figures = {
  ...{ orders: 0, cards: 0, delivered: 0, charged: zero },
  ...{ failed: noCharge, partial: noCharge, open: noCharge, unknown: noCharge },
}

const addShare = (figures: Figures, { kind }: Pick<ChargeGroup, 'kind'>, share: Share): Figures => {
  const doubtful = kind === 'successful' ? {} : addDoubtful(figures, kind, share)
  if (kind === 'unknown') return { ...figures, ...doubtful }
  return {
    ...figures,
    ...doubtful,
    orders: figures.orders + share.orders,
    cards: figures.cards + share.cards,
    delivered: figures.delivered + share.delivered,
    charged: figures.charged.plus(share.charged),
  }
}

const addDoubtful = (figures: Figures, kind: DoubtfulKind, { orders, charged }: Share) => ({
  [kind]: { orders: figures[kind].orders + orders, charged: figures[kind].charged.plus(charged) },
})

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** By currency and keys, but the largest amount first if the last key is no time. */
const compareRows = (by: readonly ReportKey[], one: ReportRow, other: ReportRow): number => {
  const byCurrency = compareTexts(one.currency, other.currency)
  if (byCurrency !== 0) return byCurrency
  for (const [index, key] of by.entries()) {
    const isRanked = index === by.length - 1 && !isTimeKey(key)
    const byAmount = isRanked ? other.charged.cmp(one.charged) : 0
    const difference = byAmount || compareTexts(one.keys[index] ?? '', other.keys[index] ?? '')
    if (difference !== 0) return difference
  }
  return 0
}
