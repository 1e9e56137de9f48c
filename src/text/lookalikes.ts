// Finds words that look like codes in free text: long words with digits, and groups of capitals.

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
