// Builds a report from the groups of orders that the journal added up. All amounts are exact.

import { zero } from '../contract/money/decimal.ts'
import {
  type Charge,
  type DoubtfulKind,
  doubtfulKinds,
  type Figures,
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
  unknownKey,
} from '../contract/report/report.ts'
import { dayMs } from '../contract/time/duration.ts'
import { formatUtcDay } from '../contract/time/timestamp.ts'
import type { ChargeGroup, ChargeKind } from '../journal/charge-groups.ts'
import { compareTexts } from '../text/compare-texts.ts'
import { type Share, splitGroup } from './split-charge.ts'

type Counted = { readonly keys: readonly string[]; readonly currency: string; readonly tally: Tally }

export const buildReport = (
  groups: readonly ChargeGroup[],
  frame: Pick<Report, 'from' | 'until' | 'by' | 'isItemised'>,
): Report => {
  const { by, isItemised } = frame
  const counted = new Map<string, Counted>()
  const sums = new Map<string, Counted>()
  const totals = new Map<string, Tally>()
  const formatters = by.map(createKeyFormatter)
  const columns = by.filter((key) => readColumnKey(key) !== undefined)
  let unpriced = 0
  for (const group of groups) {
    const { kind, values, currency, orders, cards, delivered, duplicates } = group
    if (group.amount === undefined) unpriced += orders
    const all: Share = { orders, cards, delivered, duplicates, amount: group.amount ?? zero }
    const total = totals.get(currency) ?? createTally()
    totals.set(currency, total)
    addShare(total[kind], all)
    const known = new Set<string>()
    const hasSubtotals = by.length > 1 && isItemised !== true
    const add = (to: Map<string, Counted>, keys: readonly string[], share: Share): void => {
      const id = JSON.stringify([currency, keys])
      const row = to.get(id) ?? { keys, currency, tally: createTally() }
      to.set(id, row)
      // An order counts once in a row that includes several parts of it.
      addShare(row.tally[kind], known.has(id) ? { ...share, orders: 0 } : share)
      known.add(id)
    }
    for (const { sku, cells, ...share } of splitGroup(group, all, by)) {
      const keys = by.map((key, index) => {
        const column = columns.indexOf(key)
        const value = column !== -1 ? cells?.[column] : key === 'product' ? sku : values[index]
        return formatters[index]?.(value) ?? ''
      })
      add(counted, keys, share)
      if (hasSubtotals) add(sums, keys.slice(0, 1), share)
    }
  }
  const toRows = (all: Map<string, Counted>): ReportRow[] =>
    [...all.values()]
      .map(({ tally, ...row }) => ({ ...row, ...toFigures(tally) }))
      .toSorted((one, other) => compareRows(by, one, other))
  return {
    ...frame,
    unpriced,
    rows: toRows(counted).filter((row) => !isItemised || row.orders > 0),
    subtotals: toRows(sums),
    totals: new Map(
      [...totals]
        .toSorted(([one], [other]) => compareTexts(one, other))
        .map(([currency, tally]) => [currency, toFigures(tally)]),
    ),
  }
}

/** By currency and keys, but the largest amount first if the last key is no time. */
const compareRows = (by: readonly ReportKey[], one: ReportRow, other: ReportRow): number => {
  const byCurrency = compareTexts(one.currency, other.currency)
  if (byCurrency !== 0) return byCurrency
  for (const [index, key] of by.entries()) {
    const isRanked = index === by.length - 1 && times[key] === undefined
    const byAmount = isRanked ? other.charged.cmp(one.charged) : 0
    const difference = byAmount || compareTexts(one.keys[index] ?? '', other.keys[index] ?? '')
    if (difference !== 0) return difference
  }
  return 0
}

/** ISO 8601: a week has the year and number of its Thursday. */
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
  day: (day) => formatUtcDay(day * dayMs),
  week: formatWeek,
  month: formatMonth,
}

const findAbsent = (key: ReportKey): string => {
  if (key === 'batch') return '(no batch)'
  return key === 'reference' || readColumnKey(key) !== undefined ? '(none)' : unknownKey
}

type KeyValue = string | number | null | undefined

/** Many groups share a day. */
const createKeyFormatter = (key: ReportKey): ((value: KeyValue) => string) => {
  const format = times[key]
  const none = findAbsent(key)
  const known = new Map<number, string>()
  return (value) => {
    if (value === null || value === undefined || value === '') return none
    if (format === undefined || typeof value === 'string') return String(value)
    const text = known.get(value) ?? format(value)
    known.set(value, text)
    return text
  }
}

type Tally = Readonly<Record<ChargeKind, Counter>>

type Counter = { -readonly [Field in keyof Share]: Share[Field] }

const createCounter = (): Counter => ({ orders: 0, cards: 0, delivered: 0, duplicates: 0, amount: zero })

const chargeKinds: readonly ChargeKind[] = ['successful', ...doubtfulKinds]

const createTally = (): Tally =>
  Object.fromEntries(chargeKinds.map((kind) => [kind, createCounter()])) as Tally

const counts = ['orders', 'cards', 'delivered', 'duplicates'] as const

const addShare = (counter: Counter, share: Share): void => {
  for (const field of counts) counter[field] += share[field]
  counter.amount = counter.amount.plus(share.amount)
}

/** Unknown orders are not part of the charged amount. */
const toFigures = (tally: Tally): Figures => {
  const { unknown: _, ...charged } = tally
  const all = createCounter()
  for (const counter of Object.values(charged)) addShare(all, counter)
  const { amount, ...sums } = all
  const toCharge = (kind: DoubtfulKind): [DoubtfulKind, Charge] => [
    kind,
    { orders: tally[kind].orders, charged: tally[kind].amount },
  ]
  const doubtful = Object.fromEntries(doubtfulKinds.map(toCharge)) as Record<DoubtfulKind, Charge>
  return { ...sums, charged: amount, ...doubtful }
}
