// What reconcile concludes from the service's responses and from the proof over time.

import { describe, expect, test } from 'vitest'
import type { Api } from '../../src/client/api.ts'
import type { Journal } from '../../src/journal/journal.ts'
import type { ConfirmEnd } from '../../src/journal/orders/calls.ts'
import { recordExpiry } from '../../src/journal/orders/observations.ts'
import { findOrderById, listCalls } from '../../src/journal/orders/queries.ts'
import { recordRead } from '../../src/operations/read.ts'
import { reconcile } from '../../src/operations/reconcile.ts'
import { openSession, owner } from './session.ts'

const minute = 60_000

const opened = async () => {
  const { service, seen, journal, session, clock } = await openSession()
  const beginCreate = (allowDuplicate: boolean) => {
    const at = clock.now()
    return journal.calls.beginCreate({
      ...owner,
      // The reference of the test service's orders.
      reference: 'a reference',
      request: '{}',
      wallet: 'USD',
      allowDuplicate,
      at,
      until: at + 45_000,
    })
  }
  /** In the journal as one whose create had a response. */
  const placed = async (...skus: string[]): Promise<string> => {
    const { data } = await service.create(skus)
    const at = clock.now()
    const begun = await beginCreate(true)
    if (begun.kind !== 'started') throw new Error('taken')
    const facts = { orderId: data.id, total: '1', createdAt: at, expiresAt: data.expiresAt }
    await journal.calls.endCreate(begun, { outcome: 'done', ...facts }, at)
    return data.id
  }
  /** In the journal as one whose confirm has no response, or that one. */
  const confirming = async (orderId: string, end?: ConfirmEnd): Promise<void> => {
    const at = clock.now()
    const begun = await journal.calls.beginConfirm({
      ...owner,
      ...{ orderId, reference: 'a reference', wallet: 'USD', total: '1', at, until: at + 45_000 },
      allowDuplicate: false,
      counts: 1_000_000n,
    })
    if (begun.kind !== 'started') throw new Error(begun.kind)
    if (end !== undefined) await journal.calls.endConfirm(begun, end, at)
  }
  const entryOf = async (orderId: string) => {
    const entry = await findOrderById(journal.read, owner, orderId)
    if (entry === undefined) throw new Error('not in the journal')
    return entry
  }
  /** The result, and that orderctl asked only for the order. */
  const found = async (orderId: string) => {
    seen.length = 0
    const { entry, unproven, provenAt, problem } = await reconcile(session, await entryOf(orderId))
    expect(seen.filter((each) => each !== 'get')).toEqual([])
    return {
      state: entry.state,
      isUnproven: unproven !== undefined,
      ...(provenAt === undefined ? {} : { provenIn: provenAt - clock.now() }),
      ...(problem === undefined ? {} : { problem: problem.kind }),
      asked: seen.length,
    }
  }
  type Get = Api['get']
  /** Reconciles with changed responses to get. */
  const reconcileWith = async (id: string, change: (outcome: Awaited<ReturnType<Get>>) => unknown) => {
    const get = async (...given: Parameters<Get>) => change(await session.api.get(...given))
    const api = { ...session.api, get: get as Get }
    return reconcile({ ...session, api }, await entryOf(id))
  }
  const inState = (state: string) => (outcome: Awaited<ReturnType<Get>>) =>
    outcome.kind === 'done' ? { ...outcome, data: { ...outcome.data, state } } : outcome
  return {
    service,
    clock,
    journal,
    session,
    beginCreate,
    placed,
    confirming,
    found,
    entryOf,
    reconcileWith,
    inState,
  }
}

describe('a confirm without a response', () => {
  test('took effect if the order has a later state', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    await confirming(id)
    await service.confirm(id)
    expect(await found(id)).toEqual({ state: 'confirmed', isUnproven: false, asked: 1 })
    service.clock.advance(5_000)
    expect(await found(id)).toEqual({ state: 'successful', isUnproven: false, asked: 1 })
    expect(await found(id)).toEqual({ state: 'successful', isUnproven: false, asked: 0 })
  })

  test('is proven to have spent nothing by two responses, a minute apart, over a minute after the expiry', async () => {
    const { service, placed, confirming, found, journal, entryOf } = await opened()
    const id = await placed('GAME-US')
    await confirming(id)
    const open = (provenIn: number) => ({ state: 'unknown', isUnproven: true, provenIn, asked: 1 })
    expect(await found(id)).toEqual(open(12 * minute))
    service.clock.advance(11 * minute)
    expect(await found(id)).toEqual(open(minute))
    service.clock.advance(1_000)
    expect(await found(id)).toEqual(open(minute))
    service.clock.advance(minute - 1_000)
    expect(await found(id)).toEqual(open(1_000))
    service.clock.advance(1_000)
    expect(await found(id)).toEqual({ state: 'expired', isUnproven: false, asked: 1 })
    expect((await listCalls(journal.read, (await entryOf(id)).number)).at(-1)).toMatchObject({
      settled: 'expired',
    })
  })

  test.each([400, 403, 419, 429])('or refused with %i needs the same proof', async (status) => {
    const { service, beginCreate, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    await confirming(id, { outcome: 'refused', status })
    expect(await found(id)).toMatchObject({ state: 'created', isUnproven: true })
    service.clock.advance(11 * minute + 1_000)
    expect(await found(id)).toMatchObject({ state: 'created', isUnproven: true })
    expect((await beginCreate(false)).kind).toBe('taken')
    service.clock.advance(minute)
    expect(await found(id)).toEqual({ state: 'expired', isUnproven: false, asked: 1 })
    expect((await beginCreate(false)).kind).toBe('started')
  })

  test('needs a new proof if the order is confirmed again', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    await confirming(id, { outcome: 'refused', status: 400 })
    service.clock.advance(12 * minute)
    expect(await found(id)).toMatchObject({ isUnproven: true, provenIn: minute })
    await confirming(id)
    service.clock.advance(minute)
    expect(await found(id)).toMatchObject({ isUnproven: true, provenIn: minute })
  })

  test('that was refused is not proven by what proves a later one that was not sent', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    // Its copy may still wait in a proxy.
    await confirming(id, { outcome: 'refused', status: 429 })
    await confirming(id, { outcome: 'not-sent' })
    service.clock.advance(12 * minute)
    expect(await found(id)).toMatchObject({ state: 'created', isUnproven: true, provenIn: minute })
    service.clock.advance(minute)
    expect(await found(id)).toMatchObject({ state: 'expired', isUnproven: false })
  })

  test('is not proven by a response that was asked for before another confirm', async () => {
    const { service, placed, confirming, found, reconcileWith } = await opened()
    const id = await placed('GAME-US')
    await confirming(id, { outcome: 'refused', status: 400 })
    service.clock.advance(12 * minute)
    expect(await found(id)).toMatchObject({ isUnproven: true, provenIn: minute })
    service.clock.advance(minute)
    const { unproven } = await reconcileWith(id, async (outcome) => {
      await confirming(id, { outcome: 'refused', status: 400 })
      return outcome
    })
    expect(unproven).toBeDefined()
    // Neither of the two responses counts.
    service.clock.advance(30_000)
    expect(await found(id)).toMatchObject({ isUnproven: true, provenIn: minute })
  })

  test('of an unreadable order stays unknown, with a reason', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    await confirming(id)
    service.clock.advance(20 * minute)
    await service.mock('POST', '/faults', { fault: 'get:redirectx3' })
    for (const _ of ['first', 'second']) {
      const problem = 'unavailable'
      expect(await found(id)).toEqual({ state: 'unknown', isUnproven: true, problem, asked: 1 })
      service.clock.advance(2 * minute)
    }
  })

  test('in an undocumented state is never proven', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('TEST-ODD-STATE')
    await confirming(id)
    await service.confirm(id)
    for (const ms of [20_000, minute, 20 * minute]) {
      service.clock.advance(ms)
      expect(await found(id)).toEqual({ state: 'unknown', isUnproven: true, asked: 1 })
    }
  })
})

describe("time is the service's", () => {
  test.each([
    ['behind', -365 * 24 * 60 * minute],
    ['ahead', 365 * 24 * 60 * minute],
  ])('so a local clock that is a year %s changes nothing', async (_title, ms) => {
    const { session, placed, confirming, entryOf, service } = await opened()
    const id = await placed('GAME-US')
    await confirming(id)
    const wrong = { ...session, clock: { ...session.clock, now: () => session.clock.now() + ms } }
    expect((await reconcile(wrong, await entryOf(id))).entry.state).toBe('unknown')
    service.clock.advance(12 * minute)
    expect((await reconcile(wrong, await entryOf(id))).entry.state).toBe('unknown')
    service.clock.advance(minute)
    expect((await reconcile(wrong, await entryOf(id))).entry.state).toBe('expired')
  })

  test('and without it, the time here since the create counts', async () => {
    const { placed, service, reconcileWith } = await opened()
    const id = await placed('GAME-US')
    const readState = async () =>
      (await reconcileWith(id, ({ serverTime: _, ...outcome }) => outcome)).entry.state
    service.clock.advance(10 * minute + 45_000)
    expect(await readState()).toBe('created')
    service.clock.advance(1)
    expect(await readState()).toBe('expired')
  })
})

test('an order that the service deleted after its expiry is expired unless a confirm is unproven', async () => {
  const { placed, confirming, service, reconcileWith } = await opened()
  const [never, once] = [await placed('TEST-NOT-FOUND-LATER'), await placed('TEST-NOT-FOUND-LATER')]
  await confirming(once)
  service.clock.advance(13 * minute)
  const states: string[] = []
  for (const id of [never, once]) {
    const { entry } = await reconcileWith(id, ({ serverTime }) => ({
      ...{ kind: 'refused', refusal: 'order-not-found', status: 404, message: '', serverTime },
    }))
    states.push(entry.state)
  }
  expect(states).toEqual(['expired', 'unknown'])
})

describe('an order that was not confirmed', () => {
  test.each(['expired', 'gone', 'creating'])('expires, also if the service calls it %s', async (state) => {
    const { service, placed, reconcileWith, inState } = await opened()
    const id = await placed('GAME-US')
    service.clock.advance(11 * minute)
    expect((await reconcileWith(id, inState(state))).entry.state).toBe('expired')
  })

  test("is created until it expires by the service's clock", async () => {
    const { service, placed, found } = await opened()
    const id = await placed('GAME-US')
    expect(await found(id)).toEqual({ state: 'created', isUnproven: false, asked: 1 })
    service.clock.advance(10 * minute)
    expect(await found(id)).toEqual({ state: 'created', isUnproven: false, asked: 1 })
    service.clock.advance(4_000)
    expect(await found(id)).toEqual({ state: 'expired', isUnproven: false, asked: 1 })
  })

  test('here but elsewhere after it expired has the state of the service', async () => {
    const { service, placed, found, journal, entryOf, clock, session } = await opened()
    const id = await placed('GAME-US')
    await recordExpiry(journal, await entryOf(id), [], clock.now())
    await service.confirm(id)
    const response = await session.api.get(id)
    if (response.kind !== 'done') throw new Error(response.kind)
    await recordRead(session, { orderId: id }, response, clock.now())
    expect(await found(id)).toMatchObject({ state: 'confirmed' })
  })

  test('is recorded as paid, also if its cards cannot be recorded', async () => {
    const { service, placed, journal, entryOf, clock, session } = await opened()
    const id = await placed('GAME-US')
    await service.confirm(id)
    service.clock.advance(minute)
    const response = await session.api.get(id)
    if (response.kind !== 'done') throw new Error(response.kind)
    // The payment is recorded first.
    let isFirst = true
    const write: Journal['write'] = (work) => {
      const recorded = isFirst ? journal.write(work) : Promise.reject(new Error('no space'))
      isFirst = false
      return recorded
    }
    const noted = recordRead(
      { ...session, journal: { ...journal, write } },
      { orderId: id },
      response,
      clock.now(),
    )
    await expect(noted).rejects.toThrow('no space')
    expect((await entryOf(id)).state).toBe('successful')
  })

  test('is void if the service shows a different order under its id, unless a confirm is unproven', async () => {
    const { service, placed, confirming, reconcileWith } = await opened()
    const [never, once] = [await placed('GAME-US'), await placed('GAME-US')]
    await confirming(once)
    const reconcileAs = async (id: string) => {
      await service.confirm(id)
      const { entry, problem } = await reconcileWith(id, (outcome) =>
        outcome.kind === 'done'
          ? { ...outcome, data: { ...outcome.data, reference: 'another reference' } }
          : outcome,
      )
      return [entry.standing, entry.voidReason, problem?.kind]
    }
    expect(await reconcileAs(never)).toEqual(['void', 'stranger', undefined])
    expect(await reconcileAs(once)).toEqual(['confirming', undefined, 'unknown'])
  })
})
