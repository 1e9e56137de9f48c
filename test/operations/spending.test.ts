// place, confirm and settle in process: whatever goes wrong on the way, one create and one confirm are seen, no more.
import { describe, expect, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { NotSent, type Transport } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { confirm as confirmOffer, look } from '../../src/operations/confirm.ts'
import type { Spending } from '../../src/operations/deps.ts'
import { guard, type Offer } from '../../src/operations/offer.ts'
import { place } from '../../src/operations/place.ts'
import { request } from '../support/client-api.ts'
import { apiKey, openService } from '../support/embedded.ts'

const never = new AbortController().signal

/** The service with an api over it; waits between calls are over at once, kept, and as long for the service. */
const opened = async (wrap: (transport: Transport) => Transport = (transport) => transport) => {
  const seen: string[] = []
  const service = await openService({
    onRequest: ({ path }) => void seen.push(path.replace(/^\/order\/(\w+).*/, '$1')),
  })
  const waits: number[] = []
  const clock = {
    now: service.clock.now,
    monotonic: service.clock.monotonic,
    newId: service.clock.newId,
    sleep: async (ms: number, signal?: AbortSignal) => {
      // A deadline of a call: nothing here takes so long.
      if (ms === 45_000 || ms === 30_000) return new Promise<void>(() => {})
      if (signal?.aborted) return
      waits.push(ms)
      service.clock.advance(ms)
    },
  }
  const transport = withCredentials(wrap(service.transport), { kind: 'bearer' }, apiKey)
  const api = createApi(transport, { clock, random: () => 0.5 })
  const owner = { profile: 'test', origin: 'test:' }
  const deps: Spending = { api, clock, interrupted: never, journal: openJournal(':memory:'), owner }
  return { ...service, seen, waits, api, deps }
}

/** How a promise fails; 'done' where it does not. */
const ending = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
    return 'done'
  } catch (error) {
    return error instanceof Failure ? error.kind : error
  }
}

const offerOf = (orderId: string): Offer => ({
  orderId,
  reference: 'a reference',
  total: request(['GAME-US']).productList[0]?.quote as Offer['total'],
  wallet: 'USD',
  expiresAt: 10_000,
})

const confirm = (deps: Spending, orderId: string) => confirmOffer(deps, offerOf(orderId))

const count = (seen: readonly string[], operation: string): number =>
  seen.filter((each) => each === operation).length

const spoilt = [
  'reset-before',
  'reset-after',
  'empty',
  'truncate',
  'bad-json',
  'garbage',
  'html',
  'redirect',
  'status=500',
  'status=502',
  'status=200,{}',
]

describe('place', () => {
  test.each(spoilt)('under create:%s leaves the outcome unknown, and sends once', async (kind) => {
    const { deps, json, seen, waits } = await opened()
    await json('POST', '/_mock/faults', { fault: `create:${kind}` })
    seen.length = 0
    expect(await ending(place(deps, request(['GAME-US'])))).toBe('unknown')
    expect(seen.filter((each) => each === 'create').length).toBeLessThanOrEqual(1)
    expect(waits).toEqual([])
  })

  test('tries again where no byte has left, three times in all', async () => {
    let tries = 0
    const { deps, seen } = await opened(() => async () => {
      tries += 1
      throw new NotSent('refused')
    })
    expect(await ending(place(deps, request(['GAME-US'])))).toBe('unavailable')
    expect({ tries, creates: count(seen, 'create') }).toEqual({ tries: 3, creates: 0 })
  })

  test('names the order where a spoilt answer does', async () => {
    const { deps } = await opened(() => async () => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"","data":{"id":"ord_1"}}',
    }))
    await expect(place(deps, request(['GAME-US']))).rejects.toMatchObject({
      kind: 'unknown',
      details: { orderId: 'ord_1', fix: 'Look at it: orderctl get ord_1' },
    })
  })
})

describe('confirm', () => {
  test.each([
    ['reset-after', 'done', [1_000]],
    ['empty', 'done', [1_000]],
    ['truncate', 'done', [1_000]],
    ['bad-json', 'done', [1_000]],
    ['garbage', 'done', [1_000]],
    ['reset-before', 'unknown', [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]],
    ['html', 'unknown', [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]],
    ['redirect', 'unknown', [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]],
    ['status=500', 'unknown', [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]],
    ['status=400', 'refused', []],
    ['status=419', 'expired', []],
    ['status=403', 'credentials', []],
  ])('under %s ends %s, and is sent once', async (kind, end, expected) => {
    const { created, deps, json, seen, waits } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: `confirm:${kind}` })
    seen.length = 0
    expect(await ending(confirm(deps, id))).toBe(end)
    expect(waits).toEqual(expected)
    expect(count(seen, 'confirm')).toBeLessThanOrEqual(1)
    expect(count(seen, 'get')).toBe(expected.length)
  })

  test('whose order cannot be read either stays unknown, and says so', async () => {
    const { created, deps, json, waits } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: 'confirm:reset-after' })
    await json('POST', '/_mock/faults', { fault: 'get:redirectx99' })
    await expect(confirm(deps, id)).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/The order could not be read since\.$/),
      details: { orderId: id, fix: `Do not order again. Settle it: orderctl reconcile ${id}` },
    })
    expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 20_000, 40_000])
  })

  test('a second time is told from an order that nobody knows', async () => {
    const { confirmed, deps } = await opened()
    await expect(confirm(deps, await confirmed(['GAME-US']))).rejects.toMatchObject({
      kind: 'refused',
      message: 'the order is already confirmed: it is confirmed',
      details: { already: true },
    })
    await expect(confirm(deps, 'ord_nobody')).rejects.toMatchObject({
      kind: 'refused',
      message: 'order ord_nobody: the service refused: Not Found',
    })
  })

  test('interrupted while it settles stops asking, and stays unknown', async () => {
    const stop = new AbortController()
    const { created, deps, json, seen } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: 'confirm:reset-before' })
    seen.length = 0
    const clock = {
      ...deps.clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms === 5_000) stop.abort('SIGINT')
        await deps.clock.sleep(ms, signal)
      },
    }
    expect(await ending(confirm({ ...deps, clock, interrupted: stop.signal }, id))).toBe('unknown')
    expect(seen).toEqual(['confirm', 'get', 'get'])
  })

  test('interrupted before it is sent is not sent', async () => {
    const { created, deps, seen } = await opened()
    const id = await created(['GAME-US'])
    seen.length = 0
    const interrupted = AbortSignal.abort('SIGINT')
    expect(['interrupted', 'unavailable']).toContain(await ending(confirm({ ...deps, interrupted }, id)))
    expect(seen).toEqual([])
  })
})

describe('a look, and its guards', () => {
  const offer = offerOf('o')
  const under = (guards: Parameters<typeof guard>[1], now: number) =>
    ending(Promise.resolve().then(() => guard(offer, guards, now)))

  test('reads the order, and judges it by its ten minutes', async () => {
    const { created, deps, clock } = await opened()
    const { order, offer: found } = await look(deps, await created(['GAME-US']))
    expect({ state: order.state, left: found.expiresAt - clock.now() }).toEqual({
      state: 'created',
      left: 600_000,
    })
  })

  test.each([
    [{}, 9_999, 'done'],
    [{}, 10_000, 'expired'],
    [{ minValidityMs: 1_000 }, 9_000, 'done'],
    [{ minValidityMs: 1_001 }, 9_000, 'refused'],
    [{ maxTotal: offer.total }, 0, 'done'],
    [{ maxTotal: offer.total.minus('0.01') }, 0, 'refused'],
  ] as const)('%j at %i: %s', async (guards, now, end) => {
    expect(await under(guards, now)).toBe(end)
  })
})
