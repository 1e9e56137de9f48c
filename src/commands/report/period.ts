// The period of a report: whole days in UTC.

import { findPeriod, type Period } from '../../contract/calendar/period.ts'
import { parseDuration } from '../../contract/duration.ts'
import type { ReportKey } from '../../contract/report.ts'
import type { FlagReader } from '../shared/flag-reader.ts'

const whenForm = 'a day such as 2026-11-30, a month such as 2026-11, or a duration such as 30d'

type Span = { readonly from: number; readonly until: number }

export const readPeriod = (
  { read, addProblem }: FlagReader,
  { since, until }: { readonly since: string | undefined; readonly until: string | undefined },
  { by, now }: { readonly by: readonly ReportKey[]; readonly now: number },
): Span => {
  const parse = (text: string) => parseWhen(text, now)
  const first = read('--since', since, parse, whenForm)
  const last = read('--until', until, parse, whenForm)
  const end = last === undefined ? now + 1 : Math.min(last.until, now + 1)
  const from = first?.from ?? findDefaultStart(by, last === undefined ? now : last.until - 1)
  if (first !== undefined && from >= end) {
    addProblem(last === undefined ? '--since is in the future' : '--since is after --until', '--since')
  }
  return { from, until: end }
}

const dayMs = 24 * 60 * 60 * 1000

/** The day, the month, or the day that was so long ago. */
const parseWhen = (text: string, now: number): Span | undefined => {
  const [, month, day] = /^(\d{4}-\d\d)(-\d\d)?$/.exec(text) ?? []
  if (month === undefined) {
    const ago = parseDuration(text)
    const at = ago === undefined ? Number.NaN : now - ago
    if (!(at >= 0)) return undefined
    // A part of a day begins and ends at its time.
    return ago !== undefined && ago % dayMs === 0 ? findPeriod('day', at) : { from: at, until: at }
  }
  const at = Date.parse(`${month}${day ?? '-01'}T00:00Z`)
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(text)) return undefined
  return findPeriod(day === undefined ? 'month' : 'day', at)
}

/** Whole months or weeks, so that they can be compared. */
const findDefaultStart = (by: readonly ReportKey[], end: number): number => {
  const date = new Date(end)
  if (by.includes('month')) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11)
  const period: Period = by.includes('week') ? 'week' : 'day'
  return findPeriod(period, end - (period === 'week' ? 11 * 7 : 30) * dayMs).from
}
