// What may be confirmed, and what a confirm reports if the journal or the person stops it. settle.test.ts has lost responses.

import { describe, expect, test } from 'vitest'
import type { Journal } from '../../src/journal/journal.ts'
import { confirm as confirmOffer } from '../../src/operations/confirm.ts'
import type { Session } from '../../src/operations/dependencies.ts'
import { guard } from '../../src/operations/offer.ts'
import { ending, offerOf, openSession } from './session.ts'

const confirm = (session: Session, orderId: string) => confirmOffer(session, offerOf(orderId))

describe('confirm', () => {
  test.each([
    ['confirm-ended', 'reset-before'],
    ['seen', 'reset-after'],
  ] as const)('reports a failing record of %s after %s beside what happened', async (write, fault) => {
    const { service, session } = await openSession()
    const id = await service.created(['GAME-US'])
    await service.mock('POST', '/faults', { fault: `confirm:${fault}` })
    const end: Journal['end'] = async (call, fact, alsoDo) => {
      if (fact.kind === write) throw new Error('the disk is full')
      return session.journal.end(call, fact, alsoDo)
    }
    const journal = { ...session.journal, end }
    await expect(confirm({ ...session, journal }, id)).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('the journal could not be written: the disk is full'),
      details: { orderId: id },
    })
  })

  test('a minute after its intent is not sent', async () => {
    const { service, session, seen } = await openSession()
    const id = await service.created(['GAME-US'])
    let aheadMs = 0
    const clock = { ...session.clock, now: () => session.clock.now() + aheadMs }
    const begin: Journal['begin'] = async (account, work) => {
      const begun = await session.journal.begin(account, work)
      aheadMs = 60_001
      return begun
    }
    const journal = { ...session.journal, begin }
    seen.length = 0
    expect(await ending(confirm({ ...session, clock, journal }, id))).toBe('unavailable')
    expect(seen).not.toContain('confirm')
    expect(await confirm(session, id)).toBeUndefined()
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

test.each([
  [{}, 9_999, 'done'],
  [{}, 10_000, 'expired'],
  [{ minValidityMs: 1_000 }, 9_000, 'done'],
  [{ minValidityMs: 1_001 }, 9_000, 'refused'],
  [{ maxTotal: offerOf('o').total }, 0, 'done'],
  [{ maxTotal: offerOf('o').total.minus('0.01') }, 0, 'refused'],
] as const)('the guard of a confirm with %j at %i: %s', async (guards, now, end) => {
  expect(await ending(Promise.resolve().then(() => guard(offerOf('o'), guards, now)))).toBe(end)
})
