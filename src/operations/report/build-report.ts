// Builds a report from the groups of orders that the journal added up. All amounts are exact.
import { type Amount, noAmount, parseAmount } from '../../contract/report/amount.ts'
import type { Report, ReportKey, ReportRow } from '../../contract/report/report.ts'
import type { ChargeGroup } from '../../journal/report/charge-groups.ts'
import { compareTexts } from '../../text/compare-texts.ts'
import { createKeyFormatter, isTimeKey } from './key-values.ts'
import { splitByProduct } from './product-charges.ts'
import { addShare, createTally, type Share, type Tally, toFigures } from './tally.ts'

type Frame = Pick<Report, 'from' | 'until' | 'by'>

type Counted = { readonly keys: readonly string[]; readonly currency: string; readonly tally: Tally }

export const buildReport = (groups: readonly ChargeGroup[], { from, until, by }: Frame): Report => {
  const counted = new Map<string, Counted>()
  const totals = new Map<string, Tally>()
  const formatters = by.map(createKeyFormatter)
  const product = by.indexOf('product')
  let unpriced = 0
  for (const group of groups) {
    const { kind, values, currency, orders, cards, delivered, duplicates } = group
    const amount = sumAmounts(group)
    if (amount === undefined) unpriced += orders
    const all: Share = { orders, cards, delivered, duplicates, amount: amount ?? noAmount }
    const total = totals.get(currency) ?? createTally()
    totals.set(currency, total)
    addShare(total, kind, all)
    const add = (share: Share, sku?: string | undefined): void => {
      const keys = formatters.map((format, index) => format(index === product ? sku : values[index]))
      const id = JSON.stringify([currency, keys])
      const row = counted.get(id) ?? { keys, currency, tally: createTally() }
      counted.set(id, row)
      addShare(row.tally, kind, share)
    }
    if (product === -1) add(all)
    else for (const share of splitByProduct(toText(values[product]), all)) add(share, share.sku)
  }
  const rows = [...counted.values()].map(({ tally, ...row }) => ({ ...row, ...toFigures(tally) }))
  return {
    from,
    until,
    by,
    unpriced,
    rows: rows.toSorted((one, other) => compareRows(by, one, other)),
    totals: new Map(
      [...totals]
        .toSorted(([one], [other]) => compareTexts(one, other))
        .map(([currency, tally]) => [currency, toFigures(tally)]),
    ),
  }
}

const toText = (value: string | number | null | undefined): string | null =>
  typeof value === 'string' ? value : null

/** Undefined if the journal does not have the amount. */
const sumAmounts = ({ scaled, amount, orders }: ChargeGroup): Amount | undefined =>
  scaled === null ? parseAmount(amount ?? '', orders) : { ...noAmount, scaled }

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
