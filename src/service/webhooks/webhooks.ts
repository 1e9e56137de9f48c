// Sends the deliveries in the outbox, at most four at once, until each is delivered or given up.
import type { LookupFunction } from 'node:net'
import { builtin } from '../../builtin.ts'
import {
  type Clock,
  createAlarm,
  DeadlineError,
  repeat,
  unlessAborted,
  within,
} from '../../contract/time/clock.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../../contract/webhook-signature.ts'
import type { Address, Lookup } from './address.ts'
import {
  type Attempt,
  type ClaimedDelivery,
  chooseLeastDelay,
  type Deliveries,
  type Delivery,
  neverRetry,
  type RecordedAttempt,
} from './deliveries.ts'

/** For the log. Without the path of the URL, which can be a secret. */
export type SeenAttempt = RecordedAttempt & Attempt & Omit<Delivery, 'url'> & { readonly origin: string }

type Options = {
  readonly deliveries: Deliveries
  readonly clock: Clock
  readonly secret?: string | undefined
  /** Allowed hosts in addition to loopback, each normalised by `parseHost`. */
  readonly allowed: ReadonlySet<string>
  readonly lookup?: Lookup
  readonly timeoutMs?: number
  /** The signed time. Receivers compare it with their own, and `clock` may be ahead. */
  readonly wallTime: () => number
  readonly onAttempt?: ((attempt: SeenAttempt) => void) | undefined
}

const maxConcurrent = 4
// A claim must outlast its attempt.
const leaseMarginMs = 15_000
// A different process can add deliveries to the same outbox without notice.
const maxSleepMs = 10_000

export const createWebhooks = (options: Options) => {
  const { deliveries, clock, timeoutMs = 15_000, wallTime, onAttempt } = options
  const running = new Map<string, Promise<void>>()
  let defect: { readonly error: unknown } | undefined
  const alarm = createAlarm(clock)

  const attempt = async (delivery: ClaimedDelivery): Promise<void> => {
    const at = clock.now()
    const startedAt = wallTime()
    const { leastDelayMs, ...outcome } = await within(clock, timeoutMs, undefined, (limited) =>
      send(delivery, options, limited),
    ).catch((error): Outcome => {
      if (error instanceof DeadlineError) return { error: error.message }
      throw error
    })
    const result = { ...outcome, ms: Math.max(0, wallTime() - startedAt) }
    const recorded = deliveries.record(delivery, { at, ...result }, leastDelayMs)
    const { id, orderId, event, url } = delivery
    const origin = URL.parse(url)?.origin ?? ''
    onAttempt?.({ at: startedAt, id, orderId, event, origin, ...result, ...recorded })
  }

  const start = (delivery: ClaimedDelivery): void => {
    const ended = attempt(delivery)
      .catch((error: unknown) => {
        defect ??= { error }
      })
      .finally(() => {
        running.delete(delivery.id)
        alarm.ring()
      })
    running.set(delivery.id, ended)
  }

  return {
    /**
     * Sends deliveries when they are due, until aborted, and then finishes the running ones. Rejects only if the outbox
     * fails.
     */
    run: async (signal: AbortSignal): Promise<void> => {
      try {
        await repeat(alarm, signal, () => {
          if (defect !== undefined) return undefined
          const free = maxConcurrent - running.size
          const leaseMs = timeoutMs + leaseMarginMs
          // Running deliveries are excluded, because their claims seem expired if the clock is advanced.
          if (free > 0) deliveries.claimDue(clock.now(), leaseMs, free, running.keys()).forEach(start)
          const next = running.size < maxConcurrent ? deliveries.findNextDue(running.keys()) : undefined
          const ms = next === undefined ? maxSleepMs : next - clock.now()
          return Math.min(Math.max(ms, 0), maxSleepMs)
        })
      } catch (error) {
        defect ??= { error }
      }
      await Promise.all(running.values())
      if (defect !== undefined) throw defect.error
    },

    /** Checks the outbox now. */
    wake: alarm.ring,
  }
}

type Outcome = { readonly status?: number; readonly error?: string; readonly leastDelayMs?: number }

const lookupBySystem: Lookup = async (host, options) =>
  (await import('node:dns')).promises.lookup(host, options)

const send = async (
  { id, url, payload }: ClaimedDelivery,
  { secret, allowed, lookup = lookupBySystem, wallTime }: Options,
  limited: AbortSignal,
): Promise<Outcome> => {
  // Loaded with the first delivery, because a command's sandbox sends none.
  const { resolveTarget } = await import('./address.ts')
  const { openDirectPool } = await import('../../http/direct-pool.ts')
  const { post } = await import('../../http/send.ts')
  const target = await unlessAborted(limited, resolveTarget(url, allowed, lookup))
  if ('refused' in target) return { error: target.refused, leastDelayMs: neverRetry }
  if ('unresolved' in target) return { error: target.unresolved }
  const signed =
    secret === undefined ? {} : createSignatureHeaders({ id, at: wallTime(), body: payload }, secret)
  const headers = Object.entries({
    'content-type': 'application/json',
    'user-agent': 'orderctl',
    ...signed,
  })
  const pool = openDirectPool(target.url.origin, { isLoopbackOnly: false, lookup: pinTo(target.addresses) })
  try {
    const response = await post(pool, target.url, { headers, body: payload }, limited)
    const { status } = response
    const leastDelayMs = chooseLeastDelay(status, response.headers['retry-after'], wallTime())
    const isRedirect = status >= 300 && status <= 399
    return isRedirect ? { status, error: 'redirect not followed', leastDelayMs } : { status, leastDelayMs }
  } catch (error) {
    limited.throwIfAborted()
    return { error: (error as Error).message }
  } finally {
    await pool.destroy()
  }
}

/** Connects to the checked addresses only: a second lookup may return others. */
const pinTo =
  (addresses: readonly Address[]): LookupFunction =>
  (_host, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else if (first) found(null, first.address, first.family)
  }

/** `at` is the time of the attempt, because receivers refuse timestamps that are minutes old. */
export const createSignatureHeaders = (
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
  secret: string,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  const hmac = builtin.crypto().createHmac('sha256', readSecretKey(secret))
  const signature = hmac.update(formatSignedHead(id, timestamp) + body).digest('base64')
  return {
    [signatureHeaders.id]: id,
    [signatureHeaders.timestamp]: timestamp,
    [signatureHeaders.signature]: `${signatureScheme}${signature}`,
  }
}
