// orderctl __probe-lock FILE: prints whether the file is locked, for the orderctl that started this process.
import type { Context } from '../../context.ts'
import { isLocked, probeResults } from '../../journal/location/check-location.ts'

export const probeLock = (context: Context, file: string): void =>
  context.stdout.write(isLocked(file) ? probeResults.locked : probeResults.free)
