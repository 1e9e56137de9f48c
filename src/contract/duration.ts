// Parses durations that users type (`1h30m`) and formats durations for output (`90 min`).

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
