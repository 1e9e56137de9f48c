// Sends what the outbox holds (section 6): a few at a time, to pinned addresses, until delivered or given up.
// Spec silent: at least once, in no order; an answer of 2xx is success, and redirects are not followed.
import type { Clock } from '../../contract/clock.ts'
import type { Lookup } from './address.ts'
import type { ClaimedDelivery, Deliveries } from './deliveries.ts'
import { signatureHeaders } from './signature.ts'

type Options = {
  readonly deliveries: Deliveries
  readonly clock: Clock
  readonly secret?: string
  /** Hosts beside loopback, each as `hostName` gives it. */
  readonly allowed: ReadonlySet<string>
  readonly lookup?: Lookup
  readonly timeoutMs?: number
  /** What is signed and measured: receivers compare it with theirs, and `clock` may be ahead by hand. */
  readonly wallTime?: () => number
}

type Outcome = { readonly status?: number; readonly error?: string; readonly retry: boolean }

const atOnce = 4
// A lease outlives its attempt, which the time-out bounds.
const leaseMarginMs = 15_000
// Other processes add to the same outbox without a word.
const longestNapMs = 10_000

const systemLookup: Lookup = async (host, options) =>
  (await import('node:dns')).promises.lookup(host, options)

export const createWebhooks = ({
  deliveries,
  clock,
  secret,
  allowed,
  lookup = systemLookup,
  timeoutMs = 15_000,
  wallTime = Date.now,
}: Options) => {
  const underWay = new Map<string, Promise<void>>()
  let defect: { readonly error: unknown } | undefined
  let wake = () => {}

  const headersOf = ({ id, payload }: ClaimedDelivery): Record<string, string> => ({
    'content-type': 'application/json',
    'user-agent': 'orderctl',
    ...(secret === undefined ? {} : signatureHeaders({ id, at: wallTime(), body: payload }, secret)),
  })

  const send = async (delivery: ClaimedDelivery, expiry: Promise<null>, expired: AbortSignal) => {
    const timedOut: Outcome = { error: `timed out after ${timeoutMs / 1000} s`, retry: true }
    // Loaded with the first delivery: the sandbox of a command makes none.
    const { resolveTarget } = await import('./address.ts')
    const { post } = await import('./post.ts')
    const target = await Promise.race([resolveTarget(delivery.url, allowed, lookup), expiry])
    if (target === null) return timedOut
    if ('refused' in target) return { error: target.refused, retry: false }
    if ('unresolved' in target) return { error: target.unresolved, retry: true }
    const answer = await post(target, headersOf(delivery), delivery.payload, expired)
    if ('error' in answer) return expired.aborted ? timedOut : { ...answer, retry: true }
    const redirect = answer.status >= 300 && answer.status <= 399
    return { ...answer, ...(redirect ? { error: 'redirect not followed' } : {}), retry: true }
  }

  const attempt = async (delivery: ClaimedDelivery): Promise<void> => {
    const at = clock.now()
    const began = wallTime()
    const ended = new AbortController()
    const expired = new AbortController()
    const expiry = clock.sleep(timeoutMs, ended.signal).then(() => {
      expired.abort()
      return null
    })
    const sending: Promise<Outcome> = send(delivery, expiry, expired.signal)
    const { retry, ...outcome } = await sending.finally(() => ended.abort())
    deliveries.record(delivery, { at, ...outcome, ms: Math.max(0, wallTime() - began) }, retry)
  }

  const start = (delivery: ClaimedDelivery) => {
    const ending = attempt(delivery)
      .catch((error: unknown) => {
        defect ??= { error }
      })
      .finally(() => {
        underWay.delete(delivery.id)
        wake()
      })
    underWay.set(delivery.id, ending)
  }

  // What is under way is not claimed again: its lease may seem over when the clock is advanced by hand.
  const fill = () => {
    const free = atOnce - underWay.size
    if (free === 0 || defect !== undefined) return
    const due = deliveries.claimDue(clock.now(), timeoutMs + leaseMarginMs, free, underWay.keys())
    due.forEach(start)
  }

  const finish = async (): Promise<void> => {
    await Promise.all(underWay.values())
    if (defect !== undefined) throw defect.error
  }

  const nap = async (): Promise<void> => {
    const woken = new AbortController()
    wake = () => woken.abort()
    const next = underWay.size < atOnce ? deliveries.nextDue(underWay.keys()) : undefined
    const ms = next === undefined ? longestNapMs : next - clock.now()
    await clock.sleep(Math.min(Math.max(ms, 0), longestNapMs), woken.signal)
  }

  return {
    /** Delivers what is due now; after an abort only what is under way. */
    async deliverDue(signal?: AbortSignal): Promise<void> {
      for (;;) {
        if (!signal?.aborted) fill()
        if (underWay.size === 0) break
        await Promise.race(underWay.values())
      }
      await finish()
    },

    /** Delivers all when it is due, until aborted; rejects only where the outbox itself fails. */
    async run(signal: AbortSignal): Promise<void> {
      const stop = () => wake()
      signal.addEventListener('abort', stop)
      try {
        while (!signal.aborted && defect === undefined) {
          fill()
          await nap()
        }
      } finally {
        signal.removeEventListener('abort', stop)
        await finish()
      }
    },

    /** Something was added or redelivered, or the clock was advanced: look now. */
    poke(): void {
      wake()
    },
  }
}
