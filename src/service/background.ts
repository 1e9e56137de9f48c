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

  const settling = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => wake(), { once: true })
    while (!signal.aborted) {
      if (settleDue() > 0) webhooks.poke()
      const woken = new AbortController()
      wake = () => woken.abort()
      const wait = (nextOutcome() ?? Number.POSITIVE_INFINITY) - clock.now()
      await clock.sleep(Math.min(Math.max(wait, 0), longestNapMs), woken.signal)
    }
  }

  return {
    /** Until aborted; what is under way then is brought to its end. */
    run: async (signal: AbortSignal): Promise<void> => {
      await Promise.all([settling(signal), webhooks.run(signal)])
    },
    /** Something may have become due. */
    poke: (): void => {
      wake()
      webhooks.poke()
    },
  }
}
