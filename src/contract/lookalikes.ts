// What looks like a code, in free text of which nobody says what it is.

const patternsFor = (letter: string, number: string, dash: string, flags: string) => {
  const known = `${letter}${number}`
  return {
    word: new RegExp(`[${known}]+(?:[${dash}_][${known}]+)*`, `g${flags}`),
    spaced: new RegExp(`(?<![${known}])[A-Z0-9]{3,6}(?: [A-Z0-9]{3,6}){2,}(?![${known}])`, `g${flags}`),
    moment: new RegExp(
      '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?)?' +
        `(?![${known}]|[${dash}_][${known}])`,
      `${flags}y`,
    ),
    each: new RegExp(`[${known}]`, `g${flags}`),
    number: new RegExp(`[${number}]`, flags),
    dash: new RegExp(`[${dash}_]`, flags),
    capitals: new RegExp(`^[A-Z${dash}_]+$`, flags),
  }
}
type Patterns = ReturnType<typeof patternsFor>

// Of all the letters there are, they take milliseconds to make. Quotation marks and the dots of what is masked are none.
const ascii = patternsFor('A-Za-z', '0-9', '-', '')
let every: Patterns | undefined
const patternsOf = (text: string): Patterns => {
  if (/^[\0-\x7f\u2018-\u2027]*$/.test(text)) return ascii
  every ??= patternsFor('\\p{L}', '\\p{N}', '\\p{Pd}', 'u')
  return every
}

/** Letters and digits, each of them. */
export const meaningfulIn = (text: string): RegExp => patternsOf(text).each

const looksLikeCode = (found: string, { each, number, dash, capitals }: Patterns): boolean => {
  const count = found.match(each)?.length ?? 0
  if (number.test(found)) return count >= 8
  // Letters alone: in capitals and long, or in groups.
  return capitals.test(found) && (count >= 12 || (dash.test(found) && count >= 8))
}

/** A date is none. */
export const replaceLookalikes = (text: string, replaced: (found: string) => string): string => {
  const patterns = patternsOf(text)
  const { word, spaced, moment } = patterns
  const masked = text.replace(spaced, (found) => (/\d/.test(found) ? replaced(found) : found))
  // The end of a date that was passed over, so that its last part is not taken for a word of its own.
  let passed = 0
  return masked.replace(word, (found, at: number) => {
    moment.lastIndex = at
    const date = moment.exec(masked)?.[0]
    if (date !== undefined) passed = at + date.length
    return at < passed || !looksLikeCode(found, patterns) ? found : replaced(found)
  })
}
