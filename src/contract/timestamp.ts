// Section 2.1: a moment as the service writes it.
import type { Timestamp } from './schemas.ts'

/** Since the UNIX epoch. */
export const millisecondsOf = ({ _seconds, _nanoseconds }: Timestamp): number =>
  _seconds * 1000 + Math.floor(_nanoseconds / 1_000_000)
