// Determines the reader's time zone from TZ.

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
