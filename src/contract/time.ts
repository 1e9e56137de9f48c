// Time: the clock, which tests replace, with sleeps and time limits on it, timestamps of the service (order-service.md 2.1),
// and days and periods in UTC. Also durations that users type (`1h30m`).

import type { Timestamp } from './schemas.ts'

export type Clock = {
  /** Milliseconds since the UNIX epoch. */
  now(): number
  /** Milliseconds from an arbitrary start. It never goes back, even if the system clock is changed. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  newId(): string
}

/** The service's time, in whole milliseconds. Until the first response, this is the time of the clock. */
export const createServiceClock = (clock: Pick<Clock, 'now' | 'monotonic'>) => {
  const startAt = (time: number) => ({ time, wall: clock.now(), monotonic: clock.monotonic() })
  let start = startAt(clock.now())
  return {
    // The monotonic clock may stop while a laptop sleeps, and the wall clock may be set back. The later time is safe.
    now: () =>
      Math.round(start.time + Math.max(clock.now() - start.wall, clock.monotonic() - start.monotonic)),
    set: (serverTime: number): void => {
      start = startAt(serverTime)
    },
  }
}

/** A sleep that other work can end. */
export const createAlarm = (clock: Pick<Clock, 'sleep'>) => {
  let sleeping: AbortController | undefined
  let isRung = false
  return {
    ring: (): void => {
      isRung = true
      sleeping?.abort()
    },
    /** Returns at once if `ring` was called since the last sleep. Returns whether `ring` ended the sleep. */
    sleep: async (ms: number, signal: AbortSignal): Promise<boolean> => {
      if (!isRung) {
        sleeping = new AbortController()
        await clock.sleep(ms, AbortSignal.any([sleeping.signal, signal]))
        sleeping = undefined
      }
      const wasRung = isRung
      isRung = false
      return wasRung
    },
  }
}

/**
 * Calls `work` repeatedly: after the milliseconds that it returns, or as soon as the alarm rings. Ends when `work` returns
 * undefined, or when the signal aborts.
 */
export const repeat = async (
  clock: { sleep(ms: number, signal: AbortSignal): Promise<unknown> },
  signal: AbortSignal,
  work: () => Promise<number | undefined> | number | undefined,
): Promise<void> => {
  while (!signal.aborted) {
    const ms = await work()
    if (ms === undefined) return
    await clock.sleep(ms, signal)
  }
}

/** The signal's default reason when the time is over. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/**
 * Limits the time of all work, from its first attempt to its last byte. An idle timeout would never stop a server that
 * sends one byte at a time. The work must notice its signal, as calls do, or use `unlessAborted`.
 */
export const within = async <Result>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
  createReason: () => Error = () => new DeadlineError(`timed out after ${ms / 1000} s`),
): Promise<Result> => {
  const deadline = new AbortController()
  const done = new AbortController()
  void clock.sleep(ms, done.signal).then(async () => {
    // After a pause of the process (Ctrl-Z), read a response that has already arrived.
    await new Promise((resolve) => setImmediate(resolve))
    if (!done.signal.aborted) deadline.abort(createReason())
  })
  // AbortSignal.any costs 18 µs, even for a single signal.
  const limited = outer === undefined ? deadline.signal : AbortSignal.any([deadline.signal, outer])
  try {
    return await work(limited)
  } finally {
    done.abort()
  }
}

/** Rejects with the signal's reason, even if the work does not notice the signal. */
export const unlessAborted = <Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  if (signal.aborted) reject(signal.reason)
  return Promise.race([work, promise])
}

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

/** A moment before which something is not safe: rounded up to a second, never down. */
export const formatSafeTime = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatUtcTime(Math.ceil(ms / 1000) * 1000)

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
type Period = (typeof periods)[number]

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

export const dayMs = 24 * 60 * 60 * 1000

const units = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', dayMs],
  ['w', 7 * dayMs],
])

export const durationForm = 'a duration such as 500ms, 2s, 11m, 1h30m or 0'

/** Returns whole milliseconds, or undefined if the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ms|[smhdw]))+$/.test(text)) return undefined
  let total = 0
  for (const [, number, unit] of text.matchAll(/([\d.]+)(ms|[smhdw])/g)) {
    total += Number(number) * (units.get(unit ?? '') ?? Number.NaN)
  }
  const ms = Math.round(total)
  return Number.isSafeInteger(ms) ? ms : undefined
}

export const timeoutForm = 'a duration such as 500ms, 2s or 11m, up to 30d'

/** The time limit of a call. */
export const parseTimeout = (text: string): number | undefined => {
  const ms = parseDuration(text)
  return ms !== undefined && ms > 0 && ms <= 30 * dayMs ? ms : undefined
}

const readUnits = [
  ['s', 1_000, 60],
  ['min', 60_000, 60],
  ['h', 3_600_000, 48],
  ['days', dayMs, Number.POSITIVE_INFINITY],
] as const

/** Rounds down: 9 min 59 s is '9 min'. */
export const formatDuration = (ms: number): string => {
  for (const [name, length, most] of readUnits) {
    const count = Math.floor(Math.abs(ms) / length)
    if (count < most) return `${count} ${name}`
  }
  return ''
}
