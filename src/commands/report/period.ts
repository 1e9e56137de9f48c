// The period of a report, in UTC.

import { momentForm, parseMoment } from '../../contract/calendar/moment.ts'
import { findPeriod, type Period } from '../../contract/calendar/period.ts'
import { parseDuration } from '../../contract/duration.ts'
import type { ReportKey } from '../../contract/report/report.ts'
import type { FlagReader } from '../shared/flag-reader.ts'

const whenForm = `a month such as 2026-11, ${momentForm}`

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

/** Also takes a month. An age of whole days is the day that was so long ago. */
const parseWhen = (text: string, now: number): Span | undefined => {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) return findPeriod('month', Date.parse(text))
  const age = parseDuration(text)
  if (age !== undefined && age % dayMs === 0 && age <= now) return findPeriod('day', now - age)
  return parseMoment(text, { now, timeZone: 'UTC' })
}

/** Whole months or weeks, so that they can be compared. */
const findDefaultStart = (by: readonly ReportKey[], end: number): number => {
  const date = new Date(end)
  if (by.includes('month')) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 11)
  const period: Period = by.includes('week') ? 'week' : 'day'
  return findPeriod(period, end - (period === 'week' ? 11 * 7 : 30) * dayMs).from
}
