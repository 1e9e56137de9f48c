// Builds a report from the groups of orders that the journal counted. All amounts are exact.

import { zero } from '../contract/money/decimal.ts'
import {
  type Charge,
  type ChargeKind,
  type Report,
  type ReportKey,
  type ReportRow,
  readColumnKey,
  type Share,
  unknownKey,
} from '../contract/report/report.ts'
import { periods } from '../contract/time.ts'
import type { ChargeGroup } from '../journal/charge-groups.ts'
import { compareTexts } from '../text/words.ts'
import { splitGroup } from './split-charge.ts'

export const buildReport = (
  groups: readonly ChargeGroup[],
  frame: Pick<Report, 'from' | 'until' | 'by' | 'isItemised'>,
): Report => {
  const { by, isItemised } = frame
  const charges = groups.map((group) => ({ ...group, parts: splitByKeys(group, by) }))
  const whole = groups.map((group) => ({ ...group, parts: [{ ...group, keys: [] }] }))
  const hasSubtotals = by.length > 1 && !isItemised
  return {
    ...frame,
    rows: addUp(charges, by).filter(({ orders }) => !isItemised || orders > 0),
    subtotals: hasSubtotals ? addUp(charges, by, 1) : [],
    totals: addUp(whole, by, 0),
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

/** Returns a row for each currency and each combination of the first `depth` keys. */
const addUp = (charges: readonly SplitCharge[], by: readonly ReportKey[], depth = by.length): ReportRow[] => {
  const rows = new Map<string, ReportRow>()
  for (const { currency, kind, parts } of charges) {
    const counted = new Set<string>()
    for (const part of parts) {
      const keys = part.keys.slice(0, depth)
      const id = JSON.stringify([currency, keys])
      const row = rows.get(id) ?? { ...noFigures, keys, currency }
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
  const doubtful = kind === 'successful' ? row : { ...row, [kind]: addCharge(row[kind], share) }
  if (kind === 'unknown') return doubtful
  return {
    ...doubtful,
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
