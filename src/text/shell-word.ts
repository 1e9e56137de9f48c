// Quotes a text for a command that a user may paste into a shell. Order ids come from the service and may hold anything.

export const quoteShellWord = (text: string): string =>
  /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
