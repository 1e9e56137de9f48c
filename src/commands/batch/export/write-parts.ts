// Writes the parts of a large file, with pauses in which Ctrl-C and the waiting line work.
import type { Clock } from '../../../contract/clock.ts'
import { interruption } from '../../../operations/read.ts'

const busyMs = 50

export const stopIfInterrupted = (interrupted: AbortSignal): void => {
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; no file was written')
}

/** Throws after Ctrl-C. */
export async function* withPauses(
  parts: Iterable<string>,
  { clock, interrupted }: { readonly clock: Clock; readonly interrupted: AbortSignal },
): AsyncGenerator<string> {
  let pausedAt = clock.monotonic()
  for (const part of parts) {
    if (clock.monotonic() - pausedAt >= busyMs) {
      await clock.sleep(0, interrupted)
      pausedAt = clock.monotonic()
    }
    stopIfInterrupted(interrupted)
    yield part
  }
}
