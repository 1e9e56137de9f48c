// Masks codes, PINs, serial numbers and links. Finds known codes in a text, in any grouping and in upper or lower case.
import { getCharacterPattern, replaceLookalikes } from '../../text/lookalikes.ts'
import { htmlToText } from '../cards/html-text.ts'

// The number of dots is fixed, to hide the length of the code.
const dots = '••••'

const minLettersOfLong = 12
const lettersShown = 4

/** Keeps the last four letters or digits of a long code, to distinguish codes. */
export const maskCode = (code: string): string => {
  if (code.trim() === '') return ''
  const letters = code.match(getCharacterPattern(code)) ?? []
  return letters.length < minLettersOfLong ? dots : dots + letters.slice(-lettersShown).join('')
}

/** Keeps only the host. The user name, the path and the query may hold the code. */
export const maskLink = (link: string): string => {
  if (link.trim() === '') return ''
  const url = URL.parse(link.trim())
  return url !== null && /^https?:$/.test(url.protocol) && url.host !== '' ? `${url.host}/…` : dots
}

/** Masks a secret that may be a link or a code. */
export const maskSecret = (secret: string): string =>
  URL.canParse(secret.trim()) ? maskLink(secret) : maskCode(secret)

type Letters = {
  /** Letters and digits only, in lower case. */
  readonly letters: string
  /** The position in the text at which each letter starts and ends. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
const isAsciiLetter = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

// With a regular expression, 40,000 codes take a second.
const extractAsciiLetters = (text: string): Letters => {
  const starts: number[] = []
  for (let at = 0; at < text.length; at += 1) if (isAsciiLetter(text.charCodeAt(at))) starts.push(at)
  const letters = text.replaceAll(/[^A-Za-z0-9]+/g, '').toLowerCase()
  return { letters, starts, ends: starts.map((at) => at + 1) }
}

const extractLetters = (text: string): Letters => {
  if (isAscii(text)) return extractAsciiLetters(text)
  let letters = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: character, index } of text.matchAll(getCharacterPattern(text))) {
    // NFKC turns fullwidth letters and digits into ASCII.
    const plain = character.normalize('NFKC').toLowerCase()
    letters += plain
    for (let count = 0; count < plain.length; count += 1) {
      starts.push(index)
      ends.push(index + character.length)
    }
  }
  return { letters, starts, ends }
}

export const countLetters = (text: string): number => extractLetters(text).letters.length

/** The number of characters between a letter and the next one. */
const measureGap = ({ starts, ends }: Letters, at: number): number =>
  (starts[at + 1] ?? Number.POSITIVE_INFINITY) - (ends[at] ?? 0)

export const hasDigit = (text: string): boolean => /\d/.test(text) || (!isAscii(text) && /\p{N}/u.test(text))

// People and programs put at most this many characters between two letters of a code.
const usualGap = 3
// Shorter codes occur in longer numbers and dates by chance.
const minLettersInside = 6
// Shorter codes without a digit occur in ordinary words.
const minLettersInWord = 12

// Codes of one issue start alike, so longer starts find no fewer candidates.
const maxStart = 8

type Span = { readonly from: number; readonly to: number }

/** Expects spans sorted by start. They may overlap. */
const maskSpans = (text: string, spans: readonly Span[]): string => {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of spans) {
    const last = merged.at(-1)
    if (last === undefined || from >= last.to) merged.push({ from, to })
    else last.to = Math.max(last.to, to)
  }
  const parts = merged.map(
    ({ from, to }, index) => text.slice(merged[index - 1]?.to ?? 0, from) + maskSecret(text.slice(from, to)),
  )
  return parts.join('') + text.slice(merged.at(-1)?.to ?? 0)
}

export type CodeMasker = (text: string) => string

/** Maps the letters of each code to the widest gap that the code may have. */
const indexCodes = (given: Iterable<string>): ReadonlyMap<string, number> => {
  const codes = new Map<string, number>()
  for (const code of given) {
    const found = extractLetters(code)
    let widest = codes.get(found.letters) ?? usualGap
    for (let at = 0; at < found.letters.length - 1; at += 1) widest = Math.max(widest, measureGap(found, at))
    if (found.letters !== '') codes.set(found.letters, widest)
  }
  return codes
}

/** Looks codes up at each position of the text: an order of 10,000 cards has 40,000 codes and may have as many texts. */
export const createCodeMasker = (given: Iterable<string>): CodeMasker => {
  const gaps = indexCodes(given)
  if (gaps.size === 0) return (text) => text
  const lengths = [...new Set(Array.from(gaps.keys(), ({ length }) => length))]
  const startLength = Math.min(maxStart, ...lengths)
  const starts = new Set(Array.from(gaps.keys(), (code) => code.slice(0, startLength)))

  const findSpan = (text: Letters, at: number, length: number): Span | undefined => {
    const code = text.letters.slice(at, at + length)
    const gap = gaps.get(code)
    if (gap === undefined) return undefined
    const last = at + length - 1
    for (let each = at; each < last; each += 1) if (measureGap(text, each) > gap) return undefined
    const isInside = (at > 0 && measureGap(text, at - 1) <= 0) || measureGap(text, last) <= 0
    if (isInside && length < (hasDigit(code) ? minLettersInside : minLettersInWord)) return undefined
    return { from: text.starts[at] ?? 0, to: text.ends[last] ?? 0 }
  }

  return (text) => {
    const found = extractLetters(text)
    const spans: Span[] = []
    let dates: number[] | undefined
    const isInDate = ({ from, to }: Span): boolean => {
      dates ??= Array.from(text.matchAll(/\d{4}-\d\d-\d\d/g), ({ index }) => index)
      return dates.some((date) => date <= from && to <= date + '2026-11-23'.length)
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

// Terms may name a PIN that is in no field. Only the words before it identify it: 'Your PIN is 4711'.
const namedPin =
  /(?<![a-z0-9])((?:pins?|pin[ -]?codes?|cvv2?|cvc2?|passcode|password)(?:[\s:=#"'(-]|\b(?:is|was|code|number|no\.?|nr\.?|lautet|ist|est|es)(?![a-z0-9]))*)(\d{4,12})(?!\d|-\d\d-\d\d)/gi

/** Masks known codes, other words that look like codes unless they are kept, and numbers that the text calls a PIN. */
export const maskText = (text: string, maskCodes: CodeMasker, kept?: ReadonlySet<string>): string => {
  const masked = replaceLookalikes(maskCodes(text), (word) => (kept?.has(word) ? word : maskSecret(word)))
  // Checked first: `namedPin` takes longer to compile than most orders take to mask.
  if (!/\d{4}/.test(masked) || !/pin|cv[cv]|pass/i.test(masked)) return masked
  return masked.replace(namedPin, (_, before: string, pin: string) => before + maskSecret(pin))
}

export const decodePercents = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  })

/** Also masks a code that is hidden by entities, tags or percent escapes. The result is then the decoded text. */
export const maskHidden = (text: string, mask: CodeMasker): string => {
  let masked = mask(text)
  const showPlain = (plain: string): void => {
    const again = mask(plain)
    if (again !== plain) masked = again
  }
  if (/[<&]/.test(masked)) showPlain(htmlToText(masked))
  if (masked.includes('%')) showPlain(decodePercents(masked))
  return masked
}
