// A text as one word of a line that a person may paste into a shell: the service may name its orders as it likes.

export const shellWord = (text: string): string =>
  /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
