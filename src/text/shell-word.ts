// Quotes a text for a command that a user may paste into a shell. Order ids come from the service and may contain
// anything.

/**
 * For bash, zsh and fish. Between single quotes, fish reads a backslash differently, and zsh may read two quotes as
 * one. So both characters are outside of the quotes.
 */
export const quoteShellWord = (text: string): string => {
  // A word that ends like a clause is quoted, because messages wrap after a clause.
  if (/^[\w./@:,+-][\w./@:,+=%-]*(?<![.,])$/.test(text)) return text
  return text === ''
    ? "''"
    : text.replaceAll(/[^'\\]+|['\\]/g, (part) => (/['\\]/.test(part) ? `\\${part}` : `'${part}'`))
}
