// What a terminal supports, and the reader's time zone, by the environment.

type Variables = Readonly<Record<string, string | undefined>>

/** Whether the locale is UTF-8, by the POSIX order of variables. */
export const supportsUnicode = ({ TERM, LC_ALL, LC_CTYPE, LANG }: Variables, platform: string): boolean => {
  if (TERM === 'dumb') return false
  // Terminals on macOS and Windows support UTF-8, even without a locale.
  const isUtf8 = platform === 'darwin' || platform === 'win32'
  return isUtf8 || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')
}

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Falls back to the machine's zone, then to UTC: TZ may hold POSIX rules (`CET-1CEST`) or a file, which Intl rejects. */
export const timeZoneOf = (given: string | undefined): string => {
  const name = (given ?? '').replace(/^:/, '')
  if (name !== '' && isZone(name)) return name
  // Undefined if TZ is invalid, although the type says otherwise.
  const own: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return own !== undefined && isZone(own) ? own : 'UTC'
}
