// What watch does when the journal shows a change that another process has recorded.
import { describe, expect, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import type { ShownOrder } from '../../../src/journal/orders/list-orders.ts'
import { type WatchSettings, watch } from '../../../src/operations/watch/watch.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

type Shown = Partial<ShownOrder> & { readonly state: string }

/** A service and a journal whose orders a test changes. */
const open = (options: Partial<WatchSettings> = {}, ids = ['o']) => {
  const clock = createManualClock(0)
  const service: Record<string, string> = Object.fromEntries(ids.map((id) => [id, 'confirmed']))
  const journal: Record<string, Shown | undefined> = Object.fromEntries(
    ids.map((id) => [id, { state: 'confirmed' }]),
  )
  const reads: { readonly id: string; readonly at: number }[] = []
  const seen: string[] = []
  const looks: number[] = []
  const state: { end?: unknown; readJournal?: WatchSettings['readShown'] } = {}
  const get = async (id: string) => {
    reads.push({ id, at: clock.monotonic() })
    return {
      kind: 'done',
      message: '',
      data: { uid: id, state: service[id], reference: `ref-${id}`, createdDate: {} } as Order,
    }
  }
  const readShown: WatchSettings['readShown'] = async (orderIds) => {
    looks.push(clock.monotonic())
    if (state.readJournal !== undefined) return state.readJournal(orderIds)
    return orderIds.flatMap((orderId) => {
      const shown = journal[orderId]
      return shown === undefined ? [] : [{ orderId, reference: `ref-${orderId}`, ...shown }]
    })
  }
  void watch(ids, {
    ...{ api: { get } as unknown as Api, record: async () => {} },
    ...{ clock, random: () => 0.5, interrupted: new AbortController().signal, readShown },
    onState: (order) => void seen.push(`${order.uid} ${order.state}`),
    onNotice: (notice) => void seen.push(`${notice.uid} ${notice.state} by the journal`),
    onPollError: (id, reason) => void seen.push(`${id}: ${reason}`),
    ...options,
  }).then(
    (orders) => {
      state.end = orders.map(({ uid, state: last }) => `${uid} ${last}`)
    },
    (error: Error) => {
      state.end = error.message
    },
  )
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      await turnEventLoop()
      clock.advance(250)
    }
    await turnEventLoop()
  }
  return { clock, service, journal, reads, seen, looks, pass, state }
}

test('a final state is noticed within a second, without a request', async () => {
  const { journal, reads, seen, pass, state } = open()
  await pass(60_000)
  const before = reads.length
  journal.o = { state: 'partial', delivered: 2 }
  await pass(1_000)
  expect(state.end).toEqual(['o partial'])
  expect(seen).toEqual(['o confirmed', 'o partial by the journal'])
  expect(reads).toHaveLength(before)
})

test.each([
  [2, true],
  [0, false],
  [undefined, false],
])('with %s cards, it has cards: %s', async (delivered, hasCards) => {
  const notices: unknown[] = []
  const { journal, pass } = open({ intervalMs: 600_000, onNotice: (notice) => void notices.push(notice) })
  await pass(2_000)
  journal.o = { state: 'successful', ...(delivered === undefined ? {} : { delivered }) }
  await pass(1_000)
  expect(notices).toEqual([{ uid: 'o', state: 'successful', hasCards }])
})

test('if an order must be printed whole, a change costs one request', async () => {
  const { journal, service, reads, seen, pass, state } = open({ onNotice: undefined, intervalMs: 600_000 })
  await pass(2_000)
  service.o = 'successful'
  journal.o = { state: 'successful' }
  await pass(1_000)
  expect(state.end).toEqual(['o successful'])
  expect(seen).toEqual(['o confirmed', 'o successful'])
  expect(reads).toHaveLength(2)
})

test('only the changed one of several orders is read', async () => {
  const { journal, service, reads, pass, state } = open({ onNotice: undefined, intervalMs: 600_000 }, [
    'a',
    'b',
  ])
  await pass(2_000)
  service.b = 'failed'
  journal.b = { state: 'failed' }
  await pass(1_000)
  expect(reads.map(({ id }) => id)).toEqual(['a', 'b', 'b'])
  journal.a = { state: 'processing' }
  service.a = 'processing'
  await pass(1_000)
  expect(reads.map(({ id }) => id)).toEqual(['a', 'b', 'b', 'a'])
  expect(state.end).toBeUndefined()
})

test('the time until the next poll goes on after a change', async () => {
  const { journal, reads, pass } = open({ intervalMs: 10_000 })
  await pass(4_000)
  journal.o = { state: 'processing' }
  await pass(16_500)
  expect(reads.map(({ at }) => at)).toEqual([0, 10_000, 20_000])
})

test('--for ends at a state that only the journal has shown', async () => {
  const { journal, pass, state } = open({ forState: 'processing', intervalMs: 600_000 })
  await pass(2_000)
  journal.o = { state: 'processing' }
  await pass(1_000)
  expect(state.end).toEqual(['o processing'])
})

describe('a state of the journal is not believed, and the service is asked once,', () => {
  test.each<[string, Shown]>([
    ['if the service has no such state', { state: 'expired' }],
    ['if it is not documented', { state: 'on-hold' }],
    ['if it comes before the last answer', { state: 'created' }],
  ])('%s', async (_title, shown) => {
    const { journal, reads, seen, pass, state } = open({ intervalMs: 600_000 })
    await pass(2_000)
    journal.o = shown
    await pass(5_000)
    expect([reads.length, seen, state.end]).toEqual([2, ['o confirmed'], undefined])
  })

  test('if it was there at the first look', async () => {
    const { journal, service, reads, seen, pass } = open({ intervalMs: 600_000 })
    journal.o = { state: 'successful' }
    await pass(3_000)
    expect([reads.length, seen]).toEqual([2, ['o confirmed']])
    service.o = 'successful'
    await pass(60_000)
    expect(reads).toHaveLength(2)
  })
})

test('an old state at the first look costs no request', async () => {
  const { journal, reads, pass } = open({ intervalMs: 600_000 })
  journal.o = { state: 'unknown' }
  await pass(5_000)
  expect(reads).toHaveLength(1)
})

test('an order with another reference is another order', async () => {
  const { journal, reads, pass, state } = open({ intervalMs: 600_000 })
  await pass(2_000)
  journal.o = { state: 'successful', reference: 'other' }
  await pass(5_000)
  expect([reads.length, state.end]).toEqual([1, undefined])
})

describe('a journal that cannot be read', () => {
  test('does not end the watch: the order is polled as before', async () => {
    const { service, reads, pass, state } = open()
    state.readJournal = async () => {
      throw new Error('locked')
    }
    await pass(60_000)
    expect(reads.length).toBeGreaterThan(8)
    service.o = 'successful'
    await pass(12_000)
    expect(state.end).toEqual(['o successful'])
  })

  test('holds nothing up if it does not respond, and is asked again when it does', async () => {
    const { journal, service, reads, looks, seen, pass, state } = open()
    let answer = (): void => {}
    state.readJournal = () =>
      new Promise((_resolve, reject) => {
        answer = () => reject(new Error('timeout'))
      })
    await pass(30_000)
    expect(looks).toHaveLength(1)
    expect(reads.length).toBeGreaterThan(5)
    delete state.readJournal
    answer()
    await pass(2_000)
    journal.o = { state: 'failed' }
    service.o = 'confirmed'
    await pass(1_000)
    expect(seen.at(-1)).toBe('o failed by the journal')
  })
})

test('an order that ends while it is being read ends once', async () => {
  let answer = (_outcome: unknown): void => {}
  const ends: string[] = []
  const data = (state: string) => ({
    kind: 'done',
    data: { uid: 'o', state, reference: 'ref-o', createdDate: {} } as Order,
  })
  let count = 0
  const get = () => {
    count += 1
    return count === 1
      ? Promise.resolve(data('confirmed'))
      : new Promise((resolve) => {
          answer = resolve
        })
  }
  const { state, seen, pass } = open({
    ...{ api: { get } as unknown as Api, intervalMs: 2_000, onEnd: (id) => void ends.push(id) },
  })
  let show = (_orders: readonly ShownOrder[]): void => {}
  await pass(750)
  state.readJournal = () =>
    new Promise((resolve) => {
      show = resolve
    })
  await pass(1_500)
  expect(count).toBe(2)
  show([{ orderId: 'o', reference: 'ref-o', state: 'successful' }])
  await pass(250)
  answer(data('processing'))
  await pass(250)
  expect([state.end, seen, ends]).toEqual([
    ['o successful'],
    ['o confirmed', 'o successful by the journal'],
    ['o'],
  ])
})

test('the journal is read once a second for all orders', async () => {
  const { looks, pass } = open({ intervalMs: 100 }, ['a', 'b', 'c'])
  await pass(20_000)
  expect(looks.length).toBeGreaterThan(17)
  expect(looks.length).toBeLessThan(23)
})

test('a response that is older than what the journal shows meanwhile does not turn the order back', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const states = [Promise.resolve('created'), ...answers.map(({ promise }) => promise)]
  const get = async () => ({
    kind: 'done',
    data: { uid: 'o', state: await states.shift(), reference: 'ref-o', createdDate: {} } as Order,
  })
  const { journal, state, seen, pass } = open({ api: { get } as unknown as Api, intervalMs: 2_000 })
  journal.o = { state: 'created' }
  await pass(750)
  let show = (_orders: readonly ShownOrder[]): void => {}
  state.readJournal = () =>
    new Promise((resolve) => {
      show = resolve
    })
  await pass(1_500)
  show([{ orderId: 'o', reference: 'ref-o', state: 'processing' }])
  await pass(250)
  answers[0]?.resolve('confirmed')
  await pass(250)
  expect(seen).toEqual(['o created', 'o processing by the journal'])
  answers[1]?.resolve('successful')
  await pass(4_000)
  expect([seen.slice(2), state.end]).toEqual([['o successful'], ['o successful']])
})
