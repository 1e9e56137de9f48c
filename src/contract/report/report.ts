// A report of what was charged: its keys, its rows and its totals.
import type { Decimal } from '../decimal.ts'

export const reportKeys = [
  ...(['day', 'week', 'month', 'wallet', 'product', 'person', 'profile', 'batch'] as const),
  'reference-prefix',
] as const
export type ReportKey = (typeof reportKeys)[number]

/** Orders whose charge may not be final. The first three are part of what was charged, unknown orders are not. */
export const doubtfulKinds = ['failed', 'partial', 'open', 'unknown'] as const
export type DoubtfulKind = (typeof doubtfulKinds)[number]

export type Charge = { readonly orders: number; readonly charged: Decimal }

/** In one currency. */
export type Figures = Charge & {
  readonly cards: number
  /** Without duplicates. */
  readonly delivered: number
  /** Delivered with a code that another card has. */
  readonly duplicates: number
} & Readonly<Record<DoubtfulKind, Charge>>

export type ReportRow = Figures & {
  /** One value for each key of the report. */
  readonly keys: readonly string[]
  readonly currency: string
}

export type Report = {
  /** In milliseconds. */
  readonly from: number
  /** The first millisecond after the report. */
  readonly until: number
  readonly by: readonly ReportKey[]
  /** By currency, then by key. */
  readonly rows: readonly ReportRow[]
  readonly totals: ReadonlyMap<string, Figures>
  /** The number of orders whose amount the journal does not have. */
  readonly unpriced: number
}
