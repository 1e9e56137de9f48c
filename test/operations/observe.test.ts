// The observer: when it reads, how many orders at once, what the journal changes, and how waiting ends.
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/client/outcome.ts'
import type { Order } from '../../src/contract/schemas.ts'
import type { ChangedOrder } from '../../src/journal/orders/list-orders.ts'
import { createObserver, type ObserverOptions } from '../../src/operations/observe.ts'
import type { Sight } from '../../src/operations/view.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { turnEventLoop } from '../support/wait-until.ts'

type Got = Outcome<Order>
type Answer = (id: string, count: number, signal: AbortSignal | undefined) => Got | Promise<Got>

const inState = (uid: string, state: string): Got => ({
  kind: 'done',
  data: {
    uid,
    state,
    products: new Map(),
    createdDate: { _seconds: 0, _nanoseconds: 0 },
  } as unknown as Order,
  message: '',
})
const unreachable: Got = { kind: 'not-sent', reason: 'connection refused' }
const notFound: Got = { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found' }
const never = (): Promise<never> => new Promise(() => {})
const stateOf = (sight: Sight | undefined): string | undefined =>
  sight?.response.kind === 'done' ? sight.response.data.state : sight?.response.kind

/** By default as for a batch, but without jitter. The journal knows no order. */
const open = (answer: Answer, options: Partial<ObserverOptions> = {}) => {
  const clock = createManualClock(0)
  const interruption = new AbortController()
  const reads: { readonly id: string; readonly at: number }[] = []
  const inProgress: string[] = []
  const peak = { reads: 0, sameOrder: 0 }
  const get: ObserverOptions['api']['get'] = async (id, { signal } = {}) => {
    if (signal?.aborted) return unreachable
    reads.push({ id, at: clock.now() })
    inProgress.push(id)
    peak.reads = Math.max(peak.reads, inProgress.length)
    peak.sameOrder = Math.max(peak.sameOrder, inProgress.filter((each) => each === id).length)
    try {
      return await answer(id, reads.filter((read) => read.id === id).length, signal)
    } finally {
      inProgress.splice(inProgress.indexOf(id), 1)
    }
  }
  const observer = createObserver({
    ...{ api: { get }, record: async () => ({}), clock, interrupted: interruption.signal },
    ...{ random: () => 0.5, firstIntervalMs: 250, waitsFirst: true },
    onRead: () => false,
    isOver: (_, { view }) => view.isFinal,
    ...options,
  })
  const pass = async (ms: number, step = ms): Promise<void> => {
    for (let passed = 0; passed < ms; passed += step) {
      await turnEventLoop()
      clock.advance(step)
    }
    await turnEventLoop()
  }
  /** The last state once waiting is over; null if it was stopped. */
  const watch = (id: string) => {
    const seen: { end?: string | null; error?: unknown } = {}
    observer.until({ orderId: id }).then(
      (sight) => {
        seen.end = stateOf(sight) ?? null
      },
      (error: unknown) => {
        seen.error = error
      },
    )
    return seen
  }
  return { observer, clock, reads, inProgress, peak, interruption, pass, watch }
}

const pausesOf = (reads: readonly { readonly at: number }[]): number[] =>
  reads.map(({ at }, index) => at - (reads[index - 1]?.at ?? 0))

describe('an order', () => {
  test('is read less and less often, up to every 10 s, and often again after a change', async () => {
    const states = [...Array.from({ length: 12 }, () => 'confirmed'), 'processing', 'processing', 'failed']
    let before = 'confirmed'
    const { watch, reads, pass, clock } = open((id, count) => inState(id, states[count - 1] ?? ''), {
      onRead: (_, sight) => {
        const state = stateOf(sight) ?? ''
        const isChanged = state !== before
        before = state
        return isChanged
      },
    })
    const seen = watch('o')
    await pass(90_000, 5)
    expect(seen).toEqual({ end: 'failed' })
    // The clock moves in steps of 5 ms.
    const grown = [250, 250, 375, 565, 845, 1_270, 1_900, 2_850, 4_275, 6_410, 9_615]
    expect(pausesOf(reads)).toEqual([...grown, 10_000, 10_000, 250, 375])
    expect(clock.sleepers.size).toBe(0)
  })

  test('is read at intervals with jitter of a fifth, or at fixed ones', async () => {
    const pausesWith = async (options: Partial<ObserverOptions>) => {
      const { watch, reads, pass } = open((id) => inState(id, 'confirmed'), {
        ...{ firstIntervalMs: 1_000, waitsFirst: false, ...options },
      })
      watch('o')
      await pass(2_400, 100)
      return pausesOf(reads)
    }
    expect(await pausesWith({ random: () => 0 })).toEqual([0, 800, 1_200])
    expect(await pausesWith({ random: () => 0.999_999 })).toEqual([0, 1_200])
    expect(await pausesWith({ random: () => 0, isFixed: true })).toEqual([0, 1_000, 1_000])
  })

  test('has one result for all that wait for it, and may be observed again', async () => {
    const { observer, pass, reads } = open((id) => inState(id, 'successful'))
    const both = [observer.until({ orderId: 'o' }), observer.until({ orderId: 'o' })]
    await pass(250)
    const [one, other] = await Promise.all(both)
    expect([stateOf(one), one === other, reads.length]).toEqual(['successful', true, 1])
    const again = observer.until({ orderId: 'o' })
    await pass(250)
    expect([stateOf(await again), reads.length]).toEqual(['successful', 2])
  })

  test('has a timer of its own', async () => {
    const { watch, pass, reads } = open((id) => inState(id, id === 'slow' ? 'processing' : 'successful'))
    watch('slow')
    await pass(60_000, 50)
    const seen = watch('new')
    await pass(250, 50)
    expect(seen).toEqual({ end: 'successful' })
    expect(reads.filter(({ id }) => id === 'new')).toEqual([{ id: 'new', at: 60_250 }])
  })

  test('is in doubt since the last response that justified waiting', async () => {
    const doubts: number[] = []
    const { watch, pass } = open((id, count) => (count === 3 ? inState(id, 'confirmed') : notFound), {
      ...{ isFixed: true, firstIntervalMs: 1_000 },
      isOver: (_id, _sight, doubtMs) => doubts.push(doubtMs) > 5,
    })
    const seen = watch('o')
    await pass(6_000, 1_000)
    expect([doubts, seen.end]).toEqual([[1_000, 2_000, 0, 1_000, 2_000, 3_000], 'refused'])
  })

  test('with an error that is not a response rejects, and others go on', async () => {
    const defect = new TypeError('a defect')
    const { watch, pass } = open((id) => {
      if (id === 'bad') throw defect
      return inState(id, 'successful')
    })
    const [bad, good] = [watch('bad'), watch('good')]
    await pass(250)
    expect([bad, good]).toEqual([{ error: defect }, { end: 'successful' }])
  })
})

describe('the pace', () => {
  test('is kept with 300 orders: bounded reads, each order once at a time', async () => {
    const delays = (id: string): number => Number(id) % 7
    const { watch, pass, peak, reads } = open(
      async (id, count) => {
        for (let turn = 0; turn < delays(id); turn += 1) await new Promise(setImmediate)
        return inState(id, count > delays(id) ? 'successful' : 'processing')
      },
      { concurrency: () => 4 },
    )
    const ids = Array.from({ length: 300 }, (_, index) => String(index))
    const all = ids.map(watch)
    for (let turn = 0; all.some(({ end }) => end === undefined) && turn < 2_000; turn += 1) await pass(50)
    expect(all).toEqual(ids.map(() => ({ end: 'successful' })))
    expect(peak).toEqual({ reads: 4, sameOrder: 1 })
    expect(reads).toHaveLength(ids.reduce((sum, id) => sum + delays(id) + 1, 0))
  })

  test('may change: a lower limit holds reads back, but at least one always runs', async () => {
    let limit = 3
    const answers: (() => void)[] = []
    const { watch, pass, inProgress } = open(
      (id) => new Promise((resolve) => answers.push(() => resolve(inState(id, 'successful')))),
      { concurrency: () => limit },
    )
    const answer = async (): Promise<number> => {
      answers.shift()?.()
      await turnEventLoop()
      return inProgress.length
    }
    for (let index = 0; index < 8; index += 1) watch(`o${index}`)
    await pass(250)
    expect(inProgress.length).toBe(3)
    limit = 0
    expect([await answer(), await answer(), await answer(), await answer()]).toEqual([2, 1, 1, 1])
    limit = 5
    expect(await answer()).toBe(3)
  })

  test('stops all reads until requests may be sent again', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { watch, pass, reads } = open((id) => inState(id, 'successful'), { ready: () => promise })
    const seen = watch('o')
    await pass(60_000, 1_000)
    expect(reads).toEqual([])
    resolve()
    await turnEventLoop()
    expect(seen).toEqual({ end: 'successful' })
  })
})

describe('a stop', () => {
  const untilAborted = (signal: AbortSignal | undefined): Promise<Got> =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve(unreachable)))

  test.each<[string, (opened: ReturnType<typeof open>) => void]>([
    ['of the observer', ({ observer }) => observer.stop()],
    ['by an interruption', ({ interruption }) => interruption.abort('SIGINT')],
  ])('%s ends all orders and reads', async (_name, stop) => {
    const opened = open(
      (id, _count, signal) => (id === 'waiting' ? inState(id, 'processing') : untilAborted(signal)),
      { concurrency: () => 3, readChanged: async () => [] },
    )
    const { clock, pass, reads, watch } = opened
    const all = ['waiting', 'a', 'b', 'c', 'd', 'e'].map(watch)
    await pass(250)
    const before = reads.length
    stop(opened)
    const later = watch('later')
    await pass(20_000, 1_000)
    expect([...all, later]).toEqual(Array.from({ length: 7 }, () => ({ end: null })))
    expect([clock.sleepers.size, reads.length]).toEqual([0, before])
  })

  test('finishes when the reads in progress have ended, and keeps what they show', async () => {
    const answers: (() => void)[] = []
    const { observer, watch, pass } = open(
      (id) => new Promise((resolve) => answers.push(() => resolve(inState(id, 'successful')))),
    )
    const seen = ['a', 'b'].map(watch)
    await pass(250)
    const ended: string[] = []
    const finished = observer.finish().then(() => ended.push('finish'))
    for (const answer of answers) {
      await turnEventLoop()
      ended.push('read')
      answer()
    }
    await finished
    expect(ended).toEqual(['read', 'read', 'finish'])
    expect(seen).toEqual([{ end: 'successful' }, { end: 'successful' }])
  })
})

describe('the journal', () => {
  const openWithJournal = (read?: (ids: readonly string[]) => Promise<readonly ChangedOrder[]>) => {
    const looks: (readonly string[])[] = []
    const states = new Map<string, string>()
    const changedAt = new Map<string, number>()
    const opened = open((id) => inState(id, states.get(id) ?? 'processing'), {
      ...{ isFixed: true, firstIntervalMs: 600_000, waitsFirst: false },
      readChanged: async (ids) => {
        looks.push(ids)
        return (
          (await read?.(ids)) ?? ids.map((orderId) => ({ orderId, changedAt: changedAt.get(orderId) ?? 0 }))
        )
      },
    })
    /** A different process records the state now. */
    const change = (id: string, state: string): void => {
      states.set(id, state)
      changedAt.set(id, opened.clock.now())
    }
    return { ...opened, looks, change }
  }

  test('shows a change within a second, and only that order is read, once', async () => {
    const { watch, pass, reads, change, observer, clock } = openWithJournal()
    const [one, other] = [watch('a'), watch('b')]
    await pass(60_100, 50)
    change('b', 'confirmed')
    await pass(5_000, 50)
    expect(reads.map(({ id }) => id)).toEqual(['a', 'b', 'b'])
    change('b', 'successful')
    await pass(1_000, 50)
    expect([one, other, reads.length]).toEqual([{}, { end: 'successful' }, 4])
    await observer.finish()
    expect(clock.sleepers.size).toBe(0)
  })

  test('is read once a second, for the open orders only', async () => {
    const { watch, pass, looks, change } = openWithJournal()
    watch('a')
    watch('b')
    await pass(20_000, 50)
    expect(looks.length).toBeGreaterThan(18)
    expect(looks.length).toBeLessThan(23)
    change('a', 'failed')
    await pass(3_000, 50)
    expect(looks.at(-1)).toEqual(['b'])
    change('b', 'failed')
    await pass(3_000, 50)
    const count = looks.length
    await pass(10_000, 50)
    expect(looks).toHaveLength(count)
  })

  test('that cannot be read, or does not respond, ends nothing', async () => {
    const broken = openWithJournal(() => Promise.reject(new Error('locked')))
    const silent = openWithJournal(never)
    for (const { watch, pass, reads, change } of [broken, silent]) {
      const seen = watch('o')
      await pass(30_000, 250)
      change('o', 'failed')
      await pass(600_000, 10_000)
      expect([reads.length, seen]).toEqual([2, { end: 'failed' }])
    }
    expect([broken.looks.length > 25, silent.looks.length]).toEqual([true, 1])
  })
})
