// Converts the service's timestamps (order-service.md 2.1), formats times for errors, and finds days and periods in
// UTC.

import type { Timestamp } from '../schemas.ts'
import { dayMs } from './duration.ts'

/** Years that people read have four digits. */
export const endOfDates = Date.UTC(10_000, 0)

/** Since the UNIX epoch. */
export const toMilliseconds = ({ _seconds, _nanoseconds }: Timestamp): number =>
  _seconds * 1000 + Math.floor(_nanoseconds / 1_000_000)

/** For errors: UTC, so that the text is the same everywhere. */
export const formatUtcTime = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString().replace(/\.\d+Z$/, 'Z')
}

/** 2026-11-23, in UTC. */
export const formatUtcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Midnight UTC of a day such as 2026-11-23; undefined if there is no such day. */
export const parseUtcDay = (text: string): number | undefined => {
  const day = Date.parse(`${text}T00:00Z`)
  // Date.parse reads 30 February as 2 March.
  return !Number.isNaN(day) && formatUtcDay(day) === text ? day : undefined
}

/** The times of budgets are whole minutes: 2026-11-23 00:00 UTC. */
export const formatUtcMinute = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`

export const periods = ['day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

/** What budgets limit: one order, or all orders of a period. */
export const budgetKinds = ['order', ...periods] as const
export type BudgetKind = (typeof budgetKinds)[number]

/** The period that contains this moment: from its first millisecond until the first of the next period. */
export const findPeriod = (period: Period, at: number): { readonly from: number; readonly until: number } => {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (period === 'month') return { from: Date.UTC(year, month), until: Date.UTC(year, month + 1) }
  // An ISO week begins on Monday.
  const back = period === 'week' ? (date.getUTCDay() + 6) % 7 : 0
  const from = Date.UTC(year, month, day - back)
  return { from, until: from + (period === 'week' ? 7 : 1) * dayMs }
}
