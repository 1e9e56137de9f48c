// watch in process: its intervals, the errors that it tolerates, and its ends.

import { describe, expect, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import type { Clock } from '../../../src/contract/clock.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import { Failure } from '../../../src/errors.ts'
import { type WatchSettings, watch } from '../../../src/operations/watch/watch.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { fixWith } from '../../support/suggest.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Step =
  | string
  | { readonly error: string }
  | { readonly unsent: string }
  | { readonly refused: 'order-not-found' | 'credentials' | 'invalid-order-id' }

/** Responses each get with the next step, the last one for ever; time passes while it waits, and not otherwise. */
const watched = (steps: readonly Step[], options: Partial<WatchSettings> = {}, ids = ['o'], jumpMs = 0) => {
  let now = 0
  const asked = new Map<string, number>()
  const waits: number[] = []
  const states: string[] = []
  const errors: string[] = []
  const get = async (id: string) => {
    const at = asked.get(id) ?? 0
    asked.set(id, at + 1)
    const step = steps[Math.min(at, steps.length - 1)] ?? ''
    if (typeof step === 'string')
      return {
        kind: 'done',
        data: { uid: id, state: step, createdDate: { _seconds: now / 1000, _nanoseconds: 0 } } as Order,
        message: '',
      }
    if ('error' in step) return { kind: 'unknown', reason: step.error }
    if ('unsent' in step) return { kind: 'not-sent', reason: step.unsent }
    return { kind: 'refused', status: 404, message: 'Not Found', refusal: step.refused }
  }
  const result = watch(ids, {
    ...{ api: { get } as unknown as Api, record: async () => {} },
    clock: {
      // As somebody puts it right in the first wait.
      now: () => now + (waits.length > 0 ? jumpMs : 0),
      monotonic: () => now,
      // The whole time-out is waited for beside the rounds: it never comes here before they see it themselves.
      sleep: async (ms, signal) => {
        if (ms === options.timeoutMs && waits.length === 0 && asked.size === 0) {
          return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
        }
        waits.push(ms)
        now += ms
      },
      newId: () => '',
    },
    random: () => 0.5,
    interrupted: new AbortController().signal,
    onState: ({ state }) => void states.push(state),
    onPollError: (id, reason) => void errors.push(`${id}: ${reason}`),
    ...options,
  }).then(
    (orders) => orders.map(({ uid, state }) => `${uid} ${state}`),
    (error: unknown) => (error instanceof Failure ? [error.kind, error.message] : [String(error)]),
  )
  return result.then((end) => ({
    end,
    waits: waits.map(Math.round),
    states,
    errors,
    asked: [...asked.values()],
  }))
}

test('polls less often while nothing changes, and often again after a change', async () => {
  const slow = Array.from({ length: 8 }, () => 'confirmed')
  expect(await watched([...slow, 'processing', 'processing', 'successful'])).toEqual({
    end: ['o successful'],
    waits: [1_000, 1_500, 2_250, 3_375, 5_063, 7_594, 10_000, 10_000, 1_000, 1_500],
    states: ['confirmed', 'processing', 'successful'],
    errors: [],
    asked: [11],
  })
})

test.each([
  [0, 800],
  [0.5, 1_000],
  [0.999_999, 1_200],
])('adds jitter to its waits: %f', async (chance, ms) => {
  expect((await watched(['confirmed', 'failed'], { random: () => chance })).waits).toEqual([ms])
})

test('--interval fixes the wait without jitter', async () => {
  const { waits } = await watched(['confirmed', 'confirmed', 'confirmed', 'partial'], {
    intervalMs: 70,
    random: () => 0,
  })
  expect(waits).toEqual([70, 70, 70])
})

test('an order that is already final is read once', async () => {
  expect(await watched(['rejected'])).toEqual({
    end: ['o rejected'],
    waits: [],
    states: ['rejected'],
    errors: [],
    asked: [1],
  })
})

test('the results keep the given sequence, whichever response is first', async () => {
  const get = async (uid: string) => {
    if (uid === 'first') await turnEventLoop()
    return { kind: 'done', data: { uid, state: 'successful' } as Order, message: '' }
  }
  const { end } = await watched([], { api: { get } as unknown as Api }, ['first', 'second'])
  expect(end).toEqual(['first successful', 'second successful'])
})

test('a wait ticks every second and at its end', async () => {
  const ticks: string[] = []
  const { waits } = await watched(['confirmed', 'successful'], {
    intervalMs: 2_500,
    onTick: () => void ticks.push('tick'),
  })
  expect({ waits, ticks: ticks.length }).toEqual({ waits: [1_000, 1_000, 500], ticks: 3 })
})

describe('a watch that ends early names its orders', () => {
  const detailsOf = async (ids: readonly string[], how: 'time' | 'signal') => {
    const get = async (uid: string) => ({
      kind: 'done',
      data: { uid, state: 'confirmed' } as Order,
      message: '',
    })
    const clock = createManualClock(0)
    const stop = new AbortController()
    const watching = watch(ids, {
      ...{
        api: { get } as unknown as Api,
        record: async () => {},
        clock,
        random: () => 0.5,
        interrupted: stop.signal,
      },
      ...{ onState: () => {}, onPollError: () => {}, timeoutMs: 500 },
    }).catch((error: Failure) => error.details)
    await turnEventLoop()
    if (how === 'time') clock.advance(500)
    else stop.abort('SIGINT')
    return await watching
  }

  test('in the command to continue', async () => {
    expect(await detailsOf(['a', "b'; rm"], 'time')).toEqual({
      fix: fixWith(`Keep watching: orderctl watch a 'b'\\''; rm'`),
      retryable: true,
    })
    expect(await detailsOf(['a b', 'c'], 'signal')).toEqual({
      fix: fixWith("Keep watching: orderctl watch 'a b' c"),
    })
  })

  test('by id if there is one', async () => {
    expect(await detailsOf(['a'], 'time')).toMatchObject({ orderId: 'a' })
    expect(await detailsOf(['a'], 'signal')).toMatchObject({ orderId: 'a' })
  })
})

test('a change of one order shortens the interval of all', async () => {
  const slow = Array.from({ length: 3 }, () => 'confirmed')
  const byId: Record<string, string[]> = {
    a: [...slow, 'confirmed', 'confirmed', 'successful'],
    b: [...slow, 'processing', 'processing', 'successful'],
  }
  const asked = new Map<string, number>()
  const get = async (uid: string) => {
    const count = asked.get(uid) ?? 0
    asked.set(uid, count + 1)
    return { kind: 'done', data: { uid, state: byId[uid]?.[count] } as Order, message: '' }
  }
  const { end, waits } = await watched([], { api: { get } as unknown as Api }, ['a', 'b'])
  expect({ end, waits }).toEqual({
    end: ['a successful', 'b successful'],
    waits: [1_000, 1_500, 2_250, 1_000, 1_500],
  })
})

test('onState is awaited', async () => {
  const told: string[] = []
  const onState = async ({ state }: Order) => {
    await turnEventLoop()
    told.push(state)
  }
  const { end } = await watched(['confirmed', 'successful'], { onState })
  expect({ end, told }).toEqual({ end: ['o successful'], told: ['confirmed', 'successful'] })
})

describe('an order that was not confirmed in time', () => {
  const minute = 60_000
  /** Created at 0; how long after that the service responds, in minutes, or nothing of its time. */
  const answered = (state: string, at?: number) => {
    const createdDate = { _seconds: 0, _nanoseconds: 0 }
    const get = async (uid: string) => ({
      kind: 'done',
      data: { uid, state, createdDate } as Order,
      message: '',
      ...(at === undefined ? {} : { serverTime: at * minute }),
    })
    return { api: { get } as unknown as Api, timeoutMs: 4_000 }
  }
  const ends = ['o created']
  const waits = ['timed-out', expect.anything()]
  const expiresAt = (orderId: string) => (orderId === 'o' ? 40 * minute : undefined)

  test.each<[string, Partial<WatchSettings>, readonly string[]]>([
    ['ends the watch', answered('created', 30), ends],
    ['may be confirmed yet', answered('created', 9), waits],
    ['has the expiry that its creation told', { ...answered('created', 30), expiresAt }, waits],
    ['has expired by that', { ...answered('created', 50), expiresAt }, ends],
    ['is judged by the time of the service alone', answered('created'), waits],
    ['is none if it is confirmed', answered('confirmed', 30), waits],
    ['is not known by a state that nobody documented', answered('on-hold', 30), waits],
  ])('%s', async (_name, options, end) => {
    expect((await watched([], options)).end).toEqual(end)
  })
})

describe('a failed read', () => {
  test('is reported and tolerated', async () => {
    const { end, errors } = await watched([
      'confirmed',
      { error: 'reset' },
      { refused: 'order-not-found' },
      'successful',
    ])
    expect({ end, errors }).toEqual({ end: ['o successful'], errors: ['o: reset', 'o: Not Found'] })
  })

  test('ends the watch after five unreadable responses if the order was never seen', async () => {
    const bad = { error: 'not JSON' }
    const endless = await watched([bad])
    expect(endless.end).toEqual(['unavailable', expect.stringMatching(/: not JSON$/)])
    expect(endless).toMatchObject({ asked: [5], errors: Array(4).fill('o: not JSON') })
    const four = await watched([bad, bad, bad, bad, 'successful'])
    expect(four).toMatchObject({ end: ['o successful'], errors: Array(4).fill('o: not JSON') })
  })

  test('never ends the watch that way if the order was seen or is confirmed', async () => {
    const bad = Array.from({ length: 9 }, () => ({ error: 'not JSON' }))
    expect((await watched(['confirmed', ...bad, 'successful'])).end).toEqual(['o successful'])
    expect((await watched([...bad, 'successful'], { known: true })).end).toEqual(['o successful'])
  })

  test('ends the watch if the service was never reached', async () => {
    const away = { unsent: 'connection refused' }
    expect((await watched([away])).end).toEqual([
      'unavailable',
      expect.stringMatching(/: connection refused$/),
    ])
    expect((await watched(['confirmed', away, 'successful'])).end).toEqual(['o successful'])
    expect((await watched([away, 'successful'], { known: true })).end).toEqual(['o successful'])
  })

  test('ends the watch if the first response is not found', async () => {
    expect((await watched([{ refused: 'order-not-found' }])).end).toEqual([
      'refused',
      'order o: the service refused: Not Found',
    ])
  })

  test('does not end the watch of an order that was just confirmed', async () => {
    const { end, errors } = await watched([{ refused: 'order-not-found' }, 'successful'], { known: true })
    expect({ end, errors }).toEqual({ end: ['o successful'], errors: ['o: Not Found'] })
  })

  test.each(['invalid-order-id', 'credentials'] as const)(
    '%s after a confirm says that money is spent',
    async (refused) => {
      const { end } = await watched([{ refused }], { known: true })
      expect(end).toEqual(['unknown', expect.stringMatching(/^the order is confirmed, but /)])
    },
  )

  test('ends the watch if the credentials are rejected', async () => {
    expect((await watched(['confirmed', { refused: 'credentials' }])).end).toEqual([
      'credentials',
      'the service rejected the credentials: Not Found',
    ])
  })
})

describe('--for', () => {
  test.each([
    ['confirmed', ['created', 'confirmed'], 'o confirmed'],
    ['confirmed', ['created', 'processing'], 'o processing'],
    ['successful', ['processing', 'failed'], 'o failed'],
    ['under-review', ['processing', 'under-review'], 'o under-review'],
  ])('%s over %j ends at %s', async (forState, steps, end) => {
    expect((await watched(steps, { forState })).end).toEqual([end])
  })
})

test.each([1, -1])(
  'a clock that is put a day off meanwhile ends no watch before its time: %i',
  async (sign) => {
    const ended = await watched(['confirmed', 'successful'], { timeoutMs: 4_000 }, ['o'], sign * 86_400_000)
    expect(ended).toMatchObject({ end: ['o successful'], waits: [1_000] })
    const late = await watched(['confirmed'], { timeoutMs: 4_000 }, ['o'], sign * 86_400_000)
    expect(late).toMatchObject({ end: ['timed-out', expect.anything()], waits: [1_000, 1_500, 1_500] })
  },
)

test.each([
  ['SIGINT', 'interrupted'],
  ['SIGTERM', 'terminated'],
])('%s ends it as %s, with the orders that are still open', async (signal, kind) => {
  const stop = new AbortController()
  const { end, asked, waits } = await watched(
    ['confirmed'],
    { interrupted: stop.signal, onTick: () => stop.abort(signal), intervalMs: 9_000 },
    ['a', 'b'],
  )
  expect(end).toEqual([kind, 'stopped watching; the orders go on'])
  // At the first tick of the wait, and without another question.
  expect({ asked, waits }).toEqual({ asked: [1, 1], waits: [1_000] })
})

describe('a request in progress is awaited', () => {
  /** Responses the first calls with a state, and then ends a call only when its signal aborts, as the api does. */
  const pending = (answers: number, ids: readonly string[], options: Partial<WatchSettings> = {}) => {
    const clock = createManualClock(0)
    let asked = 0
    const get = (uid: string, { signal }: { signal: AbortSignal }) => {
      asked += 1
      if (asked <= answers)
        return Promise.resolve({ kind: 'done', data: { uid, state: 'confirmed' } as Order })
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ kind: 'unknown', reason: 'aborted' })),
      )
    }
    const errors: string[] = []
    let end: unknown
    void watch(ids, {
      ...{ api: { get } as unknown as Api, record: async () => {} },
      clock,
      random: () => 0.5,
      interrupted: new AbortController().signal,
      onState: () => {},
      onPollError: (id) => void errors.push(id),
      ...options,
    }).then(
      () => {
        end = 'done'
      },
      (error: Failure) => {
        end = [error.kind, error.message, clock.monotonic()]
      },
    )
    return { clock, errors, asked: () => asked, end: () => end }
  }

  test.each([
    [0, ['o'], [4_000]],
    // One order has been responded, the other has not.
    [1, ['a', 'b'], [4_000]],
    // The second round is asked after a second.
    [1, ['o'], [1_000, 3_000]],
    [2, ['a', 'b'], [1_000, 3_000]],
  ])('not past --timeout: %i answers, %j', async (answers, ids, steps) => {
    const { clock, errors, asked, end } = pending(answers, ids, { timeoutMs: 4_000 })
    for (const ms of steps) {
      await turnEventLoop()
      expect(end()).toBeUndefined()
      clock.advance(ms - 1)
      await turnEventLoop()
      expect(end()).toBeUndefined()
      clock.advance(1)
    }
    await turnEventLoop()
    expect(end()).toEqual(['timed-out', expect.stringContaining(`: ${ids.join(' ')}`), 4_000])
    expect(asked()).toBe(ids.length * steps.length)
    expect(errors).toEqual([])
    expect(clock.sleepers.size).toBe(0)
  })

  test('not past --timeout, even if the timer is early', async () => {
    const clock = createManualClock(0)
    const early: Clock = {
      ...clock,
      sleep: (ms, signal) => clock.sleep(ms === 4_000 ? 3_999 : ms, signal),
    }
    const { asked, end } = pending(0, ['o'], { clock: early, timeoutMs: 4_000 })
    await turnEventLoop()
    clock.advance(3_999)
    await turnEventLoop()
    expect(end()).toMatchObject({ 0: 'timed-out' })
    expect(asked()).toBe(1)
  })

  test('not past an interruption', async () => {
    const stop = new AbortController()
    const { clock, errors, end } = pending(0, ['o'], { interrupted: stop.signal, timeoutMs: 4_000 })
    await turnEventLoop()
    stop.abort('SIGINT')
    await turnEventLoop()
    expect(end()).toEqual(['interrupted', 'stopped watching; the order goes on', 0])
    expect(errors).toEqual([])
    // The wait for the time-out has ended with the watch.
    expect(clock.sleepers.size).toBe(0)
  })

  test('forever without --timeout', async () => {
    const { clock, end } = pending(0, ['o'])
    await turnEventLoop()
    clock.advance(86_400_000)
    await turnEventLoop()
    expect(end()).toBeUndefined()
  })
})
