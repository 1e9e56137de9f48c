// The outbox of webhooks, and the log of their attempts (order-service.md 6).
import type { DatabaseSync } from 'node:sqlite'

export type DeliveryEvent = 'confirmed' | 'final'
type DeliveryState = 'pending' | 'delivered' | 'given-up'

export type Attempt = {
  /** The start, in milliseconds since the UNIX epoch. */
  readonly at: number
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

type NewDelivery = {
  readonly id: string
  readonly orderId: string
  readonly event: DeliveryEvent
  readonly url: string
  readonly payload: string
  readonly at: number
}

export type ClaimedDelivery = {
  readonly id: string
  readonly orderId: string
  readonly event: DeliveryEvent
  readonly url: string
  readonly payload: string
  /** The number of attempts since the delivery was created or redelivered. */
  readonly tries: number
  /** Also identifies the claim, because the next claim or redelivery changes it. */
  readonly claimedUntil: number
}

/** What an attempt led to. */
export type RecordedAttempt = {
  readonly number: number
  readonly state: DeliveryState
  readonly retryInMs?: number
}

/** Without the payload, which contains redeem codes. */
type ListedDelivery = {
  readonly id: string
  readonly orderId: string
  readonly event: DeliveryEvent
  readonly url: string
  readonly state: DeliveryState
  readonly attempts: readonly Attempt[]
}

export type Deliveries = ReturnType<typeof openDeliveries>

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

/** The delay after the failed attempt `number` (from 1). Undefined after the last attempt. */
const findRetryDelay = (number: number): number | undefined => retryDelays[number - 1]

const isDelivered = ({ status = 0 }: Attempt): boolean => status >= 200 && status <= 299

const readRows = (rows: unknown[]): ListedDelivery[] =>
  (rows as (Omit<ListedDelivery, 'attempts'> & { attempts: string })[]).map((row) => ({
    ...row,
    attempts: JSON.parse(row.attempts) as Attempt[],
  }))

/** Expects a database with the schema. Each query is one statement, and therefore atomic. */
export const openDeliveries = (database: DatabaseSync) => {
  const insert = database.prepare(`
    INSERT INTO deliveries (id, order_id, event, url, payload, due_at)
    VALUES ($id, $orderId, $event, $url, $payload, $at)
    ON CONFLICT (order_id, event) DO NOTHING`)
  const claim = database.prepare(`
    UPDATE deliveries SET due_at = $claimedUntil
    WHERE seq IN (
      SELECT seq FROM deliveries
      WHERE state = 'pending' AND due_at <= $now AND id NOT IN (SELECT value FROM json_each($except))
      ORDER BY due_at, seq LIMIT $count)
    RETURNING id, order_id AS orderId, event, url, payload, tries, due_at AS claimedUntil`)
  const settle = database.prepare(`
    UPDATE deliveries SET
      attempts = json_insert(attempts, '$[#]', json($attempt)),
      tries = $tries, state = $state, due_at = $dueAt
    WHERE id = $id AND state = 'pending' AND due_at = $claimedUntil`)
  const addAttempt = database.prepare(`
    UPDATE deliveries SET attempts = json_insert(attempts, '$[#]', json($attempt)) WHERE id = $id`)
  const next = database.prepare(`
    SELECT due_at AS dueAt FROM deliveries
    WHERE state = 'pending' AND id NOT IN (SELECT value FROM json_each($except))
    ORDER BY due_at LIMIT 1`)
  const listed = 'SELECT id, order_id AS orderId, event, url, state, attempts FROM deliveries'
  const newest = database.prepare(`${listed} ORDER BY seq DESC LIMIT $limit`)
  const ofOrder = database.prepare(`${listed} WHERE order_id = ? ORDER BY seq DESC`)
  const restart = database.prepare(`
    UPDATE deliveries SET state = 'pending', tries = 0, due_at = $now WHERE id = $id`)

  return {
    /** Returns false if the outbox already has this event of the order. */
    enqueue(delivery: NewDelivery): boolean {
      return insert.run(delivery).changes === 1
    },

    /** No other process can claim these deliveries during `leaseMs`. A crash loses none, because claims expire. */
    claimDue(now: number, leaseMs: number, count: number, except: Iterable<string> = []): ClaimedDelivery[] {
      const values = { now, claimedUntil: now + leaseMs, count, except: JSON.stringify([...except]) }
      return claim.all(values) as ClaimedDelivery[]
    },

    /** Adds the attempt to the log, and changes the state only if the claim is still valid. */
    record(delivery: ClaimedDelivery, attempt: Attempt, rule = retryAsUsual): RecordedAttempt {
      const { id, claimedUntil } = delivery
      const tries = delivery.tries + 1
      const end = attempt.at + attempt.ms
      const delay = rule.canRetry ? findRetryDelay(tries) : undefined
      const state = isDelivered(attempt) ? 'delivered' : delay === undefined ? 'given-up' : 'pending'
      const retryInMs = state === 'pending' ? Math.max(delay ?? 0, rule.leastDelayMs) : 0
      const text = JSON.stringify(attempt)
      const values = { id, claimedUntil, tries, state, dueAt: end + retryInMs, attempt: text }
      if (settle.run(values).changes === 0) addAttempt.run({ id, attempt: text })
      return { number: tries, state, ...(state === 'pending' ? { retryInMs } : {}) }
    },

    /** The time at which the next delivery is due or its claim expires. */
    findNextDue(except: Iterable<string> = []): number | undefined {
      return (next.get({ except: JSON.stringify([...except]) }) as { dueAt: number } | undefined)?.dueAt
    },

    list: ({ limit }: { readonly limit: number }): ListedDelivery[] => readRows(newest.all({ limit })),
    listOf: (orderId: string): ListedDelivery[] => readRows(ofOrder.all(orderId)),

    /** Makes a delivery due again, even if it was delivered. Returns false if the id is unknown. */
    redeliver(id: string, now: number): boolean {
      return restart.run({ id, now }).changes === 1
    },
  }
}

/** After a failed attempt. `leastDelayMs` is what the receiver asks for. */
export type RetryRule = { readonly canRetry: boolean; readonly leastDelayMs: number }

export const retryAsUsual: RetryRule = { canRetry: true, leastDelayMs: 0 }
export const neverRetry: RetryRule = { canRetry: false, leastDelayMs: 0 }

/** As long as the longest delay without `Retry-After`. */
const longestRetryAfterMs = 600_000

type TargetResponse = { readonly status: number; readonly retryAfter: string | undefined }

// Spec silent: the meaning of these statuses. It is that of Standard Webhooks, and of HTTP.
export const chooseRetry = ({ status, retryAfter = '' }: TargetResponse, now: number): RetryRule => {
  if (status === 410) return neverRetry
  if (status !== 429 && status !== 503) return retryAsUsual
  return {
    canRetry: true,
    leastDelayMs: Math.min(readRetryAfter(retryAfter.trim(), now), longestRetryAfterMs),
  }
}

/** `Retry-After` is a number of seconds, or a date. */
const readRetryAfter = (value: string, now: number): number => {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0)
}
