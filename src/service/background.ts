// What goes on without a request: outcomes that come due, webhooks on their way.
import type { Clock } from '../contract/clock.ts'

type Parts = {
  readonly clock: Clock
  readonly nextOutcome: () => number | undefined
  readonly settleDue: () => number
  readonly webhooks: { run(signal: AbortSignal): Promise<void>; poke(): void }
}

// Another process may add to the same state without a word.
const longestNapMs = 10_000

export const createBackground = ({ clock, nextOutcome, settleDue, webhooks }: Parts) => {
  let wake = () => {}
  let wakesAt = Number.NEGATIVE_INFINITY

  const settling = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => wake(), { once: true })
    while (!signal.aborted) {
      if (settleDue() > 0) webhooks.poke()
      const woken = new AbortController()
      wake = () => woken.abort()
      const now = clock.now()
      wakesAt = Math.min(nextOutcome() ?? Number.POSITIVE_INFINITY, now + longestNapMs)
      await clock.sleep(Math.max(wakesAt - now, 0), woken.signal)
    }
  }

  return {
    /** Until aborted; what is under way then is brought to its end. Where one half fails, the other ends, too. */
    run: async (signal: AbortSignal): Promise<void> => {
      const failed = new AbortController()
      const either = AbortSignal.any([signal, failed.signal])
      const halves = [settling(either), webhooks.run(either)].map((half) =>
        half.catch((error: unknown) => {
          failed.abort()
          throw error
        }),
      )
      const ends = await Promise.allSettled(halves)
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
    /** An outcome is due at that time; most often that is no sooner than what is waited for already. */
    outcomeAt: (time: number): void => {
      if (time < wakesAt) wake()
    },
    deliver: (): void => webhooks.poke(),
    /** Anything may have become due. */
    poke: (): void => {
      wake()
      webhooks.poke()
    },
  }
}
