// The values of the keys of a report, as people read them.
import { dayMs } from '../../contract/duration.ts'
import type { ReportKey } from '../../contract/report/report.ts'
import { formatUtcDay } from '../../contract/timestamp.ts'

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

export const isTimeKey = (key: ReportKey): boolean => times[key] !== undefined

type KeyValue = string | number | null | undefined

/** Many groups have the same day. */
export const createKeyFormatter = (key: ReportKey): ((value: KeyValue) => string) => {
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
