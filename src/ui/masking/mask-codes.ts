// Finds known codes in a text, however they are grouped and in whatever case, and masks them.
import { gapAfter, hasDigit, type Letters, lettersOf, onlyLetters, widestGapIn } from './letters.ts'
import { maskSecret } from './mask.ts'

// What people and programs put between the characters of a code.
const usualGap = 3
// Shorter codes are part of longer numbers, and of dates, by chance.
const leastLettersInside = 6
// A code without a digit may be part of an ordinary word.
const leastLettersInWord = 12

// Codes of one issue start alike, so longer starts tell them apart no better.
const longestStart = 8

const canBeInside = (letters: string): boolean =>
  letters.length >= (hasDigit(letters) ? leastLettersInside : leastLettersInWord)

type Span = { readonly from: number; readonly to: number }

const datesIn = (text: string): Span[] =>
  Array.from(text.matchAll(/\d{4}-\d\d-\d\d/g), ({ 0: date, index }) => ({
    from: index,
    to: index + date.length,
  }))

/** In order; spans that overlap become one. */
const merge = (spans: readonly Span[]): Span[] => {
  const merged: Span[] = []
  for (const { from, to } of spans) {
    const last = merged.at(-1)
    if (last === undefined || from >= last.to) merged.push({ from, to })
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) }
  }
  return merged
}

const maskSpans = (text: string, spans: readonly Span[]): string => {
  let masked = ''
  let at = 0
  for (const { from, to } of merge(spans)) {
    masked += text.slice(at, from) + maskSecret(text.slice(from, to))
    at = to
  }
  return masked + text.slice(at)
}

export type CodeMasker = (text: string) => string

type Lookup = {
  readonly codes: ReadonlySet<string>
  /** Of the codes that are written with gaps wider than usual: they are found as they are written, too. */
  readonly wideGaps: ReadonlyMap<string, number>
  readonly lengths: readonly number[]
  readonly starts: ReadonlySet<string>
  readonly startLength: number
}

// To measure the gaps of each code takes a while, and most have none.
const isPlain = (code: string): boolean => /^[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*$/.test(code)

/** The codes as they are looked up: letters and digits alone, by how they start and by how long they are. */
const readCodes = (given: Iterable<string>): Lookup => {
  const codes = new Set<string>()
  const wideGaps = new Map<string, number>()
  for (const code of given) {
    const letters = onlyLetters(code)
    if (letters === '') continue
    codes.add(letters)
    const gap = isPlain(code) ? usualGap : widestGapIn(code)
    if (gap > (wideGaps.get(letters) ?? usualGap)) wideGaps.set(letters, gap)
  }
  const lengths = [...new Set(Array.from(codes, ({ length }) => length))]
  const startLength = Math.min(longestStart, ...lengths)
  return {
    codes,
    wideGaps,
    lengths,
    starts: new Set(Array.from(codes, (code) => code.slice(0, startLength))),
    startLength,
  }
}

/**
 * The codes are looked up at each place of the text, not searched one after the other: an order of 10,000 cards has
 * 40,000 codes, and may have as many texts.
 */
export const createCodeMasker = (given: Iterable<string>): CodeMasker => {
  const { codes, wideGaps, lengths, starts, startLength } = readCodes(given)
  if (codes.size === 0) return (text) => text

  const spanAt = (text: Letters, at: number, length: number): Span | undefined => {
    const code = text.letters.slice(at, at + length)
    if (!codes.has(code)) return undefined
    const gap = wideGaps.get(code) ?? usualGap
    const last = at + length - 1
    for (let each = at; each < last; each += 1) if (gapAfter(text, each) > gap) return undefined
    const isInside = (at > 0 && gapAfter(text, at - 1) <= 0) || gapAfter(text, last) <= 0
    if (isInside && !canBeInside(code)) return undefined
    return { from: text.starts[at] ?? 0, to: text.ends[last] ?? 0 }
  }

  return (text) => {
    const found = lettersOf(text)
    const spans: Span[] = []
    let dates: Span[] | undefined
    const isInDate = ({ from, to }: Span): boolean => {
      dates ??= datesIn(text)
      return dates.some((date) => date.from <= from && to <= date.to)
    }
    for (let at = 0; at + startLength <= found.letters.length; at += 1) {
      if (!starts.has(found.letters.slice(at, at + startLength))) continue
      for (const length of lengths) {
        const span = spanAt(found, at, length)
        if (span !== undefined && !(length < leastLettersInside && isInDate(span))) spans.push(span)
      }
    }
    return spans.length === 0 ? text : maskSpans(text, spans)
  }
}
