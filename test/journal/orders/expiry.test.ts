// When an order expires for people, and from when a confirm is proven to have spent nothing.
import { expect, test } from 'vitest'
import {
  estimateProofTime,
  findExpiry,
  hasExpired,
  judgeUnconfirmed,
  type OrderDates,
} from '../../../src/journal/orders/expiry.ts'

const minute = 60_000
const day = 24 * 60
const createdAt = 1_700_000_000_000
/** The times of the order are minutes after its creation. */
const orderOf = (times: Partial<Record<'createdDate' | 'expiresAt', number>>, fields = {}): OrderDates => {
  const moments = Object.entries(times).map(([name, minutes]) => [name, createdAt + minutes * minute])
  return { createdAt, placedAt: 0, request: '{}', ...Object.fromEntries(moments), ...fields }
}
const elsewhere = { request: undefined }

test.each<[string, OrderDates, forPeople: number | undefined, forProofs: number | undefined]>([
  ['10 minutes', orderOf({ expiresAt: 10 }), 10, 10],
  ['a month', orderOf({ expiresAt: 30 * day }), 30 * day, 30 * day],
  ['none', orderOf({}), 15, day],
  ['at the creation', orderOf({ expiresAt: 0 }), 15, day],
  ['in seconds', orderOf({}, { expiresAt: createdAt / 1000 + 600 }), 15, day],
  ['after the year 9999', orderOf({}, { expiresAt: Date.UTC(10_000, 0) }), 15, day],
  ['of a clock that is 8 hours slow', orderOf({ expiresAt: 10, createdDate: -480 }), 10, 490],
  ['of a clock that is a minute fast', orderOf({ expiresAt: 10, createdDate: 1 }), 10, 10],
  [
    'without the time of the service',
    orderOf({ expiresAt: 10 }, { createdAt: undefined }),
    undefined,
    undefined,
  ],
  ['elsewhere', orderOf({ createdDate: -5, expiresAt: 30 }, elsewhere), 10, day],
  ['elsewhere, of a fast clock', orderOf({ createdDate: 5 }, elsewhere), 20, day + 5],
  ['elsewhere, without its creation', orderOf({}, elsewhere), undefined, day],
])('the expiry of an order: %s', (_title, order, forPeople, forProofs) => {
  const people = findExpiry(order)
  expect(people === undefined ? people : (people - createdAt) / minute).toBe(forPeople)
  const proof = estimateProofTime(order, { now: 0, serviceNow: createdAt })
  // A minute for a confirm in progress, and a minute between the two responses.
  expect(proof === undefined ? proof : proof / minute - 2).toBe(forProofs)
})

test('an order has expired 2 s after its expiry by the service, or as long after its start here', () => {
  const order = orderOf({ expiresAt: 10 }, { placedAt: createdAt })
  const at = (ms: number) => [
    hasExpired(order, { now: 0, serviceNow: createdAt + ms }),
    hasExpired(order, { now: createdAt + ms, serviceNow: undefined }),
    hasExpired({ ...order, createdAt: undefined }, { now: createdAt + ms, serviceNow: createdAt }),
  ]
  expect(at(10 * minute + 2_000)).toEqual([false, false, false])
  expect(at(10 * minute + 2_001)).toEqual([true, false, false])
  // Here, the create may have taken 45 s. Without its response, the order is assumed to be valid for 15 minutes.
  expect(at(10 * minute + 45_000)).toEqual([true, false, false])
  expect(at(10 * minute + 45_001)).toEqual([true, true, false])
  expect(at(15 * minute + 45_001)).toEqual([true, true, true])
})

test('two responses a minute apart, over a minute after the expiry, are a proof', () => {
  const order = orderOf({ expiresAt: 10 })
  const start = createdAt + 11 * minute
  const timesAt = (ms: number) => ({ now: start + ms, serviceNow: start + ms })
  const judge = (ms: number, unconfirmedAt?: number) =>
    judgeUnconfirmed({ ...order, unconfirmedAt, unconfirmedHere: unconfirmedAt }, timesAt(ms))
  expect([judge(0), judge(1)]).toEqual(['too-early', 'first'])
  expect([judge(minute, start + 1), judge(minute + 1, start + 1)]).toEqual(['too-early', 'proven'])
  // The service's clock stands still.
  const still = { unconfirmedAt: start + 1, unconfirmedHere: start + 1 }
  const hereLater = { now: start + 2 * minute, serviceNow: start + minute }
  expect(judgeUnconfirmed({ ...order, ...still }, hereLater)).toBe('too-early')
  // The service's clock was set back.
  expect(judge(1, start + 2)).toBe('first')
  // A front-end server's `Date` runs ahead: as much time must have passed here.
  const ahead = (now: number, unconfirmed = {}) =>
    judgeUnconfirmed({ ...order, placedAt: 0, ...unconfirmed }, { now, serviceNow: start + day * minute })
  expect([ahead(10 * minute - 1), ahead(10 * minute)]).toEqual(['too-early', 'first'])
  const seen = { unconfirmedAt: start + 1, unconfirmedHere: 10 * minute }
  expect([ahead(11 * minute - 1, seen), ahead(11 * minute, seen)]).toEqual(['too-early', 'proven'])
  // A clock that was set back, since the order was placed or since the first response, proves nothing.
  const later = { placedAt: day * minute }
  expect([ahead(0, later), ahead(minute, { ...later, ...seen, unconfirmedHere: 0 })]).toEqual([
    'first',
    'too-early',
  ])
  expect(ahead(10 * minute, { ...later, ...seen, unconfirmedHere: 0 })).toBe('proven')
  expect(ahead(10 * minute, { ...seen, unconfirmedHere: 10 * minute + 1 })).toBe('first')
  expect(judgeUnconfirmed({ ...order, createdAt: undefined }, timesAt(365 * day * minute))).toBe('too-early')
})
