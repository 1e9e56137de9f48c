// Lengths of time as people type them: `500ms`, `2s`, `11m`, `1h30m`.

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
