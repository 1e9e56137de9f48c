// Decides whether a terminal shows more than ASCII.

type Variables = Readonly<Record<string, string | undefined>>

/** Whether the locale is UTF-8, by the POSIX order of variables. */
export const supportsUnicode = ({ TERM, LC_ALL, LC_CTYPE, LANG }: Variables, platform: string): boolean => {
  if (TERM === 'dumb') return false
  // Terminals on macOS and Windows support UTF-8, even without a locale.
  const isUtf8 = platform === 'darwin' || platform === 'win32'
  return isUtf8 || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')
}
