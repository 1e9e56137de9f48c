// What follows from a standing, here and in SQL. When an order expires for people, and from when a confirm is proven to have
// spent nothing.

import { expect, onTestFinished, test } from 'vitest'
import {
  estimateProofTime,
  findExpiry,
  hasExpired,
  isFinished,
  isHolding,
  isNeverCreated,
  isUnprovenOrder,
  judgeUnconfirmed,
  mayHaveSpent,
  type OrderDates,
} from '../../../src/journal/orders/standings.ts'
import { journalKinds } from '../journals.ts'
import { createOrderDesk } from '../order-desk.ts'

/** A standing, its void reason or result, and the conditions that are true. `damaged` is no word of a column. */
const conditions = `
  creating              live finished
  void lost             finished
  void expired          finished
  void not-spent        finished
  void refused          finished attempt
  void not-sent         finished attempt
  void damaged          finished
  pending               holds live
  pending refused       holds live attempt
  confirming            holds live committed unproven
  doubtful              holds live committed unproven
  confirmed             holds committed
  confirmed failed      holds committed finished
  confirmed rejected    holds committed finished
  confirmed partial     holds committed finished
  confirmed successful  holds committed finished
  confirmed damaged     holds committed
  damaged               holds live committed unproven`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/ {2,}/) as [order: string, conditions: string])

test.each(journalKinds)(
  'on $name, what follows from a standing, even from a damaged one, is the same in SQL',
  async ({ openShared }) => {
    const { journal, query, damage, close } = await openShared()
    onTestFinished(close)
    const desk = createOrderDesk(journal)
    const { order: first } = await desk.placed()
    for (const [words, expected] of conditions) {
      const [standing = '', more = null] = words.split(' ')
      const isConfirmed = standing === 'confirmed'
      const sound = (word: string | null, other: string | null) => (word === 'damaged' ? other : word)
      const values = {
        standing: sound(standing, 'pending'),
        reason: isConfirmed ? null : sound(more, 'lost'),
        result: isConfirmed ? sound(more, 'failed') : null,
        at: isConfirmed ? 1 : null,
      }
      const [row] = await query(
        `INSERT INTO orders (account, profile, origin, standing, void_reason, result, confirmed_at, placed_at, changed_at)
         SELECT account, profile, origin, $standing, $reason, $result, CAST($at AS BIGINT), 1, 1
         FROM orders WHERE number = ${first} RETURNING number`,
        values,
      )
      const number = Number(row?.number)
      const column = standing === 'damaged' ? 'standing' : isConfirmed ? 'result' : 'void_reason'
      if (words.includes('damaged')) await damage('orders', column, 'damaged', `number = ${number}`)

      const [found = {}] = await query(
        `SELECT holds, live, committed, unproven, finished, attempt FROM orders WHERE number = ${number}`,
      )
      const names = Object.keys(found).filter((name) => found[name] === 1n)
      expect([words, names.join(' ')]).toEqual([words, expected])
      const reserve = query(`UPDATE orders SET reserved_at = 1 WHERE number = ${number}`)
      if (expected.includes('committed')) await reserve
      else await expect(reserve).rejects.toThrow('reserved_if_committed')
      const entry = await desk.getOrder(number)
      if (entry === undefined) throw new Error('the order is lost')
      expect({ words, ...found }).toMatchObject({
        holds: BigInt(isHolding(entry)),
        committed: BigInt(mayHaveSpent(entry)),
        unproven: BigInt(isUnprovenOrder(entry)),
        finished: BigInt(isFinished(entry)),
        attempt: BigInt(isNeverCreated(entry)),
      })
    }
  },
)

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
