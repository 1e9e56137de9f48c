// Builds a report from the groups of orders that the journal added up. All amounts are exact.
import { zero } from '../contract/decimal.ts'
import { dayMs } from '../contract/duration.ts'
import { parseProducts } from '../contract/ordered-products.ts'
import {
  type Amount,
  addAmounts,
  noAmount,
  parseAmount,
  subtractAmount,
  toDecimal,
} from '../contract/report/amount.ts'
import type {
  Charge,
  DoubtfulKind,
  Figures,
  Report,
  ReportKey,
  ReportRow,
} from '../contract/report/report.ts'
import { formatUtcDay } from '../contract/timestamp.ts'
import type { ChargeGroup, ChargeKind } from '../journal/charge-groups.ts'
import { compareTexts } from '../text/compare-texts.ts'

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

type ProductShare = Share & { readonly sku: string | undefined }

/** The orders have the same products. The shares add up to `all`. */
const splitByProduct = (text: string | null, all: Share): readonly ProductShare[] => {
  const products = text === null ? undefined : parseProducts(text)
  if (products === undefined) return [{ ...all, sku: undefined }]
  const [only] = products
  if (products.length === 1 && only !== undefined) return [{ ...all, sku: only.sku }]
  const { orders } = all
  let rest = all.amount
  const shares = products.map(({ sku, ordered, delivered = 0, duplicates = 0, charged }): ProductShare => {
    const amount = (charged === undefined ? undefined : parseAmount(charged, orders)) ?? noAmount
    rest = subtractAmount(rest, amount)
    return {
      sku,
      orders,
      cards: ordered * orders,
      amount,
      delivered: (delivered - duplicates) * orders,
      duplicates: duplicates * orders,
    }
  })
  // An invoice may have an amount for the whole order, or the journal may not know the amounts of the products.
  if (rest.scaled === 0n && rest.rest.eq(zero)) return shares
  return [...shares, { sku: undefined, orders, cards: 0, delivered: 0, duplicates: 0, amount: rest }]
}

const formatDay = (day: number): string => formatUtcDay(day * dayMs)

/** ISO 8601: the year and the number of a week are those of its Thursday. */
const formatWeek = (week: number): string => {
  const thursday = week * 7 * dayMs
  const year = new Date(thursday).getUTCFullYear()
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1
  return `${year}-W${String(number).padStart(2, '0')}`
}

const formatMonth = (monthsSinceMarch1900: number): string =>
  new Date(Date.UTC(1900, 2 + monthsSinceMarch1900)).toISOString().slice(0, 7)

/** See ChargeGroup. */
const times: Readonly<Partial<Record<ReportKey, (value: number) => string>>> = {
  day: formatDay,
  week: formatWeek,
  month: formatMonth,
}

const absent: Readonly<Partial<Record<ReportKey, string>>> = {
  batch: '(no batch)',
  'reference-prefix': '(none)',
}

const isTimeKey = (key: ReportKey): boolean => times[key] !== undefined

type KeyValue = string | number | null | undefined

/** Many groups have the same day. */
const createKeyFormatter = (key: ReportKey): ((value: KeyValue) => string) => {
  const format = times[key]
  const none = absent[key] ?? '(unknown)'
  const known = new Map<number, string>()
  return (value) => {
    if (value === null || value === undefined || value === '') return none
    if (format === undefined || typeof value === 'string') return String(value)
    const text = known.get(value) ?? format(value)
    known.set(value, text)
    return text
  }
}

/** What some orders have in common. */
type Share = {
  readonly orders: number
  readonly cards: number
  readonly delivered: number
  readonly duplicates: number
  readonly amount: Amount
}

type Tally = Readonly<Record<ChargeKind, Counter>>

type Counter = { -readonly [Field in keyof Share]: Share[Field] }

const createCounter = (): Counter => ({ orders: 0, cards: 0, delivered: 0, duplicates: 0, amount: noAmount })

const createTally = (): Tally => ({
  successful: createCounter(),
  failed: createCounter(),
  partial: createCounter(),
  open: createCounter(),
  unknown: createCounter(),
})

const addShare = (tally: Tally, kind: ChargeKind, share: Share): void => {
  const counter = tally[kind]
  counter.orders += share.orders
  counter.cards += share.cards
  counter.delivered += share.delivered
  counter.duplicates += share.duplicates
  counter.amount = addAmounts(counter.amount, share.amount)
}

/** Unknown orders are not part of what was charged. */
const toFigures = (tally: Tally): Figures => {
  const charged = [tally.successful, tally.failed, tally.partial, tally.open]
  const count = (field: 'orders' | 'cards' | 'delivered' | 'duplicates'): number =>
    charged.reduce((sum, counter) => sum + counter[field], 0)
  const toCharge = (kind: DoubtfulKind): Charge => ({
    orders: tally[kind].orders,
    charged: toDecimal(tally[kind].amount),
  })
  return {
    orders: count('orders'),
    cards: count('cards'),
    delivered: count('delivered'),
    duplicates: count('duplicates'),
    charged: toDecimal(charged.map(({ amount }) => amount).reduce(addAmounts)),
    failed: toCharge('failed'),
    partial: toCharge('partial'),
    open: toCharge('open'),
    unknown: toCharge('unknown'),
  }
}
