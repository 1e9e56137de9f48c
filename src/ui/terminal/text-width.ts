// Text by the columns that it takes on a terminal: measured, cut, wrapped. The text is safe and without colour.
import { createRequire } from 'node:module'

// Required where it is needed: its patterns take 30 ms to make, and most text here has a column a character.
const require = createRequire(import.meta.url)
const stringWidth = (text: string): number =>
  (require('string-width') as typeof import('string-width')).default(text)

// ASCII, letters of Latin, and what the screens here are drawn with.
const isPlain =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u20ac\u2190-\u2193\u2212\u2500-\u259f\u25cb\u2713\u2717\u2800-\u28ff]*$/

export const widthOf = (text: string): number => (isPlain.test(text) ? text.length : stringWidth(text))

let segmenter: Intl.Segmenter | undefined
const graphemes = (text: string): string[] => {
  if (isPlain.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter('en')
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** As much of the start as fits; at least one character, so that whoever goes on comes to an end. */
const head = (text: string, width: number): string => {
  const [first = '', ...others] = graphemes(text)
  let taken = first
  let room = width - widthOf(first)
  for (const grapheme of others) {
    room -= widthOf(grapheme)
    if (room < 0) break
    taken += grapheme
  }
  return taken
}

/** Ends in … where something is missing. */
export const cutText = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const start = head(text, width - 1)
  return widthOf(start) < width ? `${start}…` : '…'
}

const pieces = (word: string, width: number): string[] => {
  const found: string[] = []
  let rest = word
  while (widthOf(rest) > width) {
    const piece = head(rest, width)
    if (piece === rest) break
    found.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...found, rest]
}

/** Breaks between words, and within one only where it is wider than a line. */
const wrapLine = (line: string, width: number): string[] => {
  const indent = /^ */.exec(line)?.[0] ?? ''
  const room = Math.max(1, width - indent.length)
  const lines: string[] = []
  let current = ''
  for (const word of line
    .trim()
    .split(/ +/)
    .flatMap((each) => pieces(each, room))) {
    const longer = current === '' ? word : `${current} ${word}`
    if (current !== '' && widthOf(longer) > room) {
      lines.push(current)
      current = word
    } else current = longer
  }
  return [...lines, current].map((each) => (each === '' ? '' : `${indent}${each}`))
}

export const wrapText = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => (widthOf(line) <= width ? [line] : wrapLine(line, width)))
