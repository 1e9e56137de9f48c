// Lengths of time as people type them, `1h30m`, and as they read them, `90 min`.

const units = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

export const durationForm = 'a length of time such as 500ms, 2s, 11m, 1h30m or 0'

/** Whole milliseconds, or undefined where the text is no length of time. */
export const parseDuration = (text: string): number | undefined => {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return undefined
  let total = 0
  for (const [, number, unit] of text.matchAll(/([\d.]+)(ms|[smhd])/g)) {
    total += Number(number) * (units.get(unit ?? '') ?? Number.NaN)
  }
  const ms = Math.round(total)
  return Number.isSafeInteger(ms) ? ms : undefined
}

const readUnits = [
  ['s', 1_000, 60],
  ['min', 60_000, 60],
  ['h', 3_600_000, 48],
  ['days', 86_400_000, Number.POSITIVE_INFINITY],
] as const

/** Never more than there is: 9 min 59 s are '9 min'. */
export const lengthText = (ms: number): string => {
  for (const [name, length, most] of readUnits) {
    const count = Math.floor(Math.abs(ms) / length)
    if (count < most) return `${count} ${name}`
  }
  return ''
}
