// The outbox of webhooks, and the log of their attempts (order-service.md 6).
import type { DatabaseSync } from 'node:sqlite'

type DeliveryState = 'pending' | 'delivered' | 'given-up'

export type Attempt = {
  /** The start, in milliseconds since the UNIX epoch. */
  readonly at: number
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

export type Delivery = {
  readonly id: string
  readonly orderId: string
  readonly event: 'confirmed' | 'final'
  readonly url: string
}

export type ClaimedDelivery = Delivery & {
  readonly payload: string
  /** The number of attempts since the delivery was created or redelivered. */
  readonly tries: number
  /** Also identifies the claim, because the next claim or redelivery changes it. */
  readonly claimedUntil: number
}

export type RecordedAttempt = {
  readonly number: number
  readonly state: DeliveryState
  readonly retryInMs?: number
}

/** Without the payload, which contains redeem codes. */
type ListedDelivery = Delivery & { readonly state: DeliveryState; readonly attempts: readonly Attempt[] }

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

/** A delay that means: do not retry. */
export const neverRetry = Number.POSITIVE_INFINITY

const readRows = (rows: unknown[]): ListedDelivery[] =>
  (rows as (Delivery & { state: DeliveryState; attempts: string })[]).map((row) => ({
    ...row,
    attempts: JSON.parse(row.attempts),
  }))

/** Expects a database with the schema. Each query is one statement, and therefore atomic. */
export const openDeliveries = (database: DatabaseSync) => {
  const sql = database.createTagStore()
  return {
    /** Returns false if the outbox already contains this event of the order. */
    enqueue: ({
      id,
      orderId,
      event,
      url,
      payload,
      at,
    }: Delivery & { payload: string; at: number }): boolean =>
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

    list: ({ limit }: { readonly limit: number }): ListedDelivery[] =>
      readRows(sql.all`
        SELECT id, order_id AS orderId, event, url, state, attempts FROM deliveries ORDER BY seq DESC LIMIT ${limit}`),

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
export const chooseLeastDelay = (status: number, retryAfter: string | undefined, now: number): number => {
  if (status === 410) return neverRetry
  if ((status !== 429 && status !== 503) || retryAfter === undefined) return 0
  // A number of seconds, or a date.
  const ms = /^\s*\d+\s*$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), longestRetryAfterMs)
}
