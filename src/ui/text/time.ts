// Moments as people read them: local, with the zone, and how far away.
import { formatDuration } from '../../contract/duration.ts'
import type { Timestamp } from '../../contract/schemas.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { Here } from '../terminal/view.ts'

/** Milliseconds since the UNIX epoch, a timestamp of section 2.1, or an ISO 8601 text. */
export type Moment = number | string | Timestamp

const latest = 8.64e15
const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i

const parsedText = (text: string): number => {
  const [, date = '', time = '00:00', zone = 'Z'] = isoForm.exec(text.trim()) ?? []
  const day = Date.parse(`${date}T00:00Z`)
  // Date.parse takes a 30th of February for the 2nd of March.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return Number.NaN
  // Spec silent on a text without a zone: UTC.
  return Date.parse(`${date}T${time}${zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`)
}

/** Milliseconds since the UNIX epoch, or undefined where it is no moment. */
export const instantOf = (moment: Moment): number | undefined => {
  const ms =
    typeof moment === 'number'
      ? moment
      : typeof moment === 'string'
        ? parsedText(moment)
        : toMilliseconds(moment)
  return Number.isNaN(ms) || Math.abs(ms) > latest ? undefined : ms
}

const asGiven = (moment: Moment): string =>
  safeText(typeof moment === 'object' ? `${moment._seconds} s` : String(moment))

const formats = new Map<string, Intl.DateTimeFormat>()

const partsOf = (ms: number, timeZone: string) => {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'shortOffset',
    })
  formats.set(timeZone, format)
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type as string, value]))
  const of = (name: string): string => parts.get(name) ?? ''
  return {
    date: `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}`,
    time: `${of('hour')}:${of('minute')}:${of('second')}`,
    zone: of('timeZoneName').replace('GMT', 'UTC').replace(/\+0$/, ''),
  }
}

/** 'in 9 min', '2 h ago', 'now'; '?' for a time that no calendar has. */
export const relativeText = (ms: number, now: number): string => {
  if (instantOf(ms) === undefined) return '?'
  const away = ms - now
  if (Math.abs(away) < 1_000) return 'now'
  return away > 0 ? `in ${formatDuration(away)}` : `${formatDuration(away)} ago`
}

/** 'expires in 9 min', 'expired 3 min ago'. */
export const expiryText = (ms: number, now: number): string =>
  ms > now ? `expires ${relativeText(ms, now)}` : `expired ${relativeText(ms, now)}`

/**
 * Until when something can be done, by the reader's own clock: a length of time alone would be wrong as soon as it is
 * read. Nothing where it is over.
 */
export const deadlineText = (leftMs: number, { timeZone, now }: Here): string =>
  leftMs > 0
    ? `until ${clockText(now + leftMs, { timeZone, now })}, for ${formatDuration(leftMs)} from now`
    : ''

/** The day by the reader's clock; what is no moment, as it was given. */
export const dateText = (moment: Moment, { timeZone }: Here): string => {
  const ms = instantOf(moment)
  return ms === undefined ? asGiven(moment) : partsOf(ms, timeZone).date
}

/** '2026-11-20 20:54:05 UTC+1'. */
export const clockText = (moment: Moment, { timeZone }: Here): string => {
  const ms = instantOf(moment)
  if (ms === undefined) return asGiven(moment)
  const { date, time, zone } = partsOf(ms, timeZone)
  return `${date} ${time} ${zone}`
}

/** '2026-11-20 20:54:05 UTC+1, 2 h ago'. */
export const timeText = (moment: Moment, here: Here): string => {
  const ms = instantOf(moment)
  const text = clockText(moment, here)
  return ms === undefined ? text : `${text}, ${relativeText(ms, here.now)}`
}
