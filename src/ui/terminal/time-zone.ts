// The reader's time zone, from whatever stands in TZ.

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** TZ also takes rules (`CET-1CEST`) and files, which Intl does not know: the machine's own zone then, or UTC. */
export const timeZoneOf = (given: string | undefined): string => {
  const name = (given ?? '').replace(/^:/, '')
  if (name !== '' && isZone(name)) return name
  // Its type has no undefined, but it is where TZ is wrong.
  const own: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return own !== undefined && isZone(own) ? own : 'UTC'
}
