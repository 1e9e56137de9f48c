// What reconcile makes of an open order: by what the service says, and by what time has made certain. It never spends.
import { describe, expect, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { openJournal } from '../../src/journal/journal.ts'
import type { Spending } from '../../src/operations/deps.ts'
import { reconcile } from '../../src/operations/reconcile.ts'
import { apiKey, openService } from '../support/embedded.ts'

const owner = { profile: 'test', origin: 'test:' }
const minute = 60_000

const opened = async () => {
  const seen: string[] = []
  const service = await openService({
    onRequest: ({ path }) => void seen.push(path.replace(/^\/order\/(\w+).*/, '$1')),
  })
  const clock = {
    ...service.clock,
    sleep: async (ms: number, signal?: AbortSignal) => {
      // The deadline of a call: nothing here takes so long.
      if (ms >= 30_000) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
    },
  }
  const api = createApi(withCredentials(service.transport, { kind: 'bearer' }, apiKey), {
    clock,
    random: () => 0,
  })
  const journal = openJournal(':memory:')
  const deps: Spending = { api, clock, interrupted: new AbortController().signal, journal, owner }
  /** In the journal as one whose create was answered. */
  const placed = async (...skus: string[]): Promise<string> => {
    const { data } = await service.create(skus)
    const at = clock.now()
    const begun = journal.beginCreate({
      ...owner,
      reference: data.id,
      request: '{}',
      wallet: 'USD',
      allowDuplicate: false,
      at,
      until: at + 45_000,
    })
    if (begun.kind === 'taken') throw new Error('taken')
    journal.endCreate(begun, { outcome: 'done', orderId: data.id, total: '1', expiresAt: data.expiresAt }, at)
    return data.id
  }
  const confirming = (orderId: string): void => {
    const at = clock.now()
    journal.beginConfirm({
      ...owner,
      ...{ orderId, reference: orderId, wallet: 'USD', total: '1', at, until: at + 45_000 },
      ...{ allowDuplicate: false, isAnother: false },
    })
  }
  const entryOf = (orderId: string) => {
    const entry = journal.find(owner, orderId)
    if (entry === undefined) throw new Error('not in the journal')
    return entry
  }
  /** What is found, and that nothing was asked for but the order. */
  const found = async (orderId: string) => {
    seen.length = 0
    const { entry, open, settlesAt, problem } = await reconcile(deps, entryOf(orderId))
    expect(seen.filter((each) => each !== 'get')).toEqual([])
    return {
      standing: entry.standing,
      isOpen: open !== undefined,
      ...(settlesAt === undefined ? {} : { settlesIn: settlesAt - clock.now() }),
      ...(problem === undefined ? {} : { problem: problem.kind }),
      asked: seen.length,
    }
  }
  return { service, clock, journal, deps, placed, confirming, found, entryOf }
}

describe('a confirmation that is open', () => {
  test('took effect where the order is past it', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    confirming(id)
    await service.confirm(id)
    expect(await found(id)).toEqual({ standing: 'confirmed', isOpen: false, asked: 1 })
    service.clock.advance(5_000)
    expect(await found(id)).toEqual({ standing: 'successful', isOpen: false, asked: 1 })
    expect(await found(id)).toEqual({ standing: 'successful', isOpen: false, asked: 0 })
  })

  test('stays open while it may yet arrive, and had no effect after that', async () => {
    const { service, placed, confirming, found, journal, entryOf } = await opened()
    const id = await placed('GAME-US')
    confirming(id)
    expect(await found(id)).toEqual({ standing: 'unknown', isOpen: true, settlesIn: minute, asked: 1 })
    service.clock.advance(minute - 1)
    expect(await found(id)).toEqual({ standing: 'unknown', isOpen: true, settlesIn: 1, asked: 1 })
    service.clock.advance(1)
    expect(await found(id)).toEqual({ standing: 'created', isOpen: false, asked: 1 })
    expect(journal.callsOf(entryOf(id).number).at(-1)).toMatchObject({ settled: 'no-effect' })
  })

  test('of an order whose time is over has lapsed', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    confirming(id)
    service.clock.advance(11 * minute)
    expect(await found(id)).toEqual({ standing: 'lapsed', isOpen: false, asked: 1 })
  })

  test('of an order that cannot be read stays as it is, and why is said', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('GAME-US')
    confirming(id)
    service.clock.advance(5 * minute)
    await service.mock('POST', '/faults', { fault: 'get:redirectx3' })
    expect(await found(id)).toEqual({ standing: 'unknown', isOpen: true, problem: 'internal', asked: 1 })
  })

  test('in a state that nobody documented stays open: it is not known to be past', async () => {
    const { service, placed, confirming, found } = await opened()
    const id = await placed('TEST-ODD-STATE')
    confirming(id)
    await service.confirm(id)
    for (const ms of [20_000, minute, 20 * minute]) {
      service.clock.advance(ms)
      expect(await found(id)).toEqual({ standing: 'unknown', isOpen: true, asked: 1 })
    }
  })
})

describe('a clock that is wrong', () => {
  test('put back does not keep an order open that has expired by the service', async () => {
    const { deps, placed, confirming, entryOf, service } = await opened()
    const id = await placed('GAME-US')
    confirming(id)
    service.clock.advance(12 * minute)
    const back = { ...deps.clock, now: () => deps.clock.now() - 365 * 24 * 60 * minute }
    const { entry, open } = await reconcile({ ...deps, clock: back }, entryOf(id))
    expect({ standing: entry.standing, open }).toEqual({ standing: 'lapsed', open: undefined })
  })

  test('put back leaves open what it cannot judge, and names no time', async () => {
    const { deps, placed, confirming, entryOf } = await opened()
    const id = await placed('GAME-US')
    confirming(id)
    const back = { ...deps.clock, now: () => deps.clock.now() - 60 * minute }
    const found = await reconcile({ ...deps, clock: back }, entryOf(id))
    expect(found).not.toHaveProperty('settlesAt')
    expect(found.entry.standing).toBe('unknown')
  })
})

test('an order that the service has forgotten since it expired has lapsed, if it was never confirmed from here', async () => {
  const { deps, placed, confirming, entryOf, service } = await opened()
  const [never, once] = [await placed('TEST-NOT-FOUND-LATER'), await placed('TEST-NOT-FOUND-LATER')]
  confirming(once)
  service.clock.advance(12 * minute)
  const gone = {
    ...deps.api,
    get: async () =>
      ({
        kind: 'refused',
        refusal: 'order-not-found',
        status: 404,
        message: '',
        serverTime: deps.clock.now(),
      }) as const,
  }
  const standings = await Promise.all(
    [never, once].map(async (id) => (await reconcile({ ...deps, api: gone }, entryOf(id))).entry.standing),
  )
  expect(standings).toEqual(['lapsed', 'unknown'])
})

test('an order of which nobody knows when it expires lapses in a quarter of an hour', async () => {
  const { journal, deps, clock, service } = await opened()
  const id = await service.created(['GAME-US'])
  const at = clock.now()
  const begun = journal.beginCreate({
    ...owner,
    ...{ reference: 'r', request: '{}', wallet: 'USD', allowDuplicate: false, at, until: at },
  })
  if (begun.kind === 'taken') throw new Error('taken')
  journal.endCreate(begun, { outcome: 'unknown', orderId: id }, at)
  const again = async () => {
    const entry = journal.numbered(begun.order)
    if (entry === undefined) throw new Error('lost')
    return (await reconcile(deps, entry)).entry
  }
  expect(await again()).toMatchObject({ standing: 'created', total: '25' })
  service.clock.advance(14 * minute)
  expect(await again()).toMatchObject({ standing: 'created' })
  service.clock.advance(2 * minute)
  expect(await again()).toMatchObject({ standing: 'lapsed' })
})

describe('an order that was not confirmed', () => {
  test('is created until its time is over by the service, then lapsed', async () => {
    const { service, placed, found } = await opened()
    const id = await placed('GAME-US')
    expect(await found(id)).toEqual({ standing: 'created', isOpen: false, asked: 1 })
    service.clock.advance(10 * minute)
    expect(await found(id)).toEqual({ standing: 'created', isOpen: false, asked: 1 })
    service.clock.advance(4_000)
    expect(await found(id)).toEqual({ standing: 'lapsed', isOpen: false, asked: 1 })
  })

  test('has not lapsed because the clock on the wall is wrong', async () => {
    const { deps, placed, entryOf } = await opened()
    const id = await placed('GAME-US')
    const wrong = { ...deps.clock, now: () => deps.clock.now() + 24 * 60 * minute }
    const { entry } = await reconcile({ ...deps, clock: wrong }, entryOf(id))
    expect(entry.standing).toBe('created')
  })

  test('but by somebody else meanwhile is what the service says, lapsed or not', async () => {
    const { service, placed, found, journal, entryOf, clock, deps } = await opened()
    const id = await placed('GAME-US')
    journal.settle(entryOf(id), undefined, { settled: 'lapsed', standsAs: 'lapsed', at: clock.now() })
    await service.confirm(id)
    await deps.api.get(id)
    journal.noteOrder({ ...owner, orderId: id }, { state: 'confirmed', at: clock.now() })
    expect(await found(id)).toMatchObject({ standing: 'confirmed' })
  })
})

test('a create without an id is never asked for, and lapses in a quarter of an hour after its end', async () => {
  const { journal, deps, clock, service } = await opened()
  const at = clock.now()
  const intent = {
    ...owner,
    ...{ reference: 'r', request: '{}', wallet: 'USD', allowDuplicate: false, at, until: at + 45_000 },
  }
  const begun = journal.beginCreate(intent)
  if (begun.kind === 'taken') throw new Error('taken')
  const again = async () => {
    const entry = journal.numbered(begun.order)
    if (entry === undefined) throw new Error('lost')
    return (await reconcile(deps, entry)).entry.standing
  }
  expect(await again()).toBe('unknown')
  service.clock.advance(45_000 + 15 * minute - 1)
  expect(await again()).toBe('unknown')
  service.clock.advance(1)
  expect(await again()).toBe('lapsed')
  expect(journal.beginCreate(intent).kind).toBe('begun')
})
