// Makes text from the service safe for a terminal, so that it cannot control the terminal, hide or reorder anything.

// Control characters, line and paragraph separators, lone surrogates, bidi controls and invisible characters. The two
// variation selectors that choose between an emoji and its text form are allowed.
const unsafe = /[[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\ufe0e\ufe0f]]/gv

// Checked first: `unsafe` takes milliseconds to compile, and most text is plain.
const plain = /^[\n\x20-\x7e]*$/

const escapeCharacter = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** One line. Unsafe characters are shown as escapes. */
export const sanitize = (text: string): string =>
  plain.test(text) && !text.includes('\n') ? text : text.replace(unsafe, escapeCharacter)

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
