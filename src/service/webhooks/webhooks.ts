// Sends the deliveries in the outbox, at most four at once, until each is delivered or given up.
import { type Clock, createAlarm } from '../../contract/clock.ts'
import { type AttemptOptions, createAttempts, defaultTimeoutMs } from './attempts.ts'
import type { ClaimedDelivery, Deliveries } from './deliveries.ts'

type Options = AttemptOptions & { readonly deliveries: Deliveries; readonly clock: Clock }

const maxConcurrent = 4
// A claim must outlast its attempt.
const leaseMarginMs = 15_000
// Another process can add deliveries to the same outbox without notice.
const maxSleepMs = 10_000

export const createWebhooks = (options: Options) => {
  const { deliveries, clock, timeoutMs = defaultTimeoutMs } = options
  const attemptDelivery = createAttempts(options)
  const running = new Map<string, Promise<void>>()
  let defect: { readonly error: unknown } | undefined
  const alarm = createAlarm(clock)

  const start = (delivery: ClaimedDelivery) => {
    const attempt = attemptDelivery(delivery)
      .catch((error: unknown) => {
        defect ??= { error }
      })
      .finally(() => {
        running.delete(delivery.id)
        alarm.ring()
      })
    running.set(delivery.id, attempt)
  }

  // Running deliveries are excluded, because their claims seem expired if the clock is advanced.
  const startDue = () => {
    const free = maxConcurrent - running.size
    if (free === 0 || defect !== undefined) return
    const due = deliveries.claimDue(clock.now(), timeoutMs + leaseMarginMs, free, running.keys())
    due.forEach(start)
  }

  const finish = async (): Promise<void> => {
    await Promise.all(running.values())
    if (defect !== undefined) throw defect.error
  }

  const sleepUntilDue = async (signal: AbortSignal): Promise<void> => {
    const next = running.size < maxConcurrent ? deliveries.findNextDue(running.keys()) : undefined
    const ms = next === undefined ? maxSleepMs : next - clock.now()
    await alarm.sleep(Math.min(Math.max(ms, 0), maxSleepMs), signal)
  }

  return {
    /** Sends the deliveries that are due now. After an abort it only finishes the running ones. */
    async deliverDue(signal?: AbortSignal): Promise<void> {
      for (;;) {
        if (!signal?.aborted) startDue()
        if (running.size === 0) break
        await Promise.race(running.values())
      }
      await finish()
    },

    /** Sends deliveries when they are due, until aborted. Rejects only if the outbox fails. */
    async run(signal: AbortSignal): Promise<void> {
      try {
        while (!signal.aborted && defect === undefined) {
          startDue()
          await sleepUntilDue(signal)
        }
      } finally {
        await finish()
      }
    },

    /** Checks the outbox now. */
    wake: alarm.ring,
  }
}
