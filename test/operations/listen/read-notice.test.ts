// Finding the order that a delivery is about.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKey, readNotice } from '../../../src/operations/listen/accept-delivery.ts'
import { findBackoff } from '../../../src/operations/listen/due-loop.ts'

const read = (body: unknown) => {
  const found = readNotice(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
  const [named, mentioned] = [true, false].map((wanted) => found.filter(({ isNamed }) => isNamed === wanted))
  return {
    named: (named ?? []).map(({ orderId, namedState }) => ({ orderId, namedState })),
    mentioned: (mentioned ?? []).map(({ orderId }) => orderId),
  }
}
const first = (body: unknown) => read(body).named[0]

describe('the order of a delivery', () => {
  test.each<[string, unknown]>([
    ['an order', { uid: 'ord_1', state: 'successful', products: {} }],
    ['a response of get', { message: 'ok', data: { uid: 'ord_1', state: 'successful' } }],
    [
      'an event',
      { id: 'evt_9', type: 'order.final', data: { object: { id: 'ord_1', state: 'successful' } } },
    ],
    ['an event with an id in data', { id: 'evt_9', data: { id: 'ord_1', status: 'successful' } }],
    ['an order id', { orderId: 'ord_1', status: 'successful' }],
    ['a different spelling', { 'Order-ID': 'ord_1', order_state: 'successful' }],
    ['an id alone', { id: 'ord_1', state: 'successful' }],
    ['an order in an array', [{ order: { id: 'ord_1', state: 'successful' } }]],
  ])('is found in %s', (_what, body) => {
    expect(first(body)).toEqual({ orderId: 'ord_1', namedState: 'successful' })
  })

  test('is the id with the clearest name', () => {
    const body = { id: 'evt', data: { id: 'data', order: { id: 'order' } }, meta: { order_id: 'clear' } }
    expect(read(body).named.map(({ orderId }) => orderId)).toEqual(['clear', 'order', 'data', 'evt'])
  })

  test.each<[string, unknown]>([
    ['no body', ''],
    ['other text', 'hello there'],
    ['a form', 'order_id=ord_1&state=successful'],
    ['other JSON', { message: 'hello', total: 5 }],
    ['an empty id', { uid: '' }],
    ['an id with a space', { uid: 'a b' }],
    ['an id with a control character', { uid: 'a\u001b' }],
    ['a long id', { uid: 'x'.repeat(129) }],
    ['an object as id', { uid: { uid: true } }],
    ['a fraction', { uid: 1.5 }],
  ])('is not found in %s', (_what, body) => {
    expect(read(body).named).toEqual([])
  })

  test('may be a number, and may be mentioned in any other field', () => {
    expect(first({ orderId: 17 })?.orderId).toBe('17')
    expect(read({ subject: { ref: 'ord_1' }, list: ['ord_2'] }).mentioned).toEqual(['ord_1', 'ord_2'])
  })

  test('is never looked for among codes', () => {
    const redeem = { 'GAME-US': { redeemPin: ['1234'], uid: 'CODE' } }
    expect(read({ uid: 'ord_1', redeem, cards: [{ id: 'C' }] })).toEqual({
      named: [{ orderId: 'ord_1', namedState: null }],
      mentioned: [],
    })
  })

  test('has a state only if it is documented', () => {
    expect(first({ uid: 'ord_1', state: 'SHIPPED' })?.namedState).toBeNull()
    expect(first({ uid: 'ord_1', state: 7, status: 'failed' })?.namedState).toBe('failed')
  })

  test('is looked for within limits', () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    expect(read(deep).named).toEqual([])
    const wide = Array.from({ length: 200_000 }, (_, index) => `id${index}`)
    expect(read(wide).mentioned).toHaveLength(100)
  })

  test('is found in time, however many ids an object has', () => {
    const fields = Array.from({ length: 5_000 }, (_, index) => {
      const ending = index.toString(2).replaceAll('0', '-').replaceAll('1', '_')
      return [`id${ending}`, index]
    })
    const { named } = read(Object.fromEntries([...fields, ['state', 'successful']]))
    expect(named).toHaveLength(100)
    expect(named[99]).toEqual({ orderId: '99', namedState: 'successful' })
  })

  test('never fails', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readNotice(bytes)))
    fc.assert(fc.property(fc.json(), (text) => void read(text)))
  })
})

describe('a delivery is the same', () => {
  const facts = { deliveryId: null, orderId: 'ord_1', namedState: 'partial' }
  const keyOf = (more: object, account = 'shop.example', body = '[A]') =>
    createKey(account, { ...facts, ...more }, Buffer.from(body))
  test('if its id and its account are the same', () => {
    const one = keyOf({ deliveryId: 'a' })
    expect(keyOf({ deliveryId: 'a', orderId: 'ord_2', namedState: null }, undefined, '[A,B]')).toBe(one)
    expect([keyOf({ deliveryId: 'b' }), keyOf({ deliveryId: 'a' }, 'other.example')]).not.toContain(one)
  })
  test('if it has no id, and its order, body and account are the same', () => {
    const others = [keyOf({ orderId: 'ord_2' }), keyOf({}, undefined, '[A,B]'), keyOf({}, 'other.example')]
    expect(keyOf({})).toBe(keyOf({}))
    expect(others).not.toContain(keyOf({}))
  })
  test('never, if it has neither id nor state', () => {
    expect(keyOf({ namedState: null })).toBeUndefined()
  })
})

test('the wait doubles from 1 s to the longest', () => {
  const waits = [1, 2, 3, 9, 10, 1_000].map((failures) => findBackoff(failures, 300_000) / 1000)
  expect(waits).toEqual([1, 2, 4, 256, 300, 300])
})
