// Random foreign texts: hostile, genuine in many scripts, and mixed.
import * as fc from 'fast-check'

// Code points that a terminal obeys, hides or reorders, from Unicode's tables. Independent of the list in src/.
const ranges: readonly (readonly [from: number, to: number])[] = [
  // Controls, C0 and C1.
  [0x0, 0x1f],
  [0x7f, 0x9f],
  // Invisible letters, joiners and marks.
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x3164, 0x3164],
  [0x200b, 0x200f],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  // Bidi controls, line and paragraph separators.
  [0x61c, 0x61c],
  [0x2028, 0x202e],
  // Variation selectors, except the two for emoji and plain text.
  [0xfe00, 0xfe0d],
  // Lone surrogates.
  [0xd800, 0xdfff],
]

const forbiddenPoints = new Set(
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index)),
)

export const isForbidden = (point: number): boolean => forbiddenPoints.has(point)

/** The first forbidden code point of a text, or undefined. */
export const forbiddenIn = (text: string): string | undefined => {
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    if (point !== 0xa && isForbidden(point)) return `U+${point.toString(16)}`
  }
  return undefined
}

/** The text as it must be printed on one line. */
export const escapedText = (text: string): string =>
  Array.from(text, (character) => {
    const point = character.codePointAt(0) ?? 0
    return isForbidden(point) ? `\\u{${point.toString(16)}}` : character
  }).join('')

const escapeSequences = [
  '\u001b[2J',
  '\u001b[31m',
  '\u001b]0;owned\u0007',
  '\u001b]52;c;aGk=\u0007',
  '\u001bP+q\u001b\\',
]
const invisible =
  '\u202e\u2066\u2069\u061c\u200e\u200b\u200d\u2060\ufeff\u00ad\u034f\u180e\ufe00\ufe0f\u3164\u115f\u{e0041}\u{e0100}\u{1d173}\u{1bca0}'
const controls = '\r\n\t\0\b\u007f\u0085\u2028\u2029\ufff9\ufffb'
const sequences = [...escapeSequences, '\u009b2J', '\r\n', '\ud83d', '\ude00', ...invisible, ...controls]
// Special in HTML, JSON, tables, spreadsheets or shells.
const marks = [
  ...'&#27; &#x202e; &#8203 &rlm; &zwj; &amp;#27; <b> <script> </script> <!-- --> <li> <br> <td>'.split(' '),
  ...'\\u001b \\ " \' ` $(id) =1+1 @ \ue000 │ ─ … • %s {} [ ] , - . / __proto__ constructor'.split(' '),
  ...['<a href="\u001b]8;;http://x">', ' ', '  '],
]
const genuineWords = [
  'زاهرفون شحن رصيد هدايا שלום עולם שובר 世界 礼品卡 電子マネー クオルヴェイン ｶﾀｶﾅ 온새미 모바일 ไทยพาณิชย์ Подарок',
  'Ελλάδα हिन्दी தமிழ் Wozkołot Zürich naïve n\u0303 ❤️ 🎮 🇯🇵 👍🏽 ☎︎ ３０００円 １２ ﬀ Ａ 𝒜 ¥ ٢٥ e\u0301',
]
  .flatMap((words) => words.split(' '))
  .concat('€ 25')

const word = fc.constantFrom(...genuineWords)

/** Genuine text, which must stay unchanged. */
export const genuine = fc
  .array(fc.oneof(word, fc.constantFrom('a', 'Z', '7', '(', ')', ',', '!')), { minLength: 1, maxLength: 8 })
  .map((words) => words.join(' '))

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...sequences) },
  { weight: 3, arbitrary: fc.constantFrom(...marks) },
  { weight: 3, arbitrary: word },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)) },
)

export const hostile = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''))
