// place, confirm and settle in process: under every fault, create and confirm are sent at most once.

import { describe, expect, test } from 'vitest'
import { withCredentials } from '../../src/client/credentials.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { Failure } from '../../src/errors.ts'
import { setLimit } from '../../src/journal/limits/limits.ts'
import { openJournal } from '../../src/journal/open-journal.ts'
import { confirm as confirmOffer } from '../../src/operations/confirm/confirm.ts'
import { readForConfirm } from '../../src/operations/confirm/read-for-confirm.ts'
import { guard, type Offer } from '../../src/operations/offer.ts'
import { place } from '../../src/operations/place.ts'
import type { Session } from '../../src/operations/session.ts'
import { request } from '../support/client-api.ts'
import { apiKey, openService } from '../support/embedded.ts'
import { fixWith } from '../support/suggest.ts'
import { createSession } from './session.ts'

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
      if (ms === 45_000 || ms === 30_000 || ms === 80_000) return new Promise<void>(() => {})
      if (signal?.aborted) return
      waits.push(ms)
      service.clock.advance(ms)
    },
  }
  const transport = withCredentials(wrap(service.transport), { kind: 'bearer' }, apiKey)
  const owner = { profile: 'test', origin: 'test:', account: { address: 'test' } }
  const journal = await openJournal(':memory:')
  const session = createSession(transport, { clock, random: () => 0.5, journal, owner })
  return { ...service, seen, waits, api: session.api, session }
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

const confirm = (session: Session, orderId: string) => confirmOffer(session, offerOf(orderId))

const count = (seen: readonly string[], operation: string): number =>
  seen.filter((each) => each === operation).length

/** The order is asked for 1, 2, 5, 10, 20 and 40 s after the response. */
const waited = [1_000, 1_000, 3_000, 5_000, 10_000, 20_000]

describe('confirm', () => {
  test.each([
    ['reset-after', 'done', 1, [1_000]],
    ['empty', 'done', 1, [1_000]],
    ['truncate', 'done', 1, []],
    ['bad-json', 'done', 1, []],
    ['garbage', 'done', 1, []],
    ['reset-before', 'unknown', 6, waited],
    ['html', 'unknown', 7, waited],
    ['redirect', 'unknown', 7, waited],
    ['status=500', 'unknown', 7, waited],
    ['status=400', 'refused', 1, []],
    ['status=419', 'expired', 1, []],
    ['status=403', 'credentials', 1, []],
  ])('under %s ends %s after %i gets, and is sent once', async (kind, end, gets, expected) => {
    const { created, session, json, seen, waits } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: `confirm:${kind}` })
    seen.length = 0
    expect(await ending(confirm(session, id))).toBe(end)
    expect(waits).toEqual(expected)
    expect(count(seen, 'confirm')).toBeLessThanOrEqual(1)
    expect(count(seen, 'get')).toBe(gets)
  })

  test('of an unreadable order stays unknown, and says so', async () => {
    const { created, session, json, waits } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: 'confirm:reset-after' })
    await json('POST', '/_mock/faults', { fault: 'get:redirectx99' })
    await expect(confirm(session, id)).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/The order could not be read afterwards\.$/),
      details: { orderId: id },
    })
    expect(waits.at(0)).toBe(1_000)
  })

  test('whose response is lost is unknown even if the journal became unreadable', async () => {
    const { created, session, json } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: 'confirm:reset-before' })
    const { read } = session.journal
    const all: typeof read.all = async (sql, values) => {
      if (sql.includes('WHERE number = $number')) throw new Failure('local-state', 'disk I/O error')
      return read.all(sql, values)
    }
    const journal = { ...session.journal, read: { ...read, all } }
    expect(await ending(confirm({ ...session, journal }, id))).toBe('unknown')
  })

  test("gives that time by this machine's clock, even if the clock was set forward", async () => {
    const { session } = await opened((transport) => async (request) => {
      if (request.method !== 'PUT') return transport(request)
      const { headers } = await transport({ ...request, body: '{}' })
      return { status: 419, headers: { date: headers.date ?? '' }, body: '{"message":"Expired"}' }
    })
    const { created, offer } = await place(session, request(['GAME-US']))
    const aheadMs = 86_400_000
    const clock = { ...session.clock, now: () => session.clock.now() + aheadMs }
    const error = await confirm({ ...session, clock }, created.id).catch((failure) => failure)
    const lateMs = Date.parse(error.details.safeFrom) - (offer.expiresAt + 120_000 + aheadMs)
    // The Date of a response has whole seconds, and so has the text.
    expect(Math.abs(lateMs)).toBeLessThan(2_000)
  })

  test('stops settling after 80 s even if single calls are slow', async () => {
    const { created, session, clock } = await opened(
      (transport) => (request) =>
        request.method === 'PUT' ? Promise.reject(new Error('lost')) : transport(request),
    )
    const id = await created(['GAME-US'])
    let asked = 0
    // Each get takes 30 s; the deadline of the whole comes as the clock passes it.
    const deadlines: { at: number; end: () => void }[] = []
    const pass = (ms: number): void => {
      clock.advance(ms)
      for (const { at, end } of deadlines) if (clock.monotonic() >= at) end()
    }
    const slow: Session = {
      ...session,
      clock: {
        ...session.clock,
        sleep: async (ms, signal) => {
          if (ms === 80_000) return new Promise((end) => deadlines.push({ at: clock.monotonic() + ms, end }))
          if (!signal?.aborted) pass(ms)
        },
      },
      api: {
        ...session.api,
        get: async (_id, { signal } = {}) => {
          asked += 1
          for (let left = 30; left > 0 && !signal?.aborted; left -= 1) {
            pass(1_000)
            await new Promise((resolve) => setImmediate(resolve))
          }
          return { kind: 'unknown', reason: 'timed out' }
        },
      },
    }
    const started = clock.monotonic()
    expect(await ending(confirm(slow, id))).toBe('unknown')
    expect(asked).toBe(3)
    expect(clock.monotonic() - started).toBeLessThanOrEqual(81_000)
  })

  test.each([
    ['endConfirm', 'reset-before'],
    ['recordConfirmedOrder', 'reset-after'],
  ] as const)('reports a failing %s after %s beside what happened', async (write, fault) => {
    const { created, session, json } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: `confirm:${fault}` })
    const fail = () => Promise.reject(new Error('the disk is full'))
    const journal = { ...session.journal, calls: { ...session.journal.calls, [write]: fail } }
    await expect(confirm({ ...session, journal }, id)).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('the journal could not be written: the disk is full'),
      details: { orderId: id },
    })
  })

  test('interrupted while settling stops asking, and stays unknown', async () => {
    const stop = new AbortController()
    const { created, session, json, seen } = await opened()
    const id = await created(['GAME-US'])
    await json('POST', '/_mock/faults', { fault: 'confirm:reset-before' })
    seen.length = 0
    const clock = {
      ...session.clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms === 3_000) stop.abort('SIGINT')
        await session.clock.sleep(ms, signal)
      },
    }
    expect(await ending(confirm({ ...session, clock, interrupted: stop.signal }, id))).toBe('unknown')
    expect(seen).toEqual(['confirm', 'get', 'get'])
  })

  test('interrupted before it is sent is not sent', async () => {
    const { created, session, seen } = await opened()
    const id = await created(['GAME-US'])
    seen.length = 0
    const interrupted = AbortSignal.abort('SIGINT')
    expect(['interrupted', 'unavailable']).toContain(await ending(confirm({ ...session, interrupted }, id)))
    expect(seen).toEqual([])
  })
})

describe('readForConfirm and its guards', () => {
  const offer = offerOf('o')
  const under = (guards: Parameters<typeof guard>[1], now: number) =>
    ending(Promise.resolve().then(() => guard(offer, guards, now)))

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

describe('a budget', () => {
  const openLimited = async (amount: string, kind: 'order' | 'day', wrap?: Parameters<typeof opened>[0]) => {
    const { session, json } = await opened(wrap)
    const setBudget = (next: string) =>
      setLimit(session.journal, session.owner.account, { kind, currency: 'USD', amount: next })
    await setBudget(amount)
    /** Creates an order of 25 USD. */
    const create = async (reference: string): Promise<string> =>
      (await place(session, { ...request(['GAME-US']), reference })).created.id
    const confirmRead = async (orderId: string) =>
      confirmOffer(session, (await readForConfirm(session, { orderId })).offer)
    const isBought = async (orderId: string): Promise<boolean> =>
      (await json('GET', `/order/get?orderId=${orderId}`)).data.state !== 'created'
    return { setBudget, create, confirmRead, isBought }
  }

  test('refuses an order above it, and says what is left until when', async () => {
    const { setBudget, create, confirmRead, isBought } = await openLimited('37.50', 'day')
    const [first, second] = [await create('one'), await create('other')]
    await confirmRead(first)
    await expect(confirmRead(second)).rejects.toMatchObject({
      kind: 'not-approved',
      message: expect.stringMatching(
        /^the order \w+ of 25.00 USD is over the budget of test, 37.50 USD per day: 12.50 USD is left until \d{4}-\d\d-\d\d 00:00 UTC; it was not confirmed$/,
      ),
      details: {
        orderId: second,
        budget: { per: 'day', currency: 'USD', until: expect.stringMatching(/T00:00:00\.000Z$/) },
        fix: fixWith('orderctl profile limits test'),
      },
    })
    expect([await isBought(first), await isBought(second)]).toEqual([true, false])
    await setBudget('50')
    await confirmRead(second)
    expect(await isBought(second)).toBe(true)
  })

  test('per order gives no time', async () => {
    const { create, confirmRead } = await openLimited('24.99', 'order')
    const orderId = await create('one')
    await expect(confirmRead(orderId)).rejects.toMatchObject({
      kind: 'not-approved',
      message: `the order ${orderId} of 25.00 USD is over the budget of test, 24.99 USD per order; it was not confirmed`,
    })
  })
})
