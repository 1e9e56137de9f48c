// The queue of orders to check: its rate, its order, and what it repeats.
import { expect, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import type { ReceivedTable } from '../../../src/journal/received.ts'
import { createCheckQueue } from '../../../src/operations/listen/check-queue.ts'
import type { Check } from '../../../src/operations/listen/waiting-checks.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'

type Get = Api['get']
type Outcome = Awaited<ReturnType<Get>>

const missing: Outcome = { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found' }
const away: Outcome = { kind: 'not-sent', reason: 'connection refused' }
const createDone = (uid: string, state = 'successful'): Outcome => ({
  kind: 'done',
  data: { uid, state } as Order,
  message: '',
})

const createCheck = (orderId: string, fields: Partial<Check> = {}): Check => ({
  ...{ orderId, number: 1, isOwn: false, at: 0, deliveryId: undefined },
  ...fields,
})

const openQueue = (get: Get, recordChecked: ReceivedTable['recordChecked'] = async () => 1) => {
  const clock = createManualClock()
  const asked: { readonly id: string; readonly ms: number }[] = []
  const checked: string[] = []
  const problems: string[] = []
  const start = clock.monotonic()
  const stopping = new AbortController()
  const queue = createCheckQueue({
    api: {
      get: (id, options) => {
        asked.push({ id, ms: clock.monotonic() - start })
        return get(id, options)
      },
    },
    journal: { findOrder: async () => undefined } as unknown as Journal,
    received: { recordChecked } as unknown as ReceivedTable,
    owner: { profile: 'shop', origin: 'https://shop.example', account: { address: 'shop.example' } },
    clock,
    onChecked: ({ orderId, order }) => checked.push(`${orderId} ${order?.state ?? 'unknown'}`),
    onProblem: (orderId, reason) => problems.push(`${orderId}: ${reason}`),
  })
  const running = queue.run(stopping.signal)
  const advance = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(50)
      await turnEventLoop()
    }
  }
  return {
    ...{ queue, asked, checked, problems, advance },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

test('asks for five orders a second, those of the journal first', async () => {
  await using opened = openQueue(async () => missing)
  for (let index = 0; index < 100; index += 1) opened.queue.add(createCheck(`unknown-${index}`))
  await turnEventLoop()
  opened.queue.add(createCheck('own', { isOwn: true }))
  await opened.advance(2_000)
  expect(opened.asked.length).toBe(11)
  expect(opened.asked.slice(0, 2).map(({ id }) => id)).toEqual(['unknown-0', 'own'])
  const gaps = opened.asked.slice(1).map(({ ms }, index) => ms - (opened.asked[index]?.ms ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200)
})

test('asks at once if it has been idle', async () => {
  await using opened = openQueue(async (id) => createDone(id))
  await opened.advance(1_000)
  opened.queue.add(createCheck('ord_1'))
  await waitUntil(() => opened.checked.length === 1)
  expect(opened.asked).toEqual([{ id: 'ord_1', ms: 1_000 }])
})

test('asks once for several deliveries of an order that wait', async () => {
  const recorded: number[] = []
  await using opened = openQueue(
    async (id) => createDone(id),
    async (_account, _checked, upTo) => recorded.push(upTo),
  )
  for (const number of [3, 1, 2]) opened.queue.add(createCheck('ord_1', { number }))
  await opened.advance(1_000)
  expect([opened.asked.length, recorded]).toEqual([1, [3]])
})

test('asks again for a delivery that arrives while it asks', async () => {
  const answers = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()]
  let count = 0
  await using opened = openQueue(() => answers[count++]?.promise ?? Promise.resolve(missing))
  opened.queue.add(createCheck('ord_1', { number: 1 }))
  await opened.advance(100)
  opened.queue.add(createCheck('ord_1', { number: 2 }))
  await opened.advance(500)
  for (const { resolve } of answers) resolve(createDone('ord_1'))
  await waitUntil(() => opened.checked.length === 2)
})

test('slows down while the service is away, and then checks all', async () => {
  let isAway = true
  await using opened = openQueue(async (id) => (isAway ? away : createDone(id)))
  for (let index = 0; index < 10; index += 1) opened.queue.add(createCheck(`ord_${index}`))
  await opened.advance(30_000)
  expect(opened.asked.length).toBeLessThanOrEqual(6)
  expect(new Set(opened.problems.map((line) => line.replace(/^\w+/, '')))).toEqual(
    new Set([': connection refused']),
  )
  isAway = false
  await opened.advance(40_000)
  expect(opened.checked.length).toBe(10)
})

test('repeats an order of the journal that the service does not show yet', async () => {
  await using opened = openQueue(async (id) => (opened.asked.length < 3 ? missing : createDone(id)))
  opened.queue.add(createCheck('ord_1', { isOwn: true }))
  await opened.advance(5_000)
  expect(opened.checked).toEqual(['ord_1 successful'])
})

test('records an order of the journal as unknown if the service never shows it', async () => {
  await using opened = openQueue(async () => missing)
  opened.queue.add(createCheck('ord_1', { isOwn: true }))
  await opened.advance(40_000)
  expect([opened.asked.length, opened.checked]).toEqual([6, ['ord_1 unknown']])
})

test.each<[string, Outcome]>([
  ['400', { kind: 'refused', status: 400, message: 'Bad id' }],
  ['422', { kind: 'unknown', status: 422, reason: 'HTTP 422: an answer that is not documented' }],
])('an id that is answered %s does not hold up other orders', async (_what, answer) => {
  await using opened = openQueue(async (id) => (id.startsWith('bad') ? answer : createDone(id)))
  for (const id of ['bad-1', 'bad-2', 'bad-3']) opened.queue.add(createCheck(id))
  await opened.advance(20_000)
  const askedAt = 20_000
  opened.queue.add(createCheck('ord_1', { isOwn: true }))
  await opened.advance(500)
  expect(opened.asked.find(({ id }) => id === 'ord_1')?.ms).toBeLessThanOrEqual(askedAt + 200)
  await opened.advance(30_000)
  expect(opened.asked).toHaveLength(3 * 6 + 1)
  expect(opened.checked.sort()).toEqual([
    'bad-1 unknown',
    'bad-2 unknown',
    'bad-3 unknown',
    'ord_1 successful',
  ])
})

test('repeats an order that does not show the final state of the delivery yet', async () => {
  await using opened = openQueue(async (id) =>
    createDone(id, opened.asked.length < 3 ? 'processing' : 'successful'),
  )
  opened.queue.add(createCheck('ord_1', { state: 'successful' }))
  opened.queue.add(createCheck('ord_2', { state: 'confirmed' }))
  await opened.advance(5_000)
  expect(opened.asked.map(({ id }) => id)).toEqual(['ord_1', 'ord_2', 'ord_1'])
  expect([opened.checked, opened.problems]).toEqual([['ord_2 processing', 'ord_1 successful'], []])
})

test('prints what the service shows if it never shows the state of the delivery', async () => {
  await using opened = openQueue(async (id) => createDone(id, 'processing'))
  opened.queue.add(createCheck('ord_1', { state: 'successful' }))
  await opened.advance(40_000)
  expect([opened.asked.length, opened.checked]).toEqual([6, ['ord_1 processing']])
})

test('repeats a check that the journal could not record', async () => {
  let isLocked = true
  await using opened = openQueue(
    async (id) => createDone(id),
    async () => {
      if (isLocked) throw new Error('database is locked')
      return 1
    },
  )
  opened.queue.add(createCheck('ord_1'))
  await opened.advance(2_000)
  expect([opened.checked, opened.problems[0]]).toEqual([[], 'ord_1: database is locked'])
  isLocked = false
  await opened.advance(5_000)
  expect(opened.checked).toEqual(['ord_1 successful'])
})

test('is full at 10,000 orders that the journal does not have', async () => {
  await using opened = openQueue(async () => missing)
  for (let index = 0; index < 9_999; index += 1) opened.queue.add(createCheck(`unknown-${index}`))
  for (let index = 0; index < 100; index += 1) opened.queue.add(createCheck(`own-${index}`, { isOwn: true }))
  expect(opened.queue.isFull()).toBe(false)
  opened.queue.add(createCheck('last'))
  expect(opened.queue.isFull()).toBe(true)
})

test('an order whose response arrives after the stop is shown', async () => {
  let respond = (): void => {}
  const opened = openQueue(
    (id) =>
      new Promise((resolve) => {
        respond = () => resolve(createDone(id))
      }),
  )
  opened.queue.add(createCheck('ord_1'))
  await waitUntil(() => opened.asked.length === 1)
  const stopped = opened[Symbol.asyncDispose]()
  respond()
  await stopped
  expect(opened.checked).toEqual(['ord_1 successful'])
})
