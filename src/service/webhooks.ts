// The outbox of webhooks and the log of their attempts (order-service.md 6). Sends the deliveries, at most four at once, until
// each is delivered or given up.

import type { DatabaseSync } from 'node:sqlite'
import { builtin } from '../builtin.ts'
import { type Clock, createAlarm, DeadlineError, repeat, within } from '../contract/time.ts'
import { type HttpResponse, readRetryAfter } from '../contract/transport.ts'
import {
  formatSignedHead,
  readSecretKey,
  signatureHeaders,
  signatureScheme,
} from '../contract/webhook-signature.ts'

type DeliveryState = 'pending' | 'delivered' | 'given-up'

export type Attempt = {
  /** The start, in milliseconds since the UNIX epoch. */
  readonly at: number
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

type SentDelivery = {
  readonly id: string
  readonly orderId: string
  readonly event: 'confirmed' | 'final'
  readonly url: string
}

export type ClaimedDelivery = SentDelivery & {
  readonly payload: string
  /** The number of attempts since the delivery was created or redelivered. */
  readonly tries: number
  /** Also identifies the claim, because the next claim or redelivery changes it. */
  readonly claimedUntil: number
}

type RecordedAttempt = {
  readonly number: number
  readonly state: DeliveryState
  readonly retryInMs?: number
}

/** Without the payload, which contains redeem codes. */
export type ListedDelivery = SentDelivery & {
  readonly state: DeliveryState
  readonly attempts: readonly Attempt[]
}

export const deliveriesSchema = `
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    order_id TEXT NOT NULL,
    event TEXT NOT NULL CHECK (event IN ('confirmed', 'final')),
    url TEXT NOT NULL,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'given-up')),
    due_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    attempts TEXT NOT NULL DEFAULT '[]',
    UNIQUE (order_id, event)
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'pending';
`

// Spec silent: retries. The delays follow Standard Webhooks, but are shorter, because a tester waits for them.
const retryDelays = [1_000, 5_000, 30_000, 120_000, 600_000]

/** A delay that means: do not retry. */
export const neverRetry = Number.POSITIVE_INFINITY

/** Expects a database with the schema. Each query is one statement, and therefore atomic. */
export const openDeliveries = (database: DatabaseSync) => {
  const sql = database.createTagStore()
  return {
    /** Returns false if the outbox already contains this event of the order. */
    enqueue: ({ id, orderId, event, url, payload, at }: SentDelivery & { payload: string; at: number }) =>
      sql.run`
        INSERT INTO deliveries (id, order_id, event, url, payload, due_at)
        VALUES (${id}, ${orderId}, ${event}, ${url}, ${payload}, ${at})
        ON CONFLICT (order_id, event) DO NOTHING`.changes === 1,

    /** No other process can claim these deliveries during `leaseMs`. A crash loses none, because claims expire. */
    claimDue: (now: number, leaseMs: number, count: number, except: Iterable<string> = []) =>
      sql.all`
        UPDATE deliveries SET due_at = ${now + leaseMs}
        WHERE seq IN (
          SELECT seq FROM deliveries
          WHERE state = 'pending' AND due_at <= ${now}
            AND id NOT IN (SELECT value FROM json_each(${JSON.stringify([...except])}))
          ORDER BY due_at, seq LIMIT ${count})
        RETURNING id, order_id AS orderId, event, url, payload, tries, due_at AS claimedUntil` as ClaimedDelivery[],

    /**
     * Adds the attempt to the log, and changes the state only if the claim is still valid. `leastDelayMs` is the delay
     * that the receiver requests.
     */
    record: (
      { id, claimedUntil, tries }: ClaimedDelivery,
      attempt: Attempt,
      leastDelayMs = 0,
    ): RecordedAttempt => {
      const { at, ms, status = 0 } = attempt
      const number = tries + 1
      const retryInMs = Math.max(retryDelays[tries] ?? neverRetry, leastDelayMs)
      const hasFailed = status < 200 || status > 299
      const state = hasFailed ? (retryInMs === neverRetry ? 'given-up' : 'pending') : 'delivered'
      const dueAt = at + ms + (state === 'pending' ? retryInMs : 0)
      const text = JSON.stringify(attempt)
      const { changes } = sql.run`
        UPDATE deliveries SET
          attempts = json_insert(attempts, '$[#]', json(${text})),
          tries = ${number}, state = ${state}, due_at = ${dueAt}
        WHERE id = ${id} AND state = 'pending' AND due_at = ${claimedUntil}`
      if (changes === 0)
        sql.run`UPDATE deliveries SET attempts = json_insert(attempts, '$[#]', json(${text})) WHERE id = ${id}`
      return state === 'pending' ? { number, state, retryInMs } : { number, state }
    },

    /** The time when the next delivery is due or its claim expires. */
    findNextDue: (except: Iterable<string> = []) =>
      sql.get`
        SELECT due_at AS at FROM deliveries
        WHERE state = 'pending' AND id NOT IN (SELECT value FROM json_each(${JSON.stringify([...except])}))
        ORDER BY due_at LIMIT 1`?.at as number | undefined,

    list: ({ limit }: { readonly limit: number }): ListedDelivery[] => {
      const rows = sql.all`
        SELECT id, order_id AS orderId, event, url, state, attempts FROM deliveries ORDER BY seq DESC LIMIT ${limit}`
      return rows.map((row) => ({ ...row, attempts: JSON.parse(String(row.attempts)) }) as ListedDelivery)
    },

    /** Makes a delivery due again, even if it was delivered. Returns false if the id is unknown. */
    redeliver: (id: string, now: number): boolean =>
      sql.run`UPDATE deliveries SET state = 'pending', tries = 0, due_at = ${now} WHERE id = ${id}`
        .changes === 1,
  }
}

/** As long as the longest delay without `Retry-After`. */
const longestRetryAfterMs = 600_000

// Spec silent: the meaning of these statuses. It follows Standard Webhooks and HTTP.
/** The least delay before the next attempt. */
export const chooseLeastDelay = (response: Pick<HttpResponse, 'status' | 'headers'>, now: number): number => {
  const { status } = response
  if (status === 410) return neverRetry
  const asked = status === 429 || status === 503 ? readRetryAfter(response, now) : undefined
  return Math.min(asked ?? 0, longestRetryAfterMs)
}

/** For the log. Without the path of the URL, which can be a secret. */
export type SeenAttempt = RecordedAttempt & Attempt & Omit<SentDelivery, 'url'> & { readonly origin: string }

type Options = {
  readonly deliveries: ReturnType<typeof openDeliveries>
  readonly clock: Clock
  readonly secret?: string | undefined
  /** Allowed hosts in addition to loopback, each normalised by `parseHost`. */
  readonly allowed: ReadonlySet<string>
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

const send = async (
  { id, url, payload }: ClaimedDelivery,
  { secret, allowed, wallTime }: Options,
  limited: AbortSignal,
): Promise<Outcome> => {
  // Loaded with the first delivery, because a command's sandbox sends none.
  const { findTarget } = await import('./webhooks/address.ts')
  const { openDirectPool } = await import('../http/direct-pool.ts')
  const { post } = await import('../http/send.ts')
  const target = findTarget(url, allowed)
  if ('refused' in target) return { error: target.refused, leastDelayMs: neverRetry }
  const signed =
    secret === undefined ? {} : createSignatureHeaders({ id, at: wallTime(), body: payload }, secret)
  const headers = Object.entries({
    'content-type': 'application/json',
    'user-agent': 'orderctl',
    ...signed,
  })
  const pool = openDirectPool(target.url.origin, target)
  try {
    const response = await post(pool, target.url, { headers, body: payload }, limited)
    const { status } = response
    const leastDelayMs = chooseLeastDelay(response, wallTime())
    const isRedirect = status >= 300 && status <= 399
    return isRedirect ? { status, error: 'redirect not followed', leastDelayMs } : { status, leastDelayMs }
  } catch (error) {
    limited.throwIfAborted()
    const { message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    // A host that does not exist will not exist soon. EAI_AGAIN says that the resolver did not reply.
    return cause?.code === 'ENOTFOUND' ? { error: message, leastDelayMs: neverRetry } : { error: message }
  } finally {
    await pool.destroy()
  }
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
