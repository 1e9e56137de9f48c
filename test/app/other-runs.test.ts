// --idempotent while another run creates or confirms the order: both end alike, and one confirm takes effect.
// other-runs.session says how long a run waits.
import { expect, test } from 'vitest'
import { lookEveryMs } from '../../src/operations/observe.ts'
import {
  never,
  on,
  openWorld,
  order,
  overNetwork,
  type Relay,
  respond,
  type World,
} from '../support/world.ts'

const job = [...order, '--idempotent', '--confirm', '--watch']

/** Starts a run whose first request of this operation is held. `finish` does it, and returns how the run ends. */
const hold = async (shop: World, operation: string, does: Relay, words = job) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isFirst = true
  shop.through(
    on(operation, async (request, service) => {
      if (!isFirst) return service(request)
      isFirst = false
      await released
      return does(request, service)
    }),
  )
  const run = shop.asks(words)
  while (shop.sent(operation) === 0) await new Promise(setImmediate)
  return {
    finish: () => {
      release()
      return run
    },
  }
}

/** Starts a run. While it waits, the held run finishes. */
const runBeside = (shop: World, held: { finish(): Promise<unknown> }, words = job) => {
  let looks = 0
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    await shop.clock.sleep(ms, signal)
    if (ms === lookEveryMs) looks += 1
    if (looks === 3) await held.finish()
  }
  return shop.asks(words, { clock: { ...shop.clock, sleep } })
}

/** A wait is announced as a line of JSON. */
const withoutWait = (stderr: string): string => stderr.replace(/^\{"waiting":.*\n/gm, '')

const deliver: Relay = (request, service) => service(request)
const refuse: Relay = async () => respond(400, 'You have insufficient funds in your wallet')
const lose: Relay = () => Promise.reject(new Error('connection reset'))

test.each<
  [operation: string, how: string, does: Relay, others: number, exits: readonly number[], sent: string]
>([
  ['create', 'is done', deliver, 1, [0, 0], 'create 1, confirm 1'],
  ['create', 'is done', deliver, 2, [0, 0, 0], 'create 1, confirm 1'],
  ['create', 'is refused', refuse, 2, [3, 0, 0], 'create 2, confirm 1'],
  ['create', 'is lost', lose, 2, [5, 0, 0], 'create 2, confirm 1'],
  ['confirm', 'is done', deliver, 1, [0, 0], 'create 1, confirm 1'],
  ['confirm', 'is done', deliver, 2, [0, 0, 0], 'create 1, confirm 1'],
  ['confirm', 'is refused', refuse, 1, [3, 0], 'create 1, confirm 2'],
  ['confirm', 'is refused', refuse, 2, [3, 0, 0], 'create 1, confirm 2'],
  ['confirm', 'is lost', lose, 1, [6, 6], 'create 1, confirm 1'],
])(
  'the %s of a run %s while others wait for it: one order is bought',
  async (operation, _, does, others, exits, sent) => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, operation, does)
    const waiting = await Promise.all(Array.from({ length: others }, () => runBeside(shop, held)))
    const all = [await held.finish(), ...waiting]
    expect(all.map(({ exit }) => exit)).toEqual(exits)
    expect(`create ${shop.sent('create')}, confirm ${shop.sent('confirm')}`).toBe(sent)
    const bought = shop.bought()
    expect(bought).toHaveLength(exits.includes(0) ? 1 : 0)
    const ids = new Set(all.map(({ data, error }) => data?.id ?? error.orderId).filter(Boolean))
    if (bought.length > 0) expect([...ids]).toEqual(bought)
    for (const { exit, data, stderr } of all)
      if (exit === 0)
        expect({ state: data.state, stderr: withoutWait(stderr) }).toEqual({
          state: 'successful',
          stderr: '',
        })
  },
)

test.each([
  ['create without --confirm', [...order, '--idempotent']],
  ['confirm', ['confirm', 'ref:po-1', '--idempotent']],
])('%s waits for the confirm of another run, and sends none', async (_, words) => {
  const shop = await openWorld(overNetwork)
  const held = await hold(shop, 'confirm', deliver)
  const { exit, data, stderr } = await runBeside(shop, held, words)
  expect({ exit, stderr: withoutWait(stderr), bought: shop.bought() }).toEqual({
    exit: 0,
    stderr: '',
    bought: [data.id],
  })
  expect([(await held.finish()).exit, shop.sent('confirm')]).toEqual([0, 1])
})

test('it also waits if the other run begins after this one has read the order', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must(...order)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  shop.through(
    on('get', async (request, service) => {
      const response = await service(request)
      if (shop.sent('get') === 2) await released
      return response
    }),
  )
  const late = runBeside(shop, { finish: () => held.finish() })
  while (shop.sent('get') < 2) await new Promise(setImmediate)
  const held = await hold(shop, 'confirm', deliver)
  release()
  const [one, other] = await Promise.all([held.finish(), late])
  expect([one.exit, other.exit, shop.sent('confirm'), shop.bought().length]).toEqual([0, 0, 1, 1])
})

/** A run that was killed when it sent its confirm. */
const openKilled = async () => {
  const shop = await openWorld(overNetwork)
  shop.through(on('confirm', never))
  void shop.asks(job)
  while (shop.sent('confirm') === 0) await new Promise(setImmediate)
  shop.through()
  return shop
}

test.each([
  ['that was set back since does not begin a wait', (now: number) => now - 3_600_000, 0],
  ['that stands still meanwhile does not prolong the wait', (now: number) => now, 135_000],
])('a clock %s', async (_, change, waitMs) => {
  const shop = await openKilled()
  const at = shop.clock.now()
  const clock = { ...shop.clock, now: () => change(at) }
  expect((await shop.asks(job, { clock })).exit).toBe(6)
  expect(shop.clock.now() - at).toBe(waitMs)
})
