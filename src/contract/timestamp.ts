// Moments: as the service writes them (section 2.1), and as errors name them.
import type { Timestamp } from './schemas.ts'

/** Since the UNIX epoch. */
export const millisecondsOf = ({ _seconds, _nanoseconds }: Timestamp): number =>
  _seconds * 1000 + Math.floor(_nanoseconds / 1_000_000)

/** As an error names a moment: exact, and in the same zone for everyone. */
export const momentText = (ms: number): string => {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString().replace(/\.\d+Z$/, 'Z')
}
