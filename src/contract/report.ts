// A report of charges: its keys, rows and totals.
import type { Decimal } from './money/decimal.ts'

export const reportKeys = [
  'day',
  'month',
  'product',
  'person',
  'profile',
  'batch',
  'reference',
  'order',
  'state',
] as const
/** A key may also be a column of a batch's input. */
export type ReportKey = (typeof reportKeys)[number] | `column:${string}`

/** Returns the column name, or undefined for a different key. */
export const readColumnKey = (key: string): string | undefined => /^column:(.*\S.*)$/s.exec(key)?.[1]

/** The value of an amount whose product or row is unknown. */
export const unknownKey = '(unknown)'

/** Whether the values of an order differ from card to card. */
export const isSplitKey = (key: ReportKey): boolean => key === 'product' || readColumnKey(key) !== undefined

/** Orders whose charge may not be final. The first three are part of the charged amount, unknown orders are not. */
export const unsuccessfulKinds = ['failed', 'partial', 'open', 'unknown'] as const
export type UnsuccessfulKind = (typeof unsuccessfulKinds)[number]

export type ChargeKind = 'successful' | UnsuccessfulKind

export type Charge = { readonly orders: number; readonly charged: Decimal }

export type Share = Charge & {
  readonly cards: number
  /** Without duplicates. */
  readonly delivered: number
  /** Delivered with a different card's code. */
  readonly duplicates: number
}

/** In one currency. */
export type Figures = Share & Readonly<Record<UnsuccessfulKind, Charge>>

export type ReportRow = Figures & {
  /** One value for each key of the report. A total has none. */
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
  /** By currency. */
  readonly totals: readonly ReportRow[]
  /** The number of orders whose amount is not in the journal. */
  readonly unpriced: number
}
