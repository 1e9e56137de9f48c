// Sends a delivery once, records the attempt and reports it.

import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { builtin } from '../../builtin.ts'
import { type Clock, DeadlineError, unlessAborted, within } from '../../contract/clock.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../../contract/webhook-signature.ts'
import type { Lookup } from './address.ts'
import {
  type Attempt,
  type ClaimedDelivery,
  chooseRetry,
  type Deliveries,
  type DeliveryEvent,
  neverRetry,
  type RecordedAttempt,
  type RetryRule,
  retryAsUsual,
} from './deliveries.ts'

/** For the log. Without the path of the URL, which can be a secret. */
export type SeenAttempt = RecordedAttempt &
  Attempt & {
    readonly id: string
    readonly orderId: string
    readonly event: DeliveryEvent
    readonly origin: string
  }

export type AttemptOptions = {
  readonly secret?: string
  /** Allowed hosts in addition to loopback, each normalised by `parseHost`. */
  readonly allowed: ReadonlySet<string>
  readonly lookup?: Lookup
  readonly timeoutMs?: number
  /** The time that is signed. Receivers compare it with their own, and `clock` may be ahead. */
  readonly wallTime?: () => number
  readonly onAttempt?: ((attempt: SeenAttempt) => void) | undefined
}

type Options = AttemptOptions & { readonly deliveries: Deliveries; readonly clock: Clock }
type Outcome = { readonly status?: number; readonly error?: string; readonly rule: RetryRule }

export const defaultTimeoutMs = 15_000

const lookupBySystem: Lookup = async (host, options) =>
  (await import('node:dns')).promises.lookup(host, options)

/** Returns a function that sends a delivery once and records the attempt. */
export const createAttempts = ({
  deliveries,
  clock,
  secret,
  allowed,
  lookup = lookupBySystem,
  timeoutMs = defaultTimeoutMs,
  wallTime = Date.now,
  onAttempt,
}: Options) => {
  const createHeaders = ({ id, payload }: ClaimedDelivery): Record<string, string> => ({
    'content-type': 'application/json',
    'user-agent': 'orderctl',
    ...(secret === undefined ? {} : createSignatureHeaders({ id, at: wallTime(), body: payload }, secret)),
  })

  const send = async (delivery: ClaimedDelivery, limited: AbortSignal): Promise<Outcome> => {
    // Loaded with the first delivery, because the sandbox of a command sends none.
    const { resolveTarget } = await import('./address.ts')
    const [{ openDirectPool }, { post }] = await Promise.all([
      import('../../http/direct-pool.ts'),
      import('../../http/send.ts'),
    ])
    const target = await unlessAborted(limited, resolveTarget(delivery.url, allowed, lookup))
    if ('refused' in target) return { error: target.refused, rule: neverRetry }
    if ('unresolved' in target) return { error: target.unresolved, rule: retryAsUsual }
    const pool = openDirectPool(target.url.origin, { isLoopbackOnly: false, lookup: pinTo(target.addresses) })
    const delivered = { headers: Object.entries(createHeaders(delivery)), body: delivery.payload }
    const sent = await post(pool, target.url, delivered, limited)
      .catch(({ message }: Error) => message)
      .finally(() => pool.destroy())
    if (typeof sent === 'string') {
      limited.throwIfAborted()
      return { error: sent, rule: retryAsUsual }
    }
    const { status, headers } = sent
    const isRedirect = status >= 300 && status <= 399
    const rule = chooseRetry({ status, retryAfter: headers['retry-after'] }, wallTime())
    return { status, ...(isRedirect ? { error: 'redirect not followed' } : {}), rule }
  }

  return async (delivery: ClaimedDelivery): Promise<void> => {
    const at = clock.now()
    const startedAt = wallTime()
    const { rule, ...outcome } = await within(clock, timeoutMs, undefined, (limited) =>
      send(delivery, limited),
    ).catch((error): Outcome => {
      if (error instanceof DeadlineError) return { error: error.message, rule: retryAsUsual }
      throw error
    })
    const attempt = { ...outcome, ms: Math.max(0, wallTime() - startedAt) }
    const recorded = deliveries.record(delivery, { at, ...attempt }, rule)
    const { id, orderId, event, url } = delivery
    onAttempt?.({ at: startedAt, id, orderId, event, origin: findOrigin(url), ...attempt, ...recorded })
  }
}

/** Connects to the checked addresses only: a second lookup may return others. */
const pinTo =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else if (first) found(null, first.address, first.family)
  }

const findOrigin = (url: string): string => URL.parse(url)?.origin ?? ''

/** `at` is the time of the attempt, because receivers refuse timestamps that are minutes old. */
export const createSignatureHeaders = (
  { id, at, body }: { readonly id: string; readonly at: number; readonly body: string },
  secret: string,
): Record<string, string> => {
  const timestamp = String(Math.floor(at / 1000))
  const signature = builtin
    .crypto()
    .createHmac('sha256', readSecretKey(secret))
    .update(formatSignedHead(id, timestamp) + body)
    .digest('base64')
  return {
    [signatureHeaders.id]: id,
    [signatureHeaders.timestamp]: timestamp,
    [signatureHeaders.signature]: `${signatureScheme}${signature}`,
  }
}
