// Reads a flag that takes a moment, such as --since: a date, a date and time, or an age.
import type { Context } from '../../context.ts'
import { momentForm, parseMoment, type TimeSpan } from '../../contract/calendar/moment.ts'
import type { FlagReader } from './flag-reader.ts'

/** A start uses `from` of the result, an end `until`: then --until 2026-11-30 includes that day. */
export const readMoment = (
  { read }: FlagReader,
  flag: string,
  text: string | undefined,
  { clock, timeZone }: Pick<Context, 'clock' | 'timeZone'>,
): TimeSpan | undefined =>
  read(flag, text, (given) => parseMoment(given, { now: clock.now(), timeZone }), momentForm)
