// Whatever the response, create is sent once, after its intent is in the journal, and the journal has its outcome.
import { describe, expect, test } from 'vitest'
import type { Transport } from '../../../src/contract/transport.ts'
import { listCalls } from '../../../src/journal/orders/entries.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { place } from '../../../src/operations/create/place.ts'
import { request } from '../../support/client-api.ts'
import { respond } from '../../support/world.ts'
import { ending, openSession } from '../session.ts'

const order = request(['GAME-US'])

/** Places the order, and describes its end, the requests and the journal. */
const placeThrough = async (wrap: (own: Transport) => Transport, more = {}) => {
  const noted: string[] = []
  const { service, session, journal } = await openSession((own) => async (sent) => {
    const [entry] = await listOrders(journal.read, { limit: 1 })
    const calls = entry === undefined ? [] : await listCalls(journal.read, entry.number)
    noted.push(calls.map(({ operation, outcome }) => `${operation} ${outcome}`).join())
    return wrap(own)(sent)
  })
  const end = await ending(place({ ...session, ...more }, order))
  const [entry] = await listOrders(journal.read, { limit: 1 })
  const { data } = await service.mock('GET', '/state')
  return { end, noted, state: entry?.state, orders: data.orders.length }
}

const losing =
  (own: Transport): Transport =>
  async (sent) => {
    await own(sent)
    throw new Error('connection reset')
  }

test.each<[string, (own: Transport) => Transport, object]>([
  ['its own response', (own) => own, { end: 'done', state: 'created', orders: 1 }],
  ['a refusal', () => async () => respond(400, 'No'), { end: 'refused', state: 'refused', orders: 0 }],
  ['an error', () => async () => respond(502, 'No'), { end: 'unavailable', state: 'lost', orders: 0 }],
  ['a lost response', losing, { end: 'unavailable', state: 'lost', orders: 1 }],
])('create is sent once: %s', async (_name, wrap, wanted) => {
  expect(await placeThrough(wrap)).toEqual({ noted: ['create sending'], ...wanted })
})

test('a journal that fails after the response is reported beside what happened', async () => {
  const { session } = await openSession()
  const fail = () => Promise.reject(new Error('the disk is full'))
  const journal = { ...session.journal, end: fail }
  await expect(place({ ...session, journal }, order)).rejects.toMatchObject({
    kind: 'local-state',
    message: expect.stringMatching(/^the order \w+ was created, and is not confirmed/),
  })
})

describe('create is not sent', () => {
  test.each([
    ['after an interruption', { interrupted: AbortSignal.abort('SIGINT') }, 'interrupted'],
    ['with the key in its reference', { containsSecret: () => true }, 'usage'],
  ])('%s', async (_name, more, end) => {
    expect(await placeThrough((own) => own, more)).toEqual({ end, noted: [], state: undefined, orders: 0 })
  })

  test('for a reference that an order holds', async () => {
    const { seen, session } = await openSession()
    await place(session, order)
    expect(await ending(place(session, order))).toBe('duplicate')
    expect(seen.filter((each) => each === 'create')).toHaveLength(1)
  })
})
