// Finds codes in free text: words that look like codes (long words with digits, groups of capitals), and known codes in any
// grouping, in upper or lower case, and hidden by percent escapes, entities, tags or invisible characters. Decodes entities
// of HTML: few texts have any, and the library takes 7 ms of a get to build its table, so it is required for the first text
// with an '&'. The bundle contains it.

import { builtin } from '../builtin.ts'

const require = builtin.module().createRequire(import.meta.url)

type Library = Pick<
  typeof import('entities/decode'),
  'decodeHTML' | 'decodeHTMLAttribute' | 'decodeHTMLStrict'
>

// Kept, because each require of a bundled module copies its exports.
let library: Library | undefined

const createDecoder =
  (name: keyof Library) =>
  (text: string): string => {
    if (!text.includes('&')) return text
    library ??= require('entities/decode') as Library
    return library[name](text)
  }

export const decodeHtml = createDecoder('decodeHTML')
/** Without a semicolon at its end, an entity before `=` or a letter is none. */
export const decodeHtmlAttribute = createDecoder('decodeHTMLAttribute')
/** Only entities that end with a semicolon. */
export const decodeHtmlStrict = createDecoder('decodeHTMLStrict')

const createPatterns = (letter: string, number: string, dash: string, flags: string) => {
  const meaningful = `${letter}${number}`
  return {
    word: new RegExp(`[${meaningful}]+(?:[${dash}_][${meaningful}]+)*`, `g${flags}`),
    spaced: new RegExp(
      `(?<![${meaningful}])[A-Z0-9]{3,6}(?: [A-Z0-9]{3,6}){2,}(?![${meaningful}])`,
      `g${flags}`,
    ),
    moment: new RegExp(
      '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?' +
        `(?![${meaningful}]|[${dash}_][${meaningful}])`,
      `${flags}y`,
    ),
    each: new RegExp(`[${meaningful}]`, `g${flags}`),
    number: new RegExp(`[${number}]`, flags),
    dash: new RegExp(`[${dash}_]`, flags),
    capitals: new RegExp(`^[A-Z${dash}_]+$`, flags),
  }
}
type Patterns = ReturnType<typeof createPatterns>

// The patterns for all scripts take milliseconds to compile, so plain ASCII has its own. The range after it holds
// typographic quotation marks and the dots of masked codes, which are neither letters nor digits.
const asciiPatterns = createPatterns('A-Za-z', '0-9', '-', '')
let unicodePatterns: Patterns | undefined
const getPatterns = (text: string): Patterns => {
  if (/^[\0-\x7f\u2018-\u2027]*$/.test(text)) return asciiPatterns
  unicodePatterns ??= createPatterns('\\p{L}', '\\p{N}', '\\p{Pd}', 'u')
  return unicodePatterns
}

/** A pattern that matches each letter and each digit of the text. */
export const getCharacterPattern = (text: string): RegExp => getPatterns(text).each

const looksLikeCode = (word: string, { each, number, dash, capitals }: Patterns): boolean => {
  const count = word.match(each)?.length ?? 0
  if (number.test(word)) return count >= 8
  return capitals.test(word) && (count >= 12 || (dash.test(word) && count >= 8))
}

/** Replaces each word that looks like a code, but no dates. */
export const replaceLookalikes = (text: string, replace: (word: string) => string): string => {
  // Most texts have neither a digit nor a word of capitals.
  if (!/\d|[A-Z][A-Z_-]{7}|[^\0-\x7f]/.test(text)) return text
  const patterns = getPatterns(text)
  const { word, spaced, moment } = patterns
  const masked = text.replace(spaced, (found) => (/\d/.test(found) ? replace(found) : found))
  // The word pattern stops in the middle of a date with a time, so the rest of the date has to be skipped, too.
  let dateEnd = 0
  return masked.replace(word, (found, at: number) => {
    moment.lastIndex = at
    const date = moment.exec(masked)?.[0]
    if (date !== undefined) dateEnd = at + date.length
    return at < dateEnd || !looksLikeCode(found, patterns) ? found : replace(found)
  })
}

export const findLookalikes = (text: string): string[] => {
  const found: string[] = []
  replaceLookalikes(text, (word) => {
    found.push(word)
    return word
  })
  return found
}

/** A text may name a PIN or a short code that is in no field. Only the words before it identify it: 'Your PIN is 4711'. */
export const replaceNamedPins = (text: string, replace: (pin: string) => string): string => {
  // Checked first: the pattern takes longer to compile than most orders take to mask.
  if (!/\d/.test(text) || !/pin|cv[cv]|pass|(?:your|ihr|redeem|gift|card|voucher)[ -]code/i.test(text))
    return text
  const named =
    /(?<![a-z0-9])((?:pins?|pin[ -]?codes?|cvv2?|cvc2?|passcode|password|(?:your|ihr|redeem|gift|card|voucher)[ -]codes?)(?:[\s:=#"'(-]|\b(?:is|was|code|number|no\.?|nr\.?|lautet|ist|est|es)(?![a-z0-9]))*)((?=[a-z]*\d)[a-z\d]{4,12})(?![a-z\d]|-\d\d-\d\d)/gi
  return text.replace(named, (_, before: string, pin: string) => before + replace(pin))
}

type Letters = {
  /** Letters and digits only, folded. */
  readonly letters: string
  /** The positions in the text where each letter starts and ends. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
const isAsciiLetter = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

/** Turns fullwidth letters and digits into ASCII. `toLowerCase` would depend on the next letter. */
const fold = (text: string): string => (isAscii(text) ? text : text.normalize('NFKD')).toUpperCase()
const keepAsciiLetters = (text: string): string => fold(text).replaceAll(/[^A-Z0-9]+/g, '')
const keepLetters = (text: string): string => {
  if (isAscii(text)) return keepAsciiLetters(text)
  const folded = fold(text)
  return (folded.match(getCharacterPattern(folded)) ?? []).join('')
}

const extractLetters = (text: string): Letters => {
  const starts: number[] = []
  if (isAscii(text)) {
    // With a regular expression, 40,000 codes take a second.
    for (let at = 0; at < text.length; at += 1) if (isAsciiLetter(text.charCodeAt(at))) starts.push(at)
    return { letters: keepAsciiLetters(text), starts, ends: starts.map((at) => at + 1) }
  }
  let letters = ''
  const ends: number[] = []
  for (const { 0: character, index } of text.matchAll(getCharacterPattern(text))) {
    const plain = keepLetters(character)
    letters += plain
    for (let count = 0; count < plain.length; count += 1) {
      starts.push(index)
      ends.push(index + character.length)
    }
  }
  return { letters, starts, ends }
}

/** The number of characters between a letter and the next one. */
const measureGap = ({ starts, ends }: Letters, at: number): number =>
  (starts[at + 1] ?? Number.POSITIVE_INFINITY) - (ends[at] ?? 0)

const hasDigit = (text: string): boolean => /\d/.test(text) || (!isAscii(text) && /\p{N}/u.test(text))

const decodeBytes = (escapes: string): string =>
  new TextDecoder().decode(
    Uint8Array.from(escapes.split('%').slice(1), (digits) => Number.parseInt(digits, 16)),
  )

/** A name that HTML does not know may stand for a gap, such as &NBSP; in the middle of a code. */
const decodeNamed = (text: string): string =>
  decodeHtml(text.replaceAll(/&[a-z]\w{1,30};/gi, (name) => (decodeHtml(name) === name ? ' ' : name)))

/** Decodes percent escapes and entities once and removes invisible characters. */
export const decodeText = (text: string): string => {
  const decoded = /[%&]/.test(text) ? decodeNamed(text.replace(/(?:%[\da-f]{2})+/gi, decodeBytes)) : text
  if (/^[\t\n\r\x20-\x7e]*$/.test(decoded)) return decoded
  return decoded.replaceAll(/(?![\t\n\r])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
}

const removeTags = (text: string): string =>
  text.includes('<') ? text.replaceAll(/<!--.*?(?:-->|$)|<[^<>]*>/gs, '').replaceAll(/\s+/g, ' ') : text

/** A text may be encoded twice. */
const readings = [decodeText, removeTags, decodeText, removeTags]

export const toPlainText = (text: string): string => readings.reduce((reading, read) => read(reading), text)

/** Replaces in the text without escapes and tags if it contains a code, otherwise in the text itself. */
export const replaceInPlain = (text: string, replace: (text: string) => string): string => {
  const plain = toPlainText(text)
  const replaced = replace(plain)
  return replaced === plain ? replace(text) : replaced
}

// People and programs put at most this many characters between two letters of a code.
const usualGap = 3
// Shorter codes occur in longer numbers and dates by chance.
const minLettersInside = 6
// Shorter codes without a digit occur in ordinary words.
const minLettersInWord = 12

// Codes of one issue start alike, so longer starts find no fewer candidates.
const maxStart = 8

/** `likely`: without codes that occur in a name by chance. `long`: also without PINs, whose digits an id may contain. */
export type Least = 'any' | 'likely' | 'long'

const minLetters: Readonly<Record<Least, readonly [letters: number, withDigit: number]>> = {
  any: [1, 1],
  likely: [6, 4],
  long: [6, 6],
}

type Span = { readonly from: number; readonly to: number }
type Replace = (found: string) => string

/** Expects spans sorted by start. They may overlap. */
const replaceSpans = (text: string, spans: readonly Span[], replace: Replace): string => {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of spans) {
    const last = merged.at(-1)
    if (last === undefined || from >= last.to) merged.push({ from, to })
    else last.to = Math.max(last.to, to)
  }
  const parts = merged.map(
    ({ from, to }, index) => text.slice(merged[index - 1]?.to ?? 0, from) + replace(text.slice(from, to)),
  )
  return parts.join('') + text.slice(merged.at(-1)?.to ?? 0)
}

/** Maps the letters of each code to the widest gap that the code may have. */
const indexCodes = (given: Iterable<string>): ReadonlyMap<string, number> => {
  const codes = new Map<string, number>()
  const add = (code: string): void => {
    const found = extractLetters(code)
    let widest = codes.get(found.letters) ?? usualGap
    for (let at = 0; at < found.letters.length - 1; at += 1) widest = Math.max(widest, measureGap(found, at))
    if (found.letters !== '') codes.set(found.letters, widest)
  }
  for (const code of given) {
    add(code)
    // A code may itself contain tags, which are not shown with it.
    const plain = removeTags(decodeText(code))
    if (plain !== code) add(plain)
  }
  return codes
}

type CodeFinder = {
  /** Replaces each code. If escapes or tags hide one, the result is the text without them. */
  readonly replace: (text: string, replace: Replace, least?: Least) => string
  readonly isIn: (text: string, least?: Least) => boolean
}

/** Looks codes up at each position of the text: an order of 10,000 cards has 40,000 codes and may have as many texts. */
export const createCodeFinder = (given: Iterable<string>): CodeFinder => {
  const gaps = indexCodes(given)
  if (gaps.size === 0) return { replace: (text) => text, isIn: () => false }
  const codes = [...gaps.keys()]
  const lengths = [...new Set(codes.map(({ length }) => length))]
  const startLength = Math.min(maxStart, ...lengths)
  const starts = new Set(codes.map((code) => code.slice(0, startLength)))
  // Most texts have no start of a code. The pattern for all scripts takes milliseconds to compile.
  const keep = codes.every(isAscii) ? keepAsciiLetters : keepLetters

  const mayContain = (text: string): boolean => {
    const letters = keep(text)
    for (let at = 0; at + startLength <= letters.length; at += 1)
      if (starts.has(letters.slice(at, at + startLength))) return true
    return false
  }

  const findSpan = (text: Letters, at: number, length: number, kind: Least): Span | undefined => {
    const code = text.letters.slice(at, at + length)
    const gap = gaps.get(code)
    if (gap === undefined) return undefined
    const isNumbered = hasDigit(code)
    if (length < minLetters[kind][isNumbered ? 1 : 0]) return undefined
    const last = at + length - 1
    for (let each = at; each < last; each += 1) if (measureGap(text, each) > gap) return undefined
    const isInside = (at > 0 && measureGap(text, at - 1) <= 0) || measureGap(text, last) <= 0
    // A SKU or a state is no ordinary word.
    const least = isNumbered || kind === 'long' ? minLettersInside : minLettersInWord
    if (isInside && length < least) return undefined
    return { from: text.starts[at] ?? 0, to: text.ends[last] ?? 0 }
  }

  const findSpans = (text: string, least: Least): Span[] => {
    if (!mayContain(text)) return []
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
        const span = findSpan(found, at, length, least)
        if (span !== undefined && !(length < minLettersInside && isInDate(span))) spans.push(span)
      }
    }
    return spans
  }

  const replaceAll: CodeFinder['replace'] = (text, replace, least = 'any') => {
    const replaceIn = (part: string): string => {
      const spans = findSpans(part, least)
      return spans.length === 0 ? part : replaceSpans(part, spans, replace)
    }
    let shown = replaceIn(text)
    let reading = shown
    for (const read of readings) {
      const plain = read(reading)
      if (plain === reading) continue
      reading = replaceIn(plain)
      if (reading !== plain) shown = reading
    }
    return shown
  }

  return {
    replace: replaceAll,
    isIn: (text, least = 'any') => replaceAll(text, () => '', least) !== text,
  }
}
