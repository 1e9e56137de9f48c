// A flag that takes a moment, such as --since: a date, a date and time, or an age.
import { momentForm, parseMoment, type TimeSpan } from '../contract/time/moment.ts'
import type { Given } from './spec.ts'

/** A start uses `from` of the value, an end `until`: then --until 2026-11-30 includes that day. */
export const moment = {
  takes: '<time>',
  parse: (text: string, { context: { clock, timeZone } }: Given): TimeSpan | undefined =>
    parseMoment(text, { now: clock.now(), timeZone }),
  allowed: momentForm,
} as const
