// Parses the moments that users type: a date, a date and time, or how long ago (`30d`). Also the flags that select records of
// the journal, among them two moments.

import { dayMs, parseDuration, parseUtcDay } from '../contract/time.ts'
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
  /** A text without a time zone is in UTC. Otherwise, it is in that of this machine. */
  readonly isUtc: boolean
}

const dateForm = /^\d{4}-\d\d-\d\d$/
const timeForm =
  /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(\.\d{1,3})? ?(Z|[+-]\d\d:?\d\d)?$/i

/** Undefined if the text is neither a date, nor a date and time, nor a duration. */
export const parseMoment = (text: string, { now, isUtc }: Reader): TimeSpan | undefined => {
  const age = parseDuration(text)
  if (age !== undefined) return { from: now - age, until: now - age }
  if (!dateForm.test(text)) return parseTime(text, isUtc)
  const day = parseUtcDay(text)
  if (day === undefined) return undefined
  return { from: toInstant(day, isUtc), until: toInstant(day + dayMs, isUtc) }
}

const parseTime = (text: string, isUtc: boolean): TimeSpan | undefined => {
  const [, date = '', minute = '', second, fraction, zone] = timeForm.exec(text) ?? []
  if (parseUtcDay(date) === undefined || (fraction !== undefined && second === undefined)) return undefined
  const offset = zone?.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const time = Date.parse(`${date}T${minute}${second ?? ':00'}${fraction ?? ''}${offset ?? 'Z'}`)
  if (Number.isNaN(time)) return undefined
  const from = offset === undefined ? toInstant(time, isUtc) : time
  return { from, until: from + (second === undefined ? 60_000 : fraction === undefined ? 1_000 : 1) }
}

/**
 * The moment when clocks show what `shown` shows in UTC. By the rules of Date: the first one, if clocks were set back. If
 * clocks were set forward and never showed it, as much later as they were set forward.
 */
const toInstant = (shown: number, isUtc: boolean): number =>
  // Without Z, it is a local time.
  isUtc ? shown : Date.parse(new Date(shown).toISOString().slice(0, -1))

/** A start uses `from` of the value, an end `until`: then --until 2026-11-30 includes that day. */
export const moment = {
  takes: '<time>',
  parse: (text: string, { context: { clock } }: Given): TimeSpan | undefined =>
    parseMoment(text, { now: clock.now(), isUtc: false }),
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
