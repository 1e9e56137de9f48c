// Quotes a text for a command that a user may paste into a shell. Order ids come from the service and may hold anything.

/**
 * For bash, zsh and fish: between single quotes, fish reads a backslash differently, and zsh may read two quotes as one,
 * so both characters stand outside of them.
 */
export const quoteShellWord = (text: string): string => {
  // A word that ends like a clause is quoted, because a command is wrapped after its clause.
  if (/^[\w./@:,+-][\w./@:,+=%-]*(?<![.,])$/.test(text)) return text
  return text === ''
    ? "''"
    : text.replaceAll(/[^'\\]+|['\\]/g, (part) => (/['\\]/.test(part) ? `\\${part}` : `'${part}'`))
}
