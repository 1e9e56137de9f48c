// orderctl __probe-lock FILE: tells the orderctl that started it whether it sees that orderctl's lock.
import type { Context } from '../../context.ts'
import { isLocked, probeAnswers } from '../../journal/lock-probe.ts'

export const probeLock = (context: Context, file: string): void =>
  context.stdout.write(isLocked(file) ? probeAnswers.locked : probeAnswers.free)
