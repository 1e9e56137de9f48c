// Text of others, made fit for a terminal: no escape sequence, no control, nothing that hides or reorders.

// Controls, line and paragraph separators, lone surrogates, and all that is not seen: bidi controls, zero-width
// and other invisible marks. The two variation selectors that choose between an emoji and its plain form pass.
const unsafe = /[[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]--[\ufe0e\ufe0f]]/gv

// Most text is: the other pattern takes milliseconds to compile.
const plain = /^[\n\x20-\x7e]*$/

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** On one line; what was taken out shows as an escape. */
export const safeText = (text: string): string =>
  plain.test(text) && !text.includes('\n') ? text : text.replace(unsafe, escaped)

/** The same over several lines: the breaks between them stay. */
export const safeLines = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => safeText(line.replaceAll('\t', '  ')))
    .join('\n')

/** A JSON text with the same meaning: what is unsafe, which can stand in its strings alone, as JSON escapes it. */
export const safeJson = (json: string): string => (plain.test(json) ? json : json.replace(unsafe, asUnits))

const asUnits = (character: string): string => {
  if (character === '\n') return character
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
