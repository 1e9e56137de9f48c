// Parses the moments that users type: a date, a date and time, or how long ago (`30d`). Also the flags that select records of
// the journal, among them two moments.

import { dayMs, parseDuration } from '../contract/duration.ts'
import { parseUtcDay } from '../contract/time.ts'
import { positiveCount } from './flags.ts'
import type { Given } from './spec.ts'

export const momentForm =
  "a date such as 2026-11-01, a date and time such as '2026-11-01 14:30', or an age such as 24h, 30d or 2w"

/** The time that a text means: a day for a date, a minute for a time without seconds, one moment for an age. */
export type TimeSpan = {
  readonly from: number
  /** Does not include this moment, except for an age: then it is the same as `from`. */
  readonly until: number
}

type Reader = {
  readonly now: number
  /** The IANA name of the time zone for a text without one. */
  readonly timeZone: string
}

const dateForm = /^\d{4}-\d\d-\d\d$/
const timeForm =
  /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(\.\d{1,3})? ?(Z|[+-]\d\d:?\d\d)?$/i

/** Undefined if the text is neither a date, nor a date and time, nor a duration. */
export const parseMoment = (text: string, { now, timeZone }: Reader): TimeSpan | undefined => {
  const age = parseDuration(text)
  if (age !== undefined) return { from: now - age, until: now - age }
  if (!dateForm.test(text)) return parseTime(text, timeZone)
  const day = parseUtcDay(text)
  if (day === undefined) return undefined
  return { from: toInstant(day, timeZone), until: toInstant(day + dayMs, timeZone) }
}

const parseTime = (text: string, timeZone: string): TimeSpan | undefined => {
  const [, date = '', minute = '', second, fraction, zone] = timeForm.exec(text) ?? []
  if (parseUtcDay(date) === undefined || (fraction !== undefined && second === undefined)) return undefined
  const offset = zone?.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const time = Date.parse(`${date}T${minute}${second ?? ':00'}${fraction ?? ''}${offset ?? 'Z'}`)
  if (Number.isNaN(time)) return undefined
  const from = offset === undefined ? toInstant(time, timeZone) : time
  return { from, until: from + (second === undefined ? 60_000 : fraction === undefined ? 1_000 : 1) }
}

/**
 * The moment when clocks in the time zone show what `shown` shows in UTC. The first one, if clocks were set back. If
 * clocks were set forward and never showed it, as much later as they were set forward.
 */
const toInstant = (shown: number, timeZone: string): number => {
  const halfDay = 12 * 60 * 60 * 1000
  const before = shown - getOffset(shown - halfDay, timeZone)
  const after = shown - getOffset(shown + halfDay, timeZone)
  return before + getOffset(before, timeZone) === shown || after + getOffset(after, timeZone) !== shown
    ? before
    : after
}

/** How far clocks in the time zone are ahead of UTC. */
const getOffset = (ms: number, timeZone: string): number => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, seconds = 0] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? []
  if (sign === undefined) return 0
  const distance = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -distance : distance
}

/** A start uses `from` of the value, an end `until`: then --until 2026-11-30 includes that day. */
export const moment = {
  takes: '<time>',
  parse: (text: string, { context: { clock, timeZone } }: Given): TimeSpan | undefined =>
    parseMoment(text, { now: clock.now(), timeZone }),
  allowed: momentForm,
} as const

/** Flags that select some `records` of the journal. */
export const recordFlags = (records: string) =>
  ({
    since: { ...moment, help: `only ${records} since a date, a time or an age such as 30d` },
    until: { ...moment, help: `only ${records} up to a date, a time or an age` },
    by: {
      takes: '<user>',
      help: `only ${records} of this user: a database role or a login name`,
      completes: 'actors',
    },
    mine: { help: `only your own ${records}` },
    limit: {
      ...positiveCount,
      takes: '<count>',
      help: `maximum number of ${records} (default: 30)`,
      default: 30,
    },
  }) as const
