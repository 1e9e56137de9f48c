// The letters and digits of a text, apart from what stands between them.
import { getCharacterPattern } from '../../text/lookalikes.ts'

export type Letters = {
  /** Letters and digits alone, in lower case. */
  readonly letters: string
  /** Where each of them starts and ends in the text. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)
const isAsciiLetter = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)

const onlyAsciiLetters = (text: string): string => text.replaceAll(/[^A-Za-z0-9]+/g, '').toLowerCase()

// By a pattern, 40,000 codes take a second.
const asciiLettersOf = (text: string): Letters => {
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    if (!isAsciiLetter(text.charCodeAt(at))) continue
    starts.push(at)
    ends.push(at + 1)
  }
  return { letters: onlyAsciiLetters(text), starts, ends }
}

// Fullwidth letters and digits are the plain ones.
const toPlain = (character: string): string => character.normalize('NFKC').toLowerCase()

export const lettersOf = (text: string): Letters => {
  if (isAscii(text)) return asciiLettersOf(text)
  let letters = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: character, index } of text.matchAll(getCharacterPattern(text))) {
    for (const unit of toPlain(character)) {
      letters += unit
      for (let count = 0; count < unit.length; count += 1) {
        starts.push(index)
        ends.push(index + character.length)
      }
    }
  }
  return { letters, starts, ends }
}

export const onlyLetters = (text: string): string =>
  isAscii(text) ? onlyAsciiLetters(text) : lettersOf(text).letters

export const countLetters = (text: string): number => onlyLetters(text).length

/** How many characters lie between a letter and the next one. */
export const gapAfter = ({ starts, ends }: Letters, at: number): number =>
  (starts[at + 1] ?? Number.POSITIVE_INFINITY) - (ends[at] ?? 0)

/** Of a code; 0 if nothing is between its letters. */
export const widestGapIn = (code: string): number => {
  const found = lettersOf(code)
  let widest = 0
  for (let at = 0; at < found.letters.length - 1; at += 1) widest = Math.max(widest, gapAfter(found, at))
  return widest
}

export const hasDigit = (text: string): boolean => /\d/.test(text) || (!isAscii(text) && /\p{N}/u.test(text))
