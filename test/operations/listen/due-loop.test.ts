// The loop of a listener on a real table: its rate, its sequence, what it repeats, and what a new process continues.
import { expect, onTestFinished, test } from 'vitest'
import type { Api } from '../../../src/client/api.ts'
import type { Order } from '../../../src/contract/schemas.ts'
import type { ChangedOrder } from '../../../src/journal/orders/list-orders.ts'
import { createAcceptor } from '../../../src/operations/listen/accept-delivery.ts'
import { createDueLoop } from '../../../src/operations/listen/due-loop.ts'
import { listReceived, openDeliveryTable, readListenStatus } from '../../../src/webhooks/delivery-table.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { folder } from '../../support/orderctl.ts'
import { turnEventLoop, waitUntil } from '../../support/wait-until.ts'

type Outcome = Awaited<ReturnType<Api['get']>>

const missing: Outcome = { kind: 'refused', status: 404, message: 'Not Found', refusal: 'order-not-found' }
const away: Outcome = { kind: 'not-sent', reason: 'connection refused' }
const done = (uid: string, state = 'successful'): Outcome => ({
  kind: 'done',
  data: { uid, state, products: new Map() } as unknown as Order,
  message: '',
})
/** A response of the target, or why there is none. */
type Sent = { readonly status: number } | { readonly error: string }

const day = 24 * 60 * 60_000

type World = {
  readonly get?: (id: string, count: number) => Outcome | Promise<Outcome>
  readonly send?: ((key: string, count: number) => Sent | Promise<Sent>) | undefined
  readonly place?: string
  readonly own?: readonly string[]
  readonly isRecorded?: () => boolean
}

const open = ({
  get = (id) => done(id),
  send,
  place = folder(),
  own = [],
  isRecorded = () => true,
}: World = {}) => {
  const clock = createManualClock()
  const start = clock.monotonic()
  const asked: { readonly id: string; readonly ms: number }[] = []
  const sent: { readonly key: string; readonly ms: number }[] = []
  const [seen, waits]: [string[], number[]] = [[], []]
  const table = openDeliveryTable(place, 'shop.example')
  if (table === undefined) throw new Error('the table is locked')
  const elapsed = (): number => clock.monotonic() - start
  const loop = createDueLoop({
    api: {
      get: async (id) => {
        asked.push({ id, ms: elapsed() })
        return get(id, asked.length)
      },
    },
    record: async () => ({}),
    unrecorded: { has: () => !isRecorded() },
    ...{ clock, table },
    send:
      send &&
      (async ({ key }) => {
        sent.push({ key, ms: elapsed() })
        const result = await send(key, sent.length)
        if ('error' in result) throw new Error(result.error)
        return result.status < 300 ? undefined : `HTTP ${result.status}`
      }),
    onChecked: ({ orderId }, order) => seen.push(`${orderId} ${order?.data.state ?? 'unknown'}`),
    onForwarded: ({ key }) => seen.push(`${key} forwarded`),
    onExpired: ({ key }) => seen.push(`${key} expired`),
    onFailed: (phase, reason, waitMs, orderId) => {
      seen.push(`${phase} ${orderId}: ${reason}`)
      waits.push(waitMs / 1000)
    },
  })
  let keys = 0
  const accept = createAcceptor({
    ...{ account: 'shop.example', table, newId: () => `key-${++keys}`, isForwarding: send !== undefined },
    findOwn: async (ids) =>
      ids.filter((id) => own.includes(id)).map((orderId) => ({ orderId }) as ChangedOrder),
    ...{ secret: undefined, now: clock.now },
    onAccepted: loop.ring,
    onRefused: () => {},
  })
  const receive = async (body: object): Promise<number> =>
    (await accept({ method: 'POST', path: '/', headers: {}, body: JSON.stringify(body) })).status
  const receiveAll = (...uids: string[]) => Promise.all(uids.map((uid) => receive({ uid })))
  const stopping = new AbortController()
  const running = loop.run(stopping.signal)
  const stop = async (): Promise<void> => {
    if (stopping.signal.aborted) return
    stopping.abort()
    await running
    table[Symbol.dispose]()
  }
  onTestFinished(stop)
  const pass = async (ms: number, step = 50): Promise<void> => {
    for (let left = ms; left > 0; left -= step) {
      clock.advance(step)
      await turnEventLoop()
    }
  }
  return { asked, sent, seen, waits, table, place, receive, receiveAll, pass, stop }
}

const names = (count: number, name = 'ord'): string[] =>
  Array.from({ length: count }, (_, index) => `${name}_${index}`)

test('asks for ten orders a second, those of the journal first', async () => {
  const { receiveAll, asked, pass } = open({ get: () => missing, own: ['own'] })
  await receiveAll(...names(100))
  await turnEventLoop()
  await receiveAll('own')
  await pass(2_000)
  expect(asked.length).toBe(21)
  expect(asked.slice(0, 2).map(({ id }) => id)).toEqual(['ord_0', 'own'])
})

test('under a flood, a delivery that only mentions an order of the journal is accepted, and goes first', async () => {
  const { receive, receiveAll, asked, pass } = open({ get: () => away, own: ['own'] })
  await receiveAll(...names(10_000))
  expect([await receive({ uid: 'one-more' }), await receive({ data: { text: 'own' } })]).toEqual([503, 200])
  const before = asked.length
  await pass(3_000)
  expect(asked[before]?.id).toBe('own')
})

test('asks once for all deliveries of an order, and again for one that arrives meanwhile', async () => {
  const responses = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()]
  const { receive, receiveAll, asked, seen, pass } = open({
    get: (_id, count) => responses[count - 1]?.promise ?? away,
  })
  await receiveAll('ord_1', 'ord_1', 'ord_1')
  await pass(200)
  expect(asked).toHaveLength(1)
  await receive({ uid: 'ord_1' })
  for (const { resolve } of responses) resolve(done('ord_1'))
  await pass(500)
  expect([asked.length, seen]).toEqual([2, ['ord_1 successful', 'ord_1 successful']])
})

test('slows down while the service is away, and then reads all', async () => {
  let isAway = true
  const { receiveAll, asked, seen, pass } = open({ get: (id) => (isAway ? away : done(id)) })
  await receiveAll(...names(10))
  await pass(30_000)
  expect(asked.length).toBeLessThan(40)
  expect(seen[0]).toMatch(/^check ord_0: .*connection refused$/)
  isAway = false
  await pass(40_000)
  expect(new Set(seen.filter((line) => line.endsWith(' successful'))).size).toBe(10)
})

test.each<[string, World, string[]]>([
  [
    'an order of the journal that is not shown yet',
    { own: ['ord_1'], get: (id, n) => (n < 3 ? missing : done(id)) },
    ['ord_1 successful'],
  ],
  ['an order of the journal that is never shown', { own: ['ord_1'], get: () => missing }, ['ord_1 unknown']],
  [
    'a final state that is not shown yet',
    { get: (id, n) => done(id, n < 3 ? 'processing' : 'successful') },
    ['ord_1 successful'],
  ],
  ['a final state that is never shown', { get: (id) => done(id, 'processing') }, ['ord_1 processing']],
])('repeats up to 5 times: %s', async (_what, world, expected) => {
  const { receive, asked, seen, pass } = open(world)
  await receive({ uid: 'ord_1', state: 'successful' })
  await pass(60_000, 250)
  expect([asked.length, seen]).toEqual([expected[0] === 'ord_1 successful' ? 3 : 6, expected])
})

test.each<[string, Outcome]>([
  ['400', { kind: 'refused', status: 400, message: 'Bad id' }],
  ['422', { kind: 'unknown', status: 422, reason: 'HTTP 422' }],
])('an id that is refused with %s does not hold up other orders', async (_what, outcome) => {
  const { receiveAll, asked, seen, pass } = open({ get: (id) => (id.startsWith('bad') ? outcome : done(id)) })
  await receiveAll('bad_1', 'bad_2', 'bad_3')
  await pass(20_000)
  await receiveAll('ord_1')
  await pass(300)
  expect(asked.find(({ id }) => id === 'ord_1')?.ms).toBeLessThanOrEqual(20_200)
  await pass(40_000)
  expect(seen.toSorted()).toEqual(['bad_1 unknown', 'bad_2 unknown', 'bad_3 unknown', 'ord_1 successful'])
})

test('repeats a check that the journal could not record', async () => {
  let isLocked = true
  const { receive, seen, pass } = open({
    isRecorded: () => !isLocked,
  })
  await receive({ uid: 'ord_1' })
  await pass(2_000)
  expect(new Set(seen)).toEqual(new Set(['check ord_1: the journal was not updated']))
  isLocked = false
  await pass(10_000)
  expect(seen.at(-1)).toBe('ord_1 successful')
})

test('forwards a delivery when its order was read, until the target accepts it after 1 s to 5 min', async () => {
  const { receive, seen, sent, waits, pass } = open({
    send: (_key, count) => ({ status: count < 12 ? 500 : 204 }),
  })
  await receive({ uid: 'ord_1' })
  await pass(2_000_000, 500)
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  expect([seen[0], seen[1], seen.at(-1)]).toEqual([
    'ord_1 successful',
    'forward ord_1: HTTP 500',
    'key-1 forwarded',
  ])
  expect(new Set(sent.map(({ key }) => key))).toEqual(new Set(['key-1']))
})

test('forwards the deliveries of one order in sequence, and those of others meanwhile', async () => {
  const held = Promise.withResolvers<Sent>()
  const { receiveAll, sent, seen, pass } = open({
    send: (key, count) => (key === 'key-1' && count < 9 ? held.promise : { status: 200 }),
  })
  await receiveAll('ord_1', 'ord_1', 'ord_2')
  await pass(1_000)
  expect(sent.map(({ key }) => key).toSorted()).toEqual(['key-1', 'key-3'])
  held.resolve({ status: 200 })
  await pass(1_000)
  expect(seen.filter((line) => line.endsWith('forwarded'))).toEqual(
    ['key-3', 'key-1', 'key-2'].map((key) => `${key} forwarded`),
  )
})

test('a delivery that the target refuses holds up only its own order', async () => {
  const { receiveAll, seen, table, pass } = open({ send: (key) => ({ status: key === 'key-1' ? 301 : 200 }) })
  await receiveAll('bad', 'bad', 'good')
  await pass(10_000)
  await receiveAll('good')
  await pass(1_000)
  expect(seen.filter((line) => line.endsWith('forwarded'))).toEqual(['key-3 forwarded', 'key-4 forwarded'])
  expect(seen).toContain('forward bad: HTTP 301')
  expect(table.findDue('forward', Number.MAX_SAFE_INTEGER, [])?.key).toBe('key-1')
})

test('a target that does not respond holds up no check', async () => {
  const held = Promise.withResolvers<Sent>()
  const { receiveAll, asked, sent, pass } = open({ send: () => held.promise })
  await receiveAll(...names(20))
  await pass(3_000)
  expect([asked.length, sent.length]).toEqual([20, 4])
  held.resolve({ status: 200 })
})

test('sends rarely while the target is away, and then everything', async () => {
  let isAway = true
  const { receiveAll, sent, seen, pass } = open({
    send: () => (isAway ? { error: 'refused' } : { status: 200 }),
  })
  await receiveAll(...names(20))
  await pass(60_000, 100)
  expect(sent.length).toBeLessThan(100)
  isAway = false
  await pass(120_000, 100)
  expect(seen.filter((line) => line.endsWith('forwarded'))).toHaveLength(20)
})

test('a new process continues at once with what an earlier one has left', async () => {
  const first = open({ get: (id) => (id === 'ord_2' ? away : done(id)), send: () => ({ status: 503 }) })
  await first.receiveAll('ord_1', 'ord_2')
  await first.pass(100_000, 500)
  await first.stop()
  const second = open({ place: first.place, send: () => ({ status: 200 }) })
  await second.pass(500)
  expect(second.seen.toSorted()).toEqual(['key-1 forwarded', 'key-2 forwarded', 'ord_2 successful'])
})

test('pauses if the table cannot be written, so that nothing is sent without end', async () => {
  const { receiveAll, sent, seen, table, pass } = open({ send: () => ({ status: 200 }) })
  const fail = (): void => {
    throw new Error('disk full')
  }
  Object.assign(table, { setForwarded: fail, postpone: fail })
  await receiveAll('ord_1')
  await pass(60_000, 500)
  expect(seen).toContain('forward ord_1: disk full')
  expect(sent.length).toBeLessThanOrEqual(3)
})

test.each([
  ['read listen.db', 'findDue', 1],
  ['clean up', 'deleteBodies', 3_600],
] as const)('says that it cannot %s, and when it tries again', async (what, method, seconds) => {
  const { receiveAll, seen, waits, table, pass } = open()
  await receiveAll('ord_1')
  Object.assign(table, {
    [method]: () => {
      throw new Error('database is locked')
    },
  })
  await pass(2 * 3_600_000, 10_000)
  const failed = `${what} undefined: database is locked`
  expect(new Set(seen.filter((line) => line !== 'ord_1 successful'))).toEqual(new Set([failed]))
  expect(new Set(waits)).toEqual(new Set([seconds]))
})

test('deletes a body after 7 days, and a delivery after 30', async () => {
  const { receiveAll, seen, place, pass } = open({ send: () => ({ status: 503 }) })
  const countKept = (): number => listReceived(place, 'shop.example', 0).length
  await receiveAll('ord_1')
  await pass(6 * day, day / 4)
  expect([seen.includes('key-1 expired'), readListenStatus(place, 'shop.example').waiting]).toEqual([
    false,
    1,
  ])
  await pass(2 * day, day / 4)
  expect([seen.includes('key-1 expired'), readListenStatus(place, 'shop.example').waiting]).toEqual([true, 0])
  await pass(21 * day, day / 4)
  expect(countKept()).toBe(1)
  await pass(2 * day, day / 4)
  expect(countKept()).toBe(0)
})

test('an order whose response arrives after the stop is shown', async () => {
  const response = Promise.withResolvers<Outcome>()
  const { receiveAll, asked, seen, stop } = open({ get: () => response.promise })
  await receiveAll('ord_1')
  await waitUntil(() => asked.length === 1)
  const stopped = stop()
  response.resolve(done('ord_1'))
  await stopped
  expect(seen).toEqual(['ord_1 successful'])
})
