// Text from the service on a terminal: made safe, so that it cannot control the terminal, hide or reorder anything; then
// measured, cut and wrapped by columns. These functions take text that is safe, and without colour unless they say otherwise.

import { createRequire } from 'node:module'
import { stripVTControlCharacters } from 'node:util'

// Control characters, line and paragraph separators, lone surrogates, bidi controls and invisible characters. The two
// variation selectors that choose between an emoji and its text form are allowed.
const unsafe = /[[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\ufe0e\ufe0f]]/gv

// Checked first: `unsafe` takes milliseconds to compile, and most text is plain.
const plain = /^[\n\x20-\x7e]*$/

/** One line. Unsafe characters are shown as escapes. */
export const sanitize = (text: string): string =>
  plain.test(text) && !text.includes('\n')
    ? text
    : text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** Keeps the line breaks. */
export const safeLines = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => sanitize(line.replaceAll('\t', '  ')))
    .join('\n')

/** JSON with the same meaning. Unsafe characters occur only in its strings, and become JSON escapes. */
export const sanitizeJson = (json: string): string =>
  plain.test(json) ? json : json.replace(unsafe, escapeForJson)

const escapeForJson = (character: string): string => {
  if (character === '\n') return character
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

// Loaded only when needed: string-width takes 30 ms to load, and most text has one column a character.
const require = createRequire(import.meta.url)
const stringWidth = (text: string): number =>
  (require('string-width') as typeof import('string-width')).default(text)

// ASCII, Latin letters, and the symbols that the screens use.
const isPlain =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u20ac\u2190-\u2193\u2212\u2500-\u259f\u25cb\u2713\u2717\u2800-\u28ff]*$/

export const widthOf = (text: string): number => (isPlain.test(text) ? text.length : stringWidth(text))

/** Measures a text that may contain colours. */
export const visibleWidth = (text: string): number => widthOf(stripVTControlCharacters(text))

let segmenter: Intl.Segmenter | undefined
const splitGraphemes = (text: string): string[] => {
  if (isPlain.test(text)) return [...text]
  segmenter ??= new Intl.Segmenter('en')
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** The start of the text that fits, but at least one character, so that `splitWord` ends. */
const takeStart = (text: string, width: number): string => {
  const [first = '', ...others] = splitGraphemes(text)
  let start = first
  let left = width - widthOf(first)
  for (const grapheme of others) {
    left -= widthOf(grapheme)
    if (left < 0) break
    start += grapheme
  }
  return start
}

/** Ends with … if something is cut off. */
export const cutText = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const start = takeStart(text, width - 1)
  return widthOf(start) < width ? `${start}…` : '…'
}

const splitWord = (word: string, width: number): string[] => {
  const pieces: string[] = []
  let rest = word
  while (widthOf(rest) > width) {
    const piece = takeStart(rest, width)
    if (piece === rest) break
    pieces.push(piece)
    rest = rest.slice(piece.length)
  }
  return [...pieces, rest]
}

type Split = (text: string, width: number) => string[]

/** Keeps the indentation of the line on each of its parts. */
const wrapLine = (line: string, width: number, split: Split): string[] => {
  if (widthOf(line) <= width) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ''
  const left = Math.max(1, width - indent.length)
  const lines: string[] = []
  let current = ''
  for (const part of split(line.trim(), left)) {
    const longer = current === '' ? part : `${current} ${part}`
    if (current !== '' && widthOf(longer) > left) {
      lines.push(current)
      current = part
    } else current = longer
  }
  return [...lines, current].map((each) => (each === '' ? '' : `${indent}${each}`))
}

/** For table cells: also breaks words that are wider than the cell. */
export const wrapCell = (text: string, width: number): string[] => {
  const split: Split = (words, left) => words.split(/ +/).flatMap((word) => splitWord(word, left))
  return text.split('\n').flatMap((line) => wrapLine(line, width, split))
}

export const widthOfPaths = (text: string): number =>
  (text.match(/\S*[/\\]\S*/g) ?? []).reduce((most, path) => Math.max(most, widthOf(path)), 0)

/** Like wrapCell, but never breaks a URL or path, so that users can copy it. */
export const wrapAroundPaths = (text: string, width: number): string[] =>
  wrapCell(text, Math.max(width, widthOfPaths(text)))

// A command to type: everything after `: orderctl`, or at the start, up to the end of its sentence or clause. A quoted
// value may contain such an end, and outside quotes, a backslash precedes a quote.
const wordOrCommand = /(?<=: |, or |^)orderctl (?:'[^']*'|\\?.)*?(?:[.,;](?= )|$)|[^ ]+/g

/**
 * For prose: breaks between words only. A longer word or command overflows the line, and the terminal wraps it, so that
 * a copied id, URL or command has no line break in it.
 */
export const wrapProse = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapLine(line, width, (words) => words.match(wordOrCommand) ?? []))
