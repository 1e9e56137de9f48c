// The outbox of webhooks: claims, attempts and redeliveries.
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  type ClaimedDelivery,
  chooseLeastDelay,
  deliveriesSchema,
  neverRetry,
  openDeliveries,
} from '../../../src/service/webhooks/deliveries.ts'

const lease = 20_000

const createDelivery = (
  id: string,
  at = 0,
  orderId = `order-${id}`,
  event: 'confirmed' | 'final' = 'confirmed',
) => ({
  ...{ id, orderId, event, at },
  url: `http://127.0.0.1:1/${id}`,
  payload: `{"code":"SECRET-${id}"}`,
})

const openOutbox = (...ids: string[]) => {
  const database = new DatabaseSync(':memory:')
  database.exec(deliveriesSchema)
  const deliveries = openDeliveries(database)
  for (const id of ids) deliveries.enqueue(createDelivery(id))
  return deliveries
}

const expectedClaim = (id: string, claimedUntil: number, tries = 0): ClaimedDelivery => {
  const { orderId, event, url, payload } = createDelivery(id)
  return { id, orderId, event, url, payload, tries, claimedUntil }
}

const expectedEntry = (id: string, state: string, attempts: Attempt[] = []) => {
  const { orderId, event, url } = createDelivery(id)
  return { id, orderId, event, url, state, attempts }
}

const ok = (at: number): Attempt => ({ at, status: 200, ms: 5 })
const failed = (at: number): Attempt => ({ at, status: 500, ms: 5 })

/** Claims the only delivery that is due, and fails if their number differs. */
const claimOne = (deliveries: ReturnType<typeof openOutbox>, now: number): ClaimedDelivery => {
  const claims = deliveries.claimDue(now, lease, 10)
  const [only] = claims
  if (only === undefined || claims.length > 1) throw new Error(`expected 1 claim, got ${claims.length}`)
  return only
}

describe('the outbox', () => {
  test('lists the newest delivery first, without payloads', () => {
    const deliveries = openOutbox('a', 'b', 'c')
    expect(deliveries.list({ limit: 2 })).toEqual([
      expectedEntry('c', 'pending'),
      expectedEntry('b', 'pending'),
    ])
    expect(JSON.stringify(deliveries.list({ limit: 9 }))).not.toContain('SECRET')
  })

  test('accepts one delivery for each order and event', () => {
    const deliveries = openOutbox()
    const enqueued = [
      deliveries.enqueue(createDelivery('a', 0, 'one')),
      deliveries.enqueue(createDelivery('b', 0, 'one')),
      deliveries.enqueue(createDelivery('c', 0, 'one', 'final')),
      deliveries.enqueue(createDelivery('d', 0, 'two')),
    ]
    expect(enqueued).toEqual([true, false, true, true])
    expect(deliveries.list({ limit: 9 }).map(({ id }) => id)).toEqual(['d', 'c', 'a'])
  })
})

describe('a claim', () => {
  test('takes due deliveries, oldest first, up to the given count', () => {
    const deliveries = openOutbox()
    for (const [id, at] of Object.entries({ a: 30, b: 10, c: 20, d: 40 }))
      deliveries.enqueue(createDelivery(id, at))
    const ids = (now: number, count: number) => deliveries.claimDue(now, lease, count).map(({ id }) => id)
    expect(ids(30, 2).sort()).toEqual(['b', 'c'])
    expect(ids(30, 2)).toEqual(['a'])
    expect(ids(30, 2)).toEqual([])
    expect(ids(40, 2)).toEqual(['d'])
  })

  test('is exclusive until it expires', () => {
    const deliveries = openOutbox('a')
    expect(deliveries.claimDue(0, lease, 9)).toEqual([expectedClaim('a', lease)])
    expect(deliveries.claimDue(lease - 1, lease, 9)).toEqual([])
    expect(deliveries.findNextDue()).toBe(lease)
    expect(deliveries.claimDue(lease, lease, 9)).toEqual([expectedClaim('a', 2 * lease)])
  })

  test('leaves out the running deliveries of the caller', () => {
    const deliveries = openOutbox('a', 'b')
    expect(deliveries.claimDue(0, lease, 9, ['a'])).toEqual([expectedClaim('b', lease)])
    expect([
      deliveries.findNextDue(),
      deliveries.findNextDue(['a']),
      deliveries.findNextDue(['a', 'b']),
    ]).toEqual([0, lease, undefined])
  })

  test('that has expired adds to the log, but does not change the state', () => {
    const deliveries = openOutbox('a')
    const first = claimOne(deliveries, 0)
    const second = claimOne(deliveries, lease)
    deliveries.record(first, failed(1))
    expect(deliveries.findNextDue()).toBe(2 * lease)
    deliveries.record(second, ok(lease))
    deliveries.record(first, failed(2))
    expect(deliveries.list({ limit: 1 })).toEqual([
      expectedEntry('a', 'delivered', [failed(1), ok(lease), failed(2)]),
    ])
  })
})

describe('an attempt', () => {
  test.each([200, 204, 299])('with the response %i delivers', (status) => {
    const deliveries = openOutbox('a')
    const attempt = { at: 0, status, ms: 5 }
    deliveries.record(claimOne(deliveries, 0), attempt)
    expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'delivered', [attempt])])
    expect(deliveries.findNextDue()).toBeUndefined()
  })

  test.each([199, 301, 404, 410, 500])(
    'with the response %i is retried, with a delay from its end',
    (status) => {
      const deliveries = openOutbox('a')
      const attempt = { at: 100, status, ms: 5 }
      deliveries.record(claimOne(deliveries, 100), attempt)
      expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'pending', [attempt])])
      expect(deliveries.findNextDue()).toBe(1_105)
    },
  )

  test('without a response keeps its error', () => {
    const deliveries = openOutbox('a')
    const attempt = { at: 0, error: 'it said "no"', ms: 5 }
    deliveries.record(claimOne(deliveries, 0), attempt)
    expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'pending', [attempt])])
  })

  test('that is the sixth to fail is the last', () => {
    const deliveries = openOutbox('a')
    const attempts: Attempt[] = []
    for (let due = deliveries.findNextDue(); due !== undefined; due = deliveries.findNextDue()) {
      attempts.push(failed(due))
      deliveries.record(claimOne(deliveries, due), failed(due))
    }
    expect(attempts.map(({ at }) => at)).toEqual([0, 1_005, 6_010, 36_015, 156_020, 756_025])
    expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'given-up', attempts)])
  })

  test('that cannot be retried is the last', () => {
    const deliveries = openOutbox('a')
    const attempt = { at: 0, error: 'address not allowed: 10.0.0.1', ms: 0 }
    const recorded = deliveries.record(claimOne(deliveries, 0), attempt, neverRetry)
    expect(recorded).toEqual({ number: 1, state: 'given-up' })
    expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'given-up', [attempt])])
  })

  test('is followed by the next one when the receiver allows it, if that is later than usual', () => {
    const deliveries = openOutbox('a')
    const record = (at: number, leastDelayMs: number) =>
      deliveries.record(claimOne(deliveries, at), failed(at), leastDelayMs)
    expect(record(0, 7_000)).toEqual({ number: 1, state: 'pending', retryInMs: 7_000 })
    expect(deliveries.findNextDue()).toBe(7_005)
    expect(record(7_005, 3_000)).toEqual({ number: 2, state: 'pending', retryInMs: 5_000 })
    expect(deliveries.findNextDue()).toBe(12_010)
  })
})

describe('a redelivery', () => {
  test('makes a delivered webhook due again, and keeps its earlier attempts', () => {
    const deliveries = openOutbox('a')
    deliveries.record(claimOne(deliveries, 0), failed(0))
    deliveries.record(claimOne(deliveries, 1_005), ok(1_005))
    expect(deliveries.redeliver('a', 9_000)).toBe(true)
    expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'pending', [failed(0), ok(1_005)])])
    expect(deliveries.claimDue(9_000, lease, 9)).toEqual([expectedClaim('a', 9_000 + lease)])
  })

  test('is kept if an attempt is running', () => {
    const deliveries = openOutbox('a')
    const first = claimOne(deliveries, 0)
    deliveries.redeliver('a', 50)
    deliveries.record(first, ok(0))
    expect(deliveries.list({ limit: 1 })).toEqual([expectedEntry('a', 'pending', [ok(0)])])
    expect(deliveries.findNextDue()).toBe(50)
  })

  test('of an unknown delivery is refused', () => expect(openOutbox('a').redeliver('b', 0)).toBe(false))
})

const now = Date.UTC(2026, 6, 24, 12)

test.each([
  [429, '7', 7_000],
  [429, ' 7 ', 7_000],
  [503, '7', 7_000],
  [429, 'Fri, 24 Jul 2026 12:00:30 GMT', 30_000],
  [429, 'Fri, 24 Jul 2026 11:59:30 GMT', 0],
  [429, '0', 0],
  [429, '600', 600_000],
  [429, '601', 600_000],
  [503, '999999999999', 600_000],
  [429, 'Fri, 24 Jul 2099 12:00:30 GMT', 600_000],
  [429, undefined, 0],
  [429, '', 0],
  [429, 'soon', 0],
  [429, '-5', 0],
  [500, '7', 0],
  [404, '7', 0],
])(
  'a response %i with Retry-After %j delays the next attempt by at least %i ms',
  (status, retryAfter, ms) => {
    expect(chooseLeastDelay(status, retryAfter, now)).toBe(ms)
  },
)

test('a response 410 ends the attempts', () => {
  expect(chooseLeastDelay(410, '7', now)).toBe(neverRetry)
})
