// Sends the deliveries in the outbox, at most four at once, until each is delivered or given up.
import type { Clock } from '../../contract/clock.ts'
import type { Lookup } from './address.ts'
import type { ClaimedDelivery, Deliveries } from './deliveries.ts'
import { createSignatureHeaders } from './signature.ts'

type Options = {
  readonly deliveries: Deliveries
  readonly clock: Clock
  readonly secret?: string
  /** Allowed hosts in addition to loopback, each normalised by `parseHost`. */
  readonly allowed: ReadonlySet<string>
  readonly lookup?: Lookup
  readonly timeoutMs?: number
  /** The time that is signed. Receivers compare it with their own, and `clock` may be ahead. */
  readonly wallTime?: () => number
}

type Outcome = { readonly status?: number; readonly error?: string; readonly canRetry: boolean }

const maxConcurrent = 4
// A claim must outlast its attempt.
const leaseMarginMs = 15_000
// Another process can add deliveries to the same outbox without notice.
const maxSleepMs = 10_000
const defaultTimeoutMs = 15_000

const lookupBySystem: Lookup = async (host, options) =>
  (await import('node:dns')).promises.lookup(host, options)

export const createWebhooks = (options: Options) => {
  const { deliveries, clock, timeoutMs = defaultTimeoutMs } = options
  const attemptDelivery = createAttempts(options)
  const running = new Map<string, Promise<void>>()
  let defect: { readonly error: unknown } | undefined
  let endSleep = () => {}

  const start = (delivery: ClaimedDelivery) => {
    const attempt = attemptDelivery(delivery)
      .catch((error: unknown) => {
        defect ??= { error }
      })
      .finally(() => {
        running.delete(delivery.id)
        endSleep()
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

  const sleepUntilDue = async (): Promise<void> => {
    const sleep = new AbortController()
    endSleep = () => sleep.abort()
    const next = running.size < maxConcurrent ? deliveries.findNextDue(running.keys()) : undefined
    const ms = next === undefined ? maxSleepMs : next - clock.now()
    await clock.sleep(Math.min(Math.max(ms, 0), maxSleepMs), sleep.signal)
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
      const stop = () => endSleep()
      signal.addEventListener('abort', stop)
      try {
        while (!signal.aborted && defect === undefined) {
          startDue()
          await sleepUntilDue()
        }
      } finally {
        signal.removeEventListener('abort', stop)
        await finish()
      }
    },

    /** Checks the outbox now. */
    wake(): void {
      endSleep()
    },
  }
}

/** Returns a function that sends a delivery once and records the attempt. */
const createAttempts = ({
  deliveries,
  clock,
  secret,
  allowed,
  lookup = lookupBySystem,
  timeoutMs = defaultTimeoutMs,
  wallTime = Date.now,
}: Options) => {
  const createHeaders = ({ id, payload }: ClaimedDelivery): Record<string, string> => ({
    'content-type': 'application/json',
    'user-agent': 'orderctl',
    ...(secret === undefined ? {} : createSignatureHeaders({ id, at: wallTime(), body: payload }, secret)),
  })

  const send = async (
    delivery: ClaimedDelivery,
    timeout: Promise<null>,
    timeoutSignal: AbortSignal,
  ): Promise<Outcome> => {
    const timedOut = { error: `timed out after ${timeoutMs / 1000} s`, canRetry: true }
    // Loaded with the first delivery, because the sandbox of a command sends none.
    const { resolveTarget } = await import('./address.ts')
    const { post } = await import('./post.ts')
    const target = await Promise.race([resolveTarget(delivery.url, allowed, lookup), timeout])
    if (target === null) return timedOut
    if ('refused' in target) return { error: target.refused, canRetry: false }
    if ('unresolved' in target) return { error: target.unresolved, canRetry: true }
    const answer = await post(target, createHeaders(delivery), delivery.payload, timeoutSignal)
    if ('error' in answer) return timeoutSignal.aborted ? timedOut : { ...answer, canRetry: true }
    const isRedirect = answer.status >= 300 && answer.status <= 399
    return { ...answer, ...(isRedirect ? { error: 'redirect not followed' } : {}), canRetry: true }
  }

  return async (delivery: ClaimedDelivery): Promise<void> => {
    const at = clock.now()
    const startedAt = wallTime()
    const sent = new AbortController()
    const timedOut = new AbortController()
    const timeout = clock.sleep(timeoutMs, sent.signal).then(() => {
      timedOut.abort()
      return null
    })
    const { canRetry, ...outcome } = await send(delivery, timeout, timedOut.signal).finally(() =>
      sent.abort(),
    )
    deliveries.record(delivery, { at, ...outcome, ms: Math.max(0, wallTime() - startedAt) }, canRetry)
  }
}
