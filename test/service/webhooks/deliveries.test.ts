import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import {
  type Attempt,
  type ClaimedDelivery,
  deliveriesSchema,
  findRetryDelay,
  openDeliveries,
} from '../../../src/service/webhooks/deliveries.ts'

const lease = 20_000

const delivery = (
  id: string,
  at = 0,
  orderId = `order-${id}`,
  event: 'confirmed' | 'final' = 'confirmed',
) => ({
  ...{ id, orderId, event, at },
  url: `http://127.0.0.1:1/${id}`,
  payload: `{"code":"SECRET-${id}"}`,
})

const outbox = (...ids: string[]) => {
  const database = new DatabaseSync(':memory:')
  database.exec(deliveriesSchema)
  const deliveries = openDeliveries(database)
  for (const id of ids) deliveries.enqueue(delivery(id))
  return deliveries
}

const claimed = (id: string, claimedUntil: number, tries = 0): ClaimedDelivery => {
  const { url, payload } = delivery(id)
  return { id, url, payload, tries, claimedUntil }
}

const listed = (id: string, state: string, attempts: Attempt[] = []) => {
  const { orderId, event, url } = delivery(id)
  return { id, orderId, event, url, state, attempts }
}

const ok = (at: number): Attempt => ({ at, status: 200, ms: 5 })
const failed = (at: number): Attempt => ({ at, status: 500, ms: 5 })

/** The one claim that is due, which must be there. */
const claimOne = (deliveries: ReturnType<typeof outbox>, now: number): ClaimedDelivery => {
  const [only, ...others] = deliveries.claimDue(now, lease, 10)
  if (only === undefined || others.length > 0) throw new Error(`${others.length} more than one claim`)
  return only
}

describe('the backoff', () => {
  test('grows from a second to ten minutes, and ends', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map(findRetryDelay)
    expect(delays).toEqual([1_000, 5_000, 30_000, 120_000, 600_000, undefined, undefined])
  })
})

describe('the outbox', () => {
  test('lists the newest first, never the payload', () => {
    const deliveries = outbox('a', 'b', 'c')
    expect(deliveries.list({ limit: 2 })).toEqual([listed('c', 'pending'), listed('b', 'pending')])
    expect(JSON.stringify(deliveries.list({ limit: 9 }))).not.toContain('SECRET')
  })

  test('takes one delivery an order and event', () => {
    const deliveries = outbox()
    const enqueued = [
      deliveries.enqueue(delivery('a', 0, 'one')),
      deliveries.enqueue(delivery('b', 0, 'one')),
      deliveries.enqueue(delivery('c', 0, 'one', 'final')),
      deliveries.enqueue(delivery('d', 0, 'two')),
    ]
    expect(enqueued).toEqual([true, false, true, true])
    expect(deliveries.list({ limit: 9 }).map(({ id }) => id)).toEqual(['d', 'c', 'a'])
  })

  test('forgets what a transaction that was rolled back has enqueued', () => {
    const database = new DatabaseSync(':memory:')
    database.exec(deliveriesSchema)
    const deliveries = openDeliveries(database)
    database.exec('BEGIN IMMEDIATE')
    deliveries.enqueue(delivery('a'))
    database.exec('ROLLBACK')
    expect(deliveries.list({ limit: 9 })).toEqual([])
  })

  test('keeps hostile identifiers and payloads as they are', () => {
    const deliveries = outbox()
    const hostile = { ...delivery('__proto__'), payload: '"\'); DROP TABLE deliveries; --\u2028' }
    deliveries.enqueue(hostile)
    expect(claimOne(deliveries, 0)).toEqual({ ...claimed('__proto__', lease), payload: hostile.payload })
  })
})

describe('a claim', () => {
  test('takes what is due, the longest due first, and no more than asked for', () => {
    const deliveries = outbox()
    for (const [id, at] of Object.entries({ a: 30, b: 10, c: 20, d: 40 }))
      deliveries.enqueue(delivery(id, at))
    const ids = (now: number, count: number) => deliveries.claimDue(now, lease, count).map(({ id }) => id)
    expect(ids(30, 2).sort()).toEqual(['b', 'c'])
    expect(ids(30, 2)).toEqual(['a'])
    expect(ids(30, 2)).toEqual([])
    expect(ids(40, 2)).toEqual(['d'])
  })

  test('is had once, until it lapses', () => {
    const deliveries = outbox('a')
    expect(deliveries.claimDue(0, lease, 9)).toEqual([claimed('a', lease)])
    expect(deliveries.claimDue(lease - 1, lease, 9)).toEqual([])
    expect(deliveries.nextDue()).toBe(lease)
    expect(deliveries.claimDue(lease, lease, 9)).toEqual([claimed('a', 2 * lease)])
  })

  test('leaves out what its caller has under way', () => {
    const deliveries = outbox('a', 'b')
    expect(deliveries.claimDue(0, lease, 9, ['a'])).toEqual([claimed('b', lease)])
    expect([deliveries.nextDue(), deliveries.nextDue(['a']), deliveries.nextDue(['a', 'b'])]).toEqual([
      0,
      lease,
      undefined,
    ])
  })

  test('that has lapsed adds to the log, and decides nothing', () => {
    const deliveries = outbox('a')
    const first = claimOne(deliveries, 0)
    const second = claimOne(deliveries, lease)
    deliveries.record(first, failed(1))
    expect(deliveries.nextDue()).toBe(2 * lease)
    deliveries.record(second, ok(lease))
    deliveries.record(first, failed(2))
    expect(deliveries.list({ limit: 1 })).toEqual([
      listed('a', 'delivered', [failed(1), ok(lease), failed(2)]),
    ])
  })

  test('is never had by two processes on one file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orderctl-'))
    const open = () => new DatabaseSync(join(folder, 'state.db'), { timeout: 5_000 })
    const [one, two] = [open(), open()]
    try {
      one.exec(`PRAGMA journal_mode = WAL; ${deliveriesSchema}`)
      const [here, there] = [openDeliveries(one), openDeliveries(two)]
      const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`)
      for (const id of ids) here.enqueue(delivery(id))
      const taken: string[] = []
      for (let round = 0; round < 5; round++) {
        for (const side of [here, there]) taken.push(...side.claimDue(0, lease, 3).map(({ id }) => id))
      }
      expect(taken.sort()).toEqual(ids.sort())
    } finally {
      one.close()
      two.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe('an attempt', () => {
  test.each([200, 204, 299])('answered %i delivers', (status) => {
    const deliveries = outbox('a')
    const attempt = { at: 0, status, ms: 5 }
    deliveries.record(claimOne(deliveries, 0), attempt)
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'delivered', [attempt])])
    expect(deliveries.nextDue()).toBeUndefined()
  })

  test.each([199, 301, 404, 410, 500])('answered %i is due again, counted from its end', (status) => {
    const deliveries = outbox('a')
    const attempt = { at: 100, status, ms: 5 }
    deliveries.record(claimOne(deliveries, 100), attempt)
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'pending', [attempt])])
    expect(deliveries.nextDue()).toBe(1_105)
  })

  test('that had no answer keeps its reason', () => {
    const deliveries = outbox('a')
    const attempt = { at: 0, error: 'it said "no"', ms: 5 }
    deliveries.record(claimOne(deliveries, 0), attempt)
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'pending', [attempt])])
  })

  test('that failed the sixth time is the last', () => {
    const deliveries = outbox('a')
    const attempts: Attempt[] = []
    for (let due = deliveries.nextDue(); due !== undefined; due = deliveries.nextDue()) {
      attempts.push(failed(due))
      deliveries.record(claimOne(deliveries, due), failed(due))
    }
    expect(attempts.map(({ at }) => at)).toEqual([0, 1_005, 6_010, 36_015, 156_020, 756_025])
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'given-up', attempts)])
  })

  test('that can never succeed is the last', () => {
    const deliveries = outbox('a')
    const attempt = { at: 0, error: 'address not allowed: 10.0.0.1', ms: 0 }
    deliveries.record(claimOne(deliveries, 0), attempt, false)
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'given-up', [attempt])])
  })
})

describe('a redelivery', () => {
  test('makes a delivered one due again, with all its attempts before it', () => {
    const deliveries = outbox('a')
    deliveries.record(claimOne(deliveries, 0), failed(0))
    deliveries.record(claimOne(deliveries, 1_005), ok(1_005))
    expect(deliveries.redeliver('a', 9_000)).toBe(true)
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'pending', [failed(0), ok(1_005)])])
    expect(deliveries.claimDue(9_000, lease, 9)).toEqual([claimed('a', 9_000 + lease)])
  })

  test('is not lost where one is under way', () => {
    const deliveries = outbox('a')
    const first = claimOne(deliveries, 0)
    deliveries.redeliver('a', 50)
    deliveries.record(first, ok(0))
    expect(deliveries.list({ limit: 1 })).toEqual([listed('a', 'pending', [ok(0)])])
    expect(deliveries.nextDue()).toBe(50)
  })

  test('of an unknown one is refused', () => expect(outbox('a').redeliver('b', 0)).toBe(false))
})
