// The outbox: what is to be sent to webhook addresses (section 6), and the log of each attempt.
import type { DatabaseSync } from 'node:sqlite'

type DeliveryEvent = 'confirmed' | 'final'

export type Attempt = {
  /** When it began, in milliseconds since the UNIX epoch. */
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
  readonly url: string
  readonly payload: string
  /** Attempts so far, counted anew from a redelivery. */
  readonly tries: number
  /** Also the claim's token: whoever claims or redelivers it next moves it. */
  readonly claimedUntil: number
}

/** Without the payload: it holds redeem codes. */
export type ListedDelivery = {
  readonly id: string
  readonly orderId: string
  readonly event: DeliveryEvent
  readonly url: string
  readonly state: 'pending' | 'delivered' | 'given-up'
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

// Spec silent: retried as Standard Webhooks advises, but over minutes, as somebody waits at a terminal.
const delays = [1_000, 5_000, 30_000, 120_000, 600_000]

/** How long to wait after attempt `number` (from 1) has failed; undefined: give up. */
export const backoff = (number: number): number | undefined => delays[number - 1]

const isDelivered = ({ status = 0 }: Attempt): boolean => status >= 200 && status <= 299

/** The queries on a database that has the schema. Each is one statement, so each is atomic by itself. */
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
    RETURNING id, url, payload, tries, due_at AS claimedUntil`)
  const settle = database.prepare(`
    UPDATE deliveries SET
      attempts = json_insert(attempts, '$[#]', json($attempt)),
      tries = $tries, state = $state, due_at = $dueAt
    WHERE id = $id AND state = 'pending' AND due_at = $claimedUntil`)
  const note = database.prepare(`
    UPDATE deliveries SET attempts = json_insert(attempts, '$[#]', json($attempt)) WHERE id = $id`)
  const next = database.prepare(`
    SELECT due_at AS dueAt FROM deliveries
    WHERE state = 'pending' AND id NOT IN (SELECT value FROM json_each($except))
    ORDER BY due_at LIMIT 1`)
  const newest = database.prepare(`
    SELECT id, order_id AS orderId, event, url, state, attempts FROM deliveries
    ORDER BY seq DESC LIMIT $limit`)
  const restart = database.prepare(`
    UPDATE deliveries SET state = 'pending', tries = 0, due_at = $now WHERE id = $id`)

  return {
    /** False where the order's event is in the outbox already. */
    enqueue(delivery: NewDelivery): boolean {
      return insert.run(delivery).changes === 1
    },

    /** Nobody else gets these before `leaseMs` are over; then anybody does, so that a killed process loses none. */
    claimDue(now: number, leaseMs: number, count: number, except: Iterable<string> = []): ClaimedDelivery[] {
      const values = { now, claimedUntil: now + leaseMs, count, except: JSON.stringify([...except]) }
      return claim.all(values) as ClaimedDelivery[]
    },

    /** A claim that has lapsed or was redelivered meanwhile adds to the log, and decides nothing. */
    record(delivery: ClaimedDelivery, attempt: Attempt, retry = true): void {
      const { id, claimedUntil } = delivery
      const tries = delivery.tries + 1
      const end = attempt.at + attempt.ms
      const delay = retry ? backoff(tries) : undefined
      const state = isDelivered(attempt) ? 'delivered' : delay === undefined ? 'given-up' : 'pending'
      const text = JSON.stringify(attempt)
      const values = { id, claimedUntil, tries, state, dueAt: end + (delay ?? 0), attempt: text }
      if (settle.run(values).changes === 0) note.run({ id, attempt: text })
    },

    /** When the next one is due or its claim lapses. */
    nextDue(except: Iterable<string> = []): number | undefined {
      return (next.get({ except: JSON.stringify([...except]) }) as { dueAt: number } | undefined)?.dueAt
    },

    list({ limit }: { readonly limit: number }): ListedDelivery[] {
      const rows = newest.all({ limit }) as (Omit<ListedDelivery, 'attempts'> & { attempts: string })[]
      return rows.map((row) => ({ ...row, attempts: JSON.parse(row.attempts) as Attempt[] }))
    },

    /** Makes any delivery due again, also a delivered one; false where there is none of that id. */
    redeliver(id: string, now: number): boolean {
      return restart.run({ id, now }).changes === 1
    },
  }
}
