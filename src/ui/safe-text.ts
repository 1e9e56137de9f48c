// Text of others, made fit for a terminal: no escape sequence, no control, nothing that hides or reorders.

// Controls, line and paragraph separators, bidi controls, zero-width and other invisible marks, lone surrogates.
const unsafe =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** On one line; what was taken out shows as an escape. */
export const safeText = (text: string): string =>
  text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
