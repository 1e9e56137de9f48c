// What may be confirmed, and what a confirm reports if the journal or the person stops it. settle.test.ts has lost responses.
import { describe, expect, test } from 'vitest'
import type { Transport } from '../../../src/contract/transport.ts'
import { setLimit } from '../../../src/journal/limits/limits.ts'
import { confirm as confirmOffer } from '../../../src/operations/confirm/confirm.ts'
import { readForConfirm } from '../../../src/operations/confirm/read-for-confirm.ts'
import { guard } from '../../../src/operations/offer.ts'
import { place } from '../../../src/operations/place.ts'
import type { Session } from '../../../src/operations/session.ts'
import { request } from '../../support/client-api.ts'
import { fixWith } from '../../support/suggest.ts'
import { ending, offerOf, openSession } from '../session.ts'

const confirm = (session: Session, orderId: string) => confirmOffer(session, offerOf(orderId))

describe('confirm', () => {
  test("says from when nothing can be spent any more by this machine's clock, even if the clock was set forward", async () => {
    const { session } = await openSession((transport) => async (request) => {
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

  test.each([
    ['endConfirm', 'reset-before'],
    ['recordConfirmedOrder', 'reset-after'],
  ] as const)('reports a failing %s after %s beside what happened', async (write, fault) => {
    const { service, session } = await openSession()
    const id = await service.created(['GAME-US'])
    await service.mock('POST', '/faults', { fault: `confirm:${fault}` })
    const fail = () => Promise.reject(new Error('the disk is full'))
    const journal = { ...session.journal, calls: { ...session.journal.calls, [write]: fail } }
    await expect(confirm({ ...session, journal }, id)).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('the journal could not be written: the disk is full'),
      details: { orderId: id },
    })
  })

  test('interrupted before it is sent is not sent', async () => {
    const { service, session, seen } = await openSession()
    const id = await service.created(['GAME-US'])
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
  const openLimited = async (
    amount: string,
    kind: 'order' | 'day',
    wrap?: (transport: Transport) => Transport,
  ) => {
    const { service, session } = await openSession(wrap)
    const setBudget = (next: string) =>
      setLimit(session.journal, session.owner.account, { kind, currency: 'USD', amount: next })
    await setBudget(amount)
    /** Creates an order of 25 USD. */
    const create = async (reference: string): Promise<string> =>
      (await place(session, { ...request(['GAME-US']), reference })).created.id
    const confirmRead = async (orderId: string) =>
      confirmOffer(session, (await readForConfirm(session, { orderId })).offer)
    const isBought = async (orderId: string): Promise<boolean> => (await service.state(orderId)) !== 'created'
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
