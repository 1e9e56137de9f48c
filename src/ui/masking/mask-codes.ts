// Finds known codes in a text, in any grouping and in upper or lower case, and masks them.
import {
  extractLetters,
  hasDigit,
  keepLetters,
  type Letters,
  measureGap,
  measureWidestGap,
} from './letters.ts'
import { maskSecret } from './mask.ts'

// People and programs put at most this many characters between two letters of a code.
const usualGap = 3
// Shorter codes occur in longer numbers and dates by chance.
const minLettersInside = 6
// Shorter codes without a digit occur in ordinary words.
const minLettersInWord = 12

// Codes of one issue start alike, so longer starts find no fewer candidates.
const maxStart = 8

const canBeInside = (letters: string): boolean =>
  letters.length >= (hasDigit(letters) ? minLettersInside : minLettersInWord)

type Span = { readonly from: number; readonly to: number }

const findDates = (text: string): Span[] =>
  Array.from(text.matchAll(/\d{4}-\d\d-\d\d/g), ({ 0: date, index }) => ({
    from: index,
    to: index + date.length,
  }))

/** Expects spans sorted by start. */
const mergeSpans = (spans: readonly Span[]): Span[] => {
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
  for (const { from, to } of mergeSpans(spans)) {
    masked += text.slice(at, from) + maskSecret(text.slice(from, to))
    at = to
  }
  return masked + text.slice(at)
}

export type CodeMasker = (text: string) => string

type Lookup = {
  readonly codes: ReadonlySet<string>
  /** The widest gap of each code that is written with unusually wide gaps. */
  readonly wideGaps: ReadonlyMap<string, number>
  readonly lengths: readonly number[]
  readonly starts: ReadonlySet<string>
  readonly startLength: number
}

// Checked first: measuring gaps is slow, and most codes have usual gaps.
const isPlain = (code: string): boolean => /^[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*$/.test(code)

/** Indexes the codes by their start and length. */
const indexCodes = (given: Iterable<string>): Lookup => {
  const codes = new Set<string>()
  const wideGaps = new Map<string, number>()
  for (const code of given) {
    const letters = keepLetters(code)
    if (letters === '') continue
    codes.add(letters)
    const gap = isPlain(code) ? usualGap : measureWidestGap(code)
    if (gap > (wideGaps.get(letters) ?? usualGap)) wideGaps.set(letters, gap)
  }
  const lengths = [...new Set(Array.from(codes, ({ length }) => length))]
  const startLength = Math.min(maxStart, ...lengths)
  return {
    codes,
    wideGaps,
    lengths,
    starts: new Set(Array.from(codes, (code) => code.slice(0, startLength))),
    startLength,
  }
}

/** Looks codes up at each position of the text: an order of 10,000 cards has 40,000 codes and may have as many texts. */
export const createCodeMasker = (given: Iterable<string>): CodeMasker => {
  const { codes, wideGaps, lengths, starts, startLength } = indexCodes(given)
  if (codes.size === 0) return (text) => text

  const findSpan = (text: Letters, at: number, length: number): Span | undefined => {
    const code = text.letters.slice(at, at + length)
    if (!codes.has(code)) return undefined
    const gap = wideGaps.get(code) ?? usualGap
    const last = at + length - 1
    for (let each = at; each < last; each += 1) if (measureGap(text, each) > gap) return undefined
    const isInside = (at > 0 && measureGap(text, at - 1) <= 0) || measureGap(text, last) <= 0
    if (isInside && !canBeInside(code)) return undefined
    return { from: text.starts[at] ?? 0, to: text.ends[last] ?? 0 }
  }

  return (text) => {
    const found = extractLetters(text)
    const spans: Span[] = []
    let dates: Span[] | undefined
    const isInDate = ({ from, to }: Span): boolean => {
      dates ??= findDates(text)
      return dates.some((date) => date.from <= from && to <= date.to)
    }
    for (let at = 0; at + startLength <= found.letters.length; at += 1) {
      if (!starts.has(found.letters.slice(at, at + startLength))) continue
      for (const length of lengths) {
        const span = findSpan(found, at, length)
        if (span !== undefined && !(length < minLettersInside && isInDate(span))) spans.push(span)
      }
    }
    return spans.length === 0 ? text : maskSpans(text, spans)
  }
}
