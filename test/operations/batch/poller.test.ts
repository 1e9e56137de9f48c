// The poller of a batch: when it reads, how many orders at once, which errors it tolerates, and its ends.
import { describe, expect, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import { Failure } from '../../../src/errors.ts'
import type { ShownOrder } from '../../../src/journal/orders/list-orders.ts'
import { createPoller, type PollerSession, type PollResult } from '../../../src/operations/batch/poller.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Got = Awaited<ReturnType<Api['get']>>
type Answer = (id: string, count: number, signal: AbortSignal | undefined) => Got | Promise<Got>

const inState = (id: string, state: string): Got => ({
  kind: 'done',
  data: { uid: id, state } as Order,
  message: '',
})
const unreachable: Got = { kind: 'not-sent', reason: 'connection refused' }
const lostAnswer: Got = { kind: 'unknown', reason: 'HTTP 503: busy', status: 503 }
const notFound: Got = { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found' }
const noAccess: Got = { kind: 'refused', status: 403, message: 'Forbidden', refusal: 'credentials' }
const never = (): Promise<never> => new Promise(() => {})

const open = (answer: Answer, session: Partial<PollerSession> = {}) => {
  const clock = createManualClock(0)
  const interruption = new AbortController()
  const reads: { readonly id: string; readonly at: number }[] = []
  const inProgress: string[] = []
  const counts = new Map<string, number>()
  const peak = { reads: 0, sameOrder: 0 }
  const get: Api['get'] = async (id, { signal } = {}) => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    reads.push({ id, at: clock.now() })
    inProgress.push(id)
    peak.reads = Math.max(peak.reads, inProgress.length)
    peak.sameOrder = Math.max(peak.sameOrder, inProgress.filter((each) => each === id).length)
    try {
      return await answer(id, count, signal)
    } finally {
      inProgress.splice(inProgress.indexOf(id), 1)
    }
  }
  const poller = createPoller({
    ...{ api: { get } as Api, record: async () => {} },
    clock,
    interrupted: interruption.signal,
    random: () => 0.5,
    concurrency: () => 4,
    ready: async () => {},
    ...session,
  })
  const pass = async (ms: number, step = ms): Promise<void> => {
    for (let passed = 0; passed < ms; passed += step) {
      await turnEventLoop()
      clock.advance(step)
    }
    await turnEventLoop()
  }
  return { poller, clock, reads, inProgress, peak, interruption, pass }
}

/** The result in a word, once it is there. */
const watchResult = (promise: Promise<PollResult>) => {
  const seen: { kind?: string; error?: unknown } = {}
  promise.then(
    ({ kind }) => {
      seen.kind = kind
    },
    (error: unknown) => {
      seen.error = error
    },
  )
  return seen
}

const timesOf = (reads: readonly { readonly at: number }[]): number[] =>
  reads.map(({ at }, index) => at - (reads[index - 1]?.at ?? 0))

describe('an order', () => {
  test('is read first after 250 ms, then less and less often, up to 10 s', async () => {
    const { poller, reads, pass } = open((id, count) => inState(id, count < 14 ? 'processing' : 'successful'))
    const result = poller.untilFinal('o')
    await pass(80_000, 5)
    expect(await result).toEqual({ kind: 'final', order: { uid: 'o', state: 'successful' } })
    // The clock moves in steps of 5 ms.
    const grown = [250, 375, 565, 845, 1_270, 1_900, 2_850, 4_275, 6_410, 9_615]
    expect(timesOf(reads)).toEqual([...grown, 10_000, 10_000, 10_000, 10_000])
  })

  test('is read at intervals with jitter of a fifth', async () => {
    for (const [random, wanted] of [
      // Not 300 ms: at that time, the clock of other tests stops, because a waiting line would appear.
      [0, 305],
      [0.999_9, 450],
    ] as const) {
      const { reads, poller, pass } = open((id) => inState(id, 'confirmed'), { random: () => random })
      void poller.untilFinal('o')
      await pass(750, 5)
      expect(timesOf(reads)).toEqual([250, wanted])
    }
  })

  test.each(['successful', 'partial', 'failed', 'rejected'])('that is %s is final', async (state) => {
    const { poller, pass, clock } = open((id) => inState(id, state))
    const result = poller.untilFinal('o')
    await pass(250)
    expect(await result).toMatchObject({ kind: 'final', order: { state } })
    expect(clock.sleepers.size).toBe(0)
  })

  test.each(['created', 'confirmed', 'processing', 'on-hold'])('that is %s is read again', async (state) => {
    const { poller, pass, reads } = open((id) => inState(id, state))
    const result = watchResult(poller.untilFinal('o'))
    await pass(600_000, 5_000)
    expect([result, reads.length > 50]).toEqual([{}, true])
  })

  test('that is added during a long pause is read on time', async () => {
    const { poller, pass, reads } = open((id) => inState(id, id === 'slow' ? 'processing' : 'successful'))
    void poller.untilFinal('slow')
    await pass(60_000, 50)
    const added = reads.length
    const result = poller.untilFinal('new')
    await pass(250, 50)
    expect((await result).kind).toBe('final')
    expect(reads.slice(added).filter(({ id }) => id === 'new')).toEqual([{ id: 'new', at: 60_250 }])
  })

  test('has one result for all that wait for it, and may be polled again', async () => {
    const { poller, pass, reads } = open((id) => inState(id, 'successful'))
    const both = [poller.untilFinal('o'), poller.untilFinal('o')]
    await pass(250)
    const [one, other] = await Promise.all(both)
    expect([one === other, reads.length]).toEqual([true, 1])
    const again = poller.untilFinal('o')
    await pass(250)
    expect([(await again).kind, reads.length]).toEqual(['final', 2])
  })
})

describe('a failed read', () => {
  test.each<[string, Got]>([
    ['not sent', unreachable],
    ['unknown', lostAnswer],
    ['not found', notFound],
    ['without access', noAccess],
  ])('(%s) is repeated, and 20 in a row make the order lost', async (_name, outcome) => {
    const { poller, pass, reads } = open(() => outcome)
    const result = poller.untilFinal('o')
    const seen = watchResult(result)
    await pass(60_000, 250)
    expect(seen).toEqual({})
    await pass(140_000, 250)
    const found = await result
    expect([found.kind, reads.length]).toEqual(['lost', 20])
    const failure = found.kind === 'lost' ? found.failure : undefined
    expect([failure?.kind, failure?.details.orderId]).toEqual(['unknown', 'o'])
    expect(failure?.message).toMatch(/^the order is confirmed, but /)
  })

  test('is forgotten after a good read', async () => {
    const isGood = (count: number): boolean => count === 19 || count > 37
    const { poller, pass } = open((id, count) => (isGood(count) ? inState(id, 'confirmed') : unreachable))
    const result = watchResult(poller.untilFinal('o'))
    await pass(600_000, 1_000)
    expect(result).toEqual({})
    poller.stop()
  })

  test('may be an error of this machine, which is tolerated like the others', async () => {
    const full = new Failure('local-state', 'the disk is full')
    const { poller, pass } = open((id, count) => {
      if (id === 'unlucky' || count < 3) throw full
      return inState(id, 'successful')
    })
    const results = [poller.untilFinal('o'), poller.untilFinal('unlucky')]
    await pass(200_000, 250)
    expect(await Promise.all(results)).toMatchObject([{ kind: 'final' }, { kind: 'lost', failure: full }])
  })

  test('by a defect rejects, and other orders continue', async () => {
    const defect = new TypeError('a defect')
    const { poller, pass } = open((id) => {
      if (id === 'bad') throw defect
      return inState(id, 'successful')
    })
    const bad = watchResult(poller.untilFinal('bad'))
    const good = watchResult(poller.untilFinal('good'))
    await pass(250)
    expect([bad, good]).toEqual([{ error: defect }, { kind: 'final' }])
  })
})

test('each read says whether it failed, and why', async () => {
  const full = new Failure('local-state', 'the disk is full')
  const problems: (string | undefined)[] = []
  const { poller, pass } = open(
    (id, count) => {
      if (count === 1) throw full
      return inState(id, count === 2 ? 'processing' : 'successful')
    },
    { onRead: (problem) => problems.push(problem?.message) },
  )
  void poller.untilFinal('o')
  await pass(5_000, 250)
  expect(problems).toEqual(['the disk is full', undefined, undefined])
})

describe('the pace', () => {
  test('is kept with 1,000 orders: bounded reads, each order once at a time', async () => {
    const delays = (id: string): number => Number(id.slice(1)) % 7
    const settled = open(async (id, count) => {
      for (let turn = 0; turn < delays(id); turn += 1) await new Promise(setImmediate)
      return inState(id, count > delays(id) ? 'successful' : 'processing')
    })
    const ids = Array.from({ length: 1_000 }, (_, index) => `o${index}`)
    const all = Promise.all(ids.map((id) => settled.poller.untilFinal(id)))
    const seen: { kind?: string } = {}
    void all.then(() => {
      seen.kind = 'all'
    })
    for (let turn = 0; seen.kind === undefined && turn < 5_000; turn += 1) await settled.pass(50)
    const results = await all
    expect(results.map((result) => (result.kind === 'final' ? result.order.uid : ''))).toEqual(ids)
    expect(settled.peak).toEqual({ reads: 4, sameOrder: 1 })
    expect(settled.reads).toHaveLength(ids.reduce((sum, id) => sum + delays(id) + 1, 0))
  })

  test('may change: a lower limit holds reads back, and at least one always runs', async () => {
    let limit = 3
    const answers: (() => void)[] = []
    const { poller, pass, inProgress } = open(
      (id) => new Promise((resolve) => answers.push(() => resolve(inState(id, 'successful')))),
      { concurrency: () => limit },
    )
    const answer = async (): Promise<number> => {
      answers.shift()?.()
      await turnEventLoop()
      return inProgress.length
    }
    for (let index = 0; index < 8; index += 1) void poller.untilFinal(`o${index}`)
    await pass(250)
    expect(inProgress.length).toBe(3)
    limit = 0
    expect([await answer(), await answer(), await answer(), await answer()]).toEqual([2, 1, 1, 1])
    limit = 5
    expect(await answer()).toBe(3)
  })

  test('stops all reads until requests may be sent again', async () => {
    let release = (): void => {}
    const { poller, pass, reads } = open((id) => inState(id, 'successful'), {
      ready: () =>
        new Promise((resolve) => {
          release = resolve
        }),
    })
    const result = poller.untilFinal('o')
    await pass(60_000, 1_000)
    expect(reads).toEqual([])
    release()
    expect((await result).kind).toBe('final')
  })
})

describe('a stop', () => {
  const stops: [string, (opened: ReturnType<typeof open>) => void][] = [
    ['of the poller', ({ poller }) => poller.stop()],
    ['by an interruption', ({ interruption }) => interruption.abort('SIGINT')],
  ]
  test.each(stops)('%s ends all orders and reads', async (_name, stop) => {
    const aborted: string[] = []
    const opened = open((id, _count, signal) => {
      signal?.addEventListener('abort', () => aborted.push(id))
      return id === 'waiting' ? inState(id, 'processing') : never()
    })
    const { poller, clock, pass, reads } = opened
    const ids = ['waiting', 'a', 'b', 'c', 'd', 'e']
    const results = ids.map((id) => poller.untilFinal(id))
    await pass(250)
    const before = reads.length
    stop(opened)
    expect(await Promise.all(results)).toEqual(ids.map(() => ({ kind: 'stopped' })))
    expect(new Set(aborted).size).toBe(before)
    expect(await poller.untilFinal('later')).toEqual({ kind: 'stopped' })
    await pass(20_000, 1_000)
    expect([clock.sleepers.size, reads.length]).toEqual([0, before])
  })

  test('finishes when the reads in progress have ended', async () => {
    const answers: (() => void)[] = []
    const { poller, pass } = open(
      (id) => new Promise((resolve) => answers.push(() => resolve(inState(id, 'processing')))),
    )
    const results = ['a', 'b'].map((id) => poller.untilFinal(id))
    await pass(250)
    poller.stop()
    await Promise.all(results)
    const ended: string[] = []
    const finished = poller.finish().then(() => ended.push('finish'))
    for (const answer of answers) {
      await turnEventLoop()
      ended.push('read')
      answer()
    }
    await finished
    expect(ended).toEqual(['read', 'read', 'finish'])
  })

  test('ignores a response that arrives afterwards', async () => {
    let answer = (_outcome: Got): void => {}
    const { poller, pass, clock } = open(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    const result = poller.untilFinal('o')
    await pass(250)
    poller.stop()
    answer(inState('o', 'processing'))
    await turnEventLoop()
    expect([await result, clock.sleepers.size]).toEqual([{ kind: 'stopped' }, 0])
  })
})

describe('the journal', () => {
  const openWithJournal = (shown: () => Partial<ShownOrder>, states: string[] = ['processing']) => {
    const looks: (readonly string[])[] = []
    let state = states
    const opened = open((id) => inState(id, state.length > 1 ? (state.shift() ?? '') : (state[0] ?? '')), {
      readShown: async (orderIds) => {
        looks.push(orderIds)
        return orderIds.map((orderId) => ({ orderId, state: 'processing', ...shown() }))
      },
    })
    const become = (next: string): void => {
      state = [next]
    }
    return { ...opened, looks, become }
  }

  test('shows within a second that an order is final, and the order is read once', async () => {
    let shown = 'processing'
    const { poller, pass, reads, looks, become, clock } = openWithJournal(() => ({ state: shown }))
    const result = watchResult(poller.untilFinal('o'))
    await pass(60_000, 50)
    const before = reads.length
    become('successful')
    shown = 'successful'
    await pass(1_000, 50)
    expect(result).toEqual({ kind: 'final' })
    await poller.finish()
    expect([reads.length - before, clock.sleepers.size]).toEqual([1, 0])
    expect(looks.every((ids) => ids.join() === 'o')).toBe(true)
    // Once a second, and when an order is read.
    expect(looks.length).toBeGreaterThan(55)
    expect(looks.length).toBeLessThan(70)
  })

  test('does not replace a response: an order that the service shows open is read as before', async () => {
    const { poller, pass, reads } = openWithJournal(() => ({ state: 'successful' }))
    const result = watchResult(poller.untilFinal('o'))
    await pass(60_000, 50)
    expect([result, reads.length > 8, reads.length < 16]).toEqual([{}, true, true])
  })

  test('that cannot be read ends nothing: the order is read as before', async () => {
    const { poller, pass, reads, become } = openWithJournal(() => {
      throw new Error('locked')
    })
    const result = watchResult(poller.untilFinal('o'))
    await pass(60_000, 250)
    expect(reads.length).toBeGreaterThan(8)
    become('failed')
    await pass(12_000, 250)
    expect(result).toEqual({ kind: 'final' })
  })
})
