// --idempotent while another run creates or confirms the order: it waits, both succeed, and one confirm takes effect.

import { describe, expect, test } from 'vitest'
import { lookEveryMs } from '../../src/operations/observe.ts'
import { screenOf } from '../support/screen.ts'
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

const second = 1_000
const minute = 60 * second
const again = [...order, '--idempotent']
const job = [...again, '--confirm', '--watch']

/** Starts a run, and returns when it has sent the operation. */
const startUntil = async (shop: World, operation: string, words = job) => {
  const run = shop.asks(words)
  while (shop.sent(operation) === 0) await new Promise(setImmediate)
  return { end: () => run }
}

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
  const { end } = await startUntil(shop, operation, words)
  return {
    finish: () => {
      release()
      return end()
    },
  }
}

/** For a run: while it waits, the held run finishes. */
const beside = (shop: World, held: { finish(): Promise<unknown> }) => {
  let looks = 0
  const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    await shop.clock.sleep(ms, signal)
    if (ms === lookEveryMs) looks += 1
    if (looks === 3) await held.finish()
  }
  return { clock: { ...shop.clock, sleep } }
}

const runBeside = (shop: World, held: { finish(): Promise<unknown> }, words = job) =>
  shop.asks(words, beside(shop, held))

const deliver: Relay = (request, service) => service(request)
const refuse: Relay = async () => respond(400, 'You have insufficient funds in your wallet')
const lose: Relay = () => Promise.reject(new Error('connection reset'))

const startedAt = Date.UTC(2026, 2, 1, 12)

test.each([
  ['create', 'create an order with the reference po-1. Waiting for it (up to 45 s).\n'],
  ['confirm', '. Waiting for it (up to 135 s).\n'],
])('without --json, a run says that it waits for the %s of another', async (operation, note) => {
  const shop = await openWorld(overNetwork)
  const { stderr } = await shop.run(job, beside(shop, await hold(shop, operation, deliver)))
  expect(stderr).toContain(note)
})

describe('create while another run confirms the order', () => {
  test.each([2, 3])('it waits and continues that order: %i runs succeed', async (count) => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'confirm', deliver)
    const others = await Promise.all(Array.from({ length: count - 1 }, () => runBeside(shop, held)))
    const { exit, data } = await held.finish()
    expect({ exit, state: data.state }).toEqual({ exit: 0, state: 'successful' })
    for (const other of others)
      expect(other).toMatchObject({ exit: 0, data: { uid: data.uid, state: 'successful' } })
    expect(others[0]?.stderr).toBe('')
    expect(shop.sent('create')).toBe(1)
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toEqual([data.uid])
  })

  test('it ends with the exit code of the order', async () => {
    const shop = await openWorld(overNetwork)
    const words = job.with(2, 'TEST-FAIL:10')
    const held = await hold(shop, 'confirm', deliver, words)
    expect((await runBeside(shop, held, words)).exit).toBe(7)
    expect((await held.finish()).exit).toBe(7)
    expect(shop.bought()).toHaveLength(1)
  })

  test('it waits without --confirm, too, and confirms nothing itself', async () => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'confirm', deliver)
    const { exit, data } = await runBeside(shop, held, again)
    expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
    expect((await held.finish()).exit).toBe(0)
    expect(shop.sent('confirm')).toBe(1)
  })

  test.each([1, 2])('which is refused, one of the other runs (%i) confirms it', async (count) => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'confirm', refuse)
    const others = await Promise.all(Array.from({ length: count }, () => runBeside(shop, held)))
    const { exit, error } = await held.finish()
    expect(exit).toBe(3)
    for (const other of others) expect(other).toMatchObject({ exit: 0, data: { uid: error.orderId } })
    expect(shop.sent('create')).toBe(1)
    expect(shop.sent('confirm')).toBe(2)
    expect(shop.bought()).toEqual([error.orderId])
  })

  test('which never reached the service, both end with exit 6, and the next run waits no more', async () => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'confirm', lose)
    const { exit, error } = await runBeside(shop, held)
    expect({ exit, error }).toMatchObject({
      exit: 6,
      error: { code: 'unknown', fix: `orderctl reconcile ${error.orderId}` },
    })
    expect((await held.finish()).exit).toBe(6)
    const endedAt = shop.clock.now()
    const next = await shop.asks(job)
    expect({ exit: next.exit, ms: shop.clock.now() - endedAt }).toEqual({ exit: 6, ms: 0 })
    expect(shop.sent('confirm')).toBe(1)
  })

  describe('whose process was killed', () => {
    const kill = async () => {
      const shop = await openWorld(overNetwork)
      const copies: (() => Promise<unknown>)[] = []
      shop.through(
        on('confirm', (request, service) => {
          const { signal: _, ...copy } = request
          copies.push(() => service(copy))
          return never()
        }),
      )
      await startUntil(shop, 'confirm')
      return { shop, deliverLate: () => copies[0]?.() }
    }

    test('it waits for the deadline and the settling, and asks the service rarely', async () => {
      const { shop } = await kill()
      const gets = shop.sent('get')
      const { exit, error } = await shop.asks(job)
      expect({ exit, error }).toMatchObject({ exit: 6, error: { code: 'unknown' } })
      const waited = shop.clock.now() - startedAt
      expect(waited).toBeGreaterThanOrEqual(125 * second)
      expect(waited).toBeLessThan(140 * second)
      expect(shop.sent('get') - gets).toBeLessThanOrEqual(16)
      expect(shop.sent('create')).toBe(1)
    })

    test('it continues as soon as the service shows the order as confirmed', async () => {
      const { shop, deliverLate } = await kill()
      void shop.clock.sleep(100 * second).then(deliverLate)
      const { exit, data } = await shop.asks(job)
      expect({ exit, state: data.state, bought: shop.bought() }).toEqual({
        exit: 0,
        state: 'successful',
        bought: [data.uid],
      })
      expect(shop.clock.now() - startedAt).toBeLessThan(115 * second)
      expect(shop.sent('confirm')).toBe(1)
    })

    test.each(['SIGINT', 'SIGTERM'])('%s ends the wait at once', async (signal) => {
      const { shop } = await kill()
      const interrupting = new AbortController()
      void shop.clock.sleep(25 * second).then(() => interrupting.abort(signal))
      const { exit, error } = await shop.asks(job, { interrupted: interrupting.signal })
      expect({ exit, error }).toMatchObject({
        exit: signal === 'SIGTERM' ? 143 : 130,
        error: {
          message: `interrupted while another run confirms the order ${error.orderId}; this run sent no confirm`,
          fix: `orderctl get ${error.orderId}`,
        },
      })
      expect(shop.clock.now() - startedAt).toBeLessThanOrEqual(26 * second)
      expect(shop.sent('confirm')).toBe(1)
    })

    test('nothing is printed about the wait with -q', async () => {
      const { shop, deliverLate } = await kill()
      void shop.clock.sleep(25 * second).then(deliverLate)
      const { exit, stderr } = await shop.runIn([...job, '-q'])
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    })

    test('a clock that was set back since does not begin a wait', async () => {
      const { shop } = await kill()
      const at = shop.clock.now()
      const clock = { ...shop.clock, now: () => shop.clock.now() - 60 * minute }
      expect((await shop.asks(job, { clock })).exit).toBe(6)
      expect(shop.clock.now() - at).toBeLessThan(second)
    })

    test('a clock that is set back meanwhile does not prolong the wait', async () => {
      const { shop } = await kill()
      const clock = { ...shop.clock, now: () => startedAt }
      expect((await shop.asks(job, { clock })).exit).toBe(6)
      expect(shop.clock.now() - startedAt).toBeLessThan(140 * second)
    })

    test('a terminal shows that it waits, until the wait is over', async () => {
      // The clock does not wait for modules that are loaded when the line is drawn.
      await import('../../src/ui/terminal/live.ts')
      const { shop, deliverLate } = await kill()
      void shop.clock.sleep(25 * second).then(deliverLate)
      const ran = await shop.runIn(job, { terminals: ['stderr'], clock: shop.clock })
      const screen = screenOf(80)
      const screens = ran.writes.stderr.map((text) => {
        screen.write(text)
        return screen.rows().join('\n')
      })
      expect(screens.filter((each) => /[|/\\-] waiting for another run/.test(each)).length).toBeGreaterThan(
        10,
      )
      expect(screens.at(-1)).not.toContain('waiting for another run')
      expect(ran.exit).toBe(0)
    })
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
    expect([one.exit, other.exit]).toEqual([0, 0])
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toHaveLength(1)
  })
})

describe('create while another run creates the order', () => {
  test.each([2, 3])('it waits and continues that order: %i runs succeed', async (count) => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'create', deliver)
    const others = await Promise.all(Array.from({ length: count - 1 }, () => runBeside(shop, held)))
    const { exit, data } = await held.finish()
    expect({ exit, state: data.state }).toEqual({ exit: 0, state: 'successful' })
    for (const other of others) expect(other).toMatchObject({ exit: 0, data: { uid: data.uid } })
    expect(others[0]?.stderr).toBe('')
    expect(shop.sent('create')).toBe(1)
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toEqual([data.uid])
  })

  test.each<[string, number, Relay]>([
    ['is refused', 3, refuse],
    ['is lost', 5, lose],
  ])('which %s, one of the other runs creates the order anew', async (_how, code, does) => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'create', does)
    const [one, other] = await Promise.all([runBeside(shop, held), runBeside(shop, held)])
    expect((await held.finish()).exit).toBe(code)
    expect(one).toMatchObject({ exit: 0, data: { uid: other.data.uid } })
    expect(other.exit).toBe(0)
    expect(shop.sent('create')).toBe(2)
    expect(shop.bought()).toEqual([one.data.uid])
  })

  const kill = async () => {
    const shop = await openWorld(overNetwork)
    shop.through(on('create', never))
    await startUntil(shop, 'create')
    shop.through()
    return shop
  }

  test('whose process was killed, it waits for the deadline and creates the order anew', async () => {
    const shop = await kill()
    const { exit, data } = await shop.asks(job)
    expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [data.uid] })
    expect(shop.clock.now() - startedAt).toBeGreaterThanOrEqual(45 * second)
    expect(shop.clock.now() - startedAt).toBeLessThan(50 * second)
  })

  test('Ctrl-C ends the wait at once', async () => {
    const shop = await kill()
    const interrupting = new AbortController()
    void shop.clock.sleep(25 * second).then(() => interrupting.abort('SIGINT'))
    expect(await shop.asks(job, { interrupted: interrupting.signal })).toMatchObject({
      exit: 130,
      error: {
        message:
          'interrupted while another run creates an order with the reference po-1; this run sent nothing',
      },
    })
    expect(shop.sent('create')).toBe(1)
  })
})

describe('create that finds its reference taken', () => {
  test('continues the order that took it', async () => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'create', deliver, [...job, '--timeout', '10m'])
    shop.clock.pass(minute)
    const { data } = await shop.asks(job)
    const late = await held.finish()
    expect(late).toMatchObject({ exit: 0, data: { uid: data.uid } })
    expect(shop.sent('create')).toBe(2)
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toEqual([data.uid])
  })

  test('ends, if each of two orders has a refused confirm that is not proven', async () => {
    const shop = await openWorld(overNetwork)
    const held = await hold(shop, 'create', deliver, [...order, '--timeout', '10m'])
    shop.clock.pass(minute)
    const newer = await shop.id(...order)
    const { data } = await held.finish()
    shop.through(on('confirm', refuse))
    for (const id of [newer, data.id])
      expect((await shop.asks(['confirm', id, '--allow-duplicate'])).exit).toBe(3)
    const gets = shop.sent('get')
    expect(await shop.asks(job)).toMatchObject({ exit: 11, error: { code: 'duplicate', orderId: newer } })
    expect(shop.sent('get') - gets).toBeLessThan(10)
    expect(shop.bought()).toEqual([])
  })
})

describe('confirm while another run confirms the order', () => {
  const placed = async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    return { shop, id, words: ['confirm', id, '--idempotent'] }
  }

  test('waits, and both succeed', async () => {
    const { shop, id, words } = await placed()
    const held = await hold(shop, 'confirm', deliver, words)
    const other = await runBeside(shop, held, words)
    expect(other).toMatchObject({ exit: 0, data: { uid: id } })
    expect(other.stderr).toBe('')
    expect((await held.finish()).exit).toBe(0)
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toEqual([id])
  })

  test('without --idempotent does not wait', async () => {
    const { shop, id, words } = await placed()
    const held = await hold(shop, 'confirm', deliver, words)
    const at = shop.clock.now()
    expect((await shop.asks(['confirm', id])).exit).toBe(6)
    expect(shop.clock.now()).toBe(at)
    expect((await held.finish()).exit).toBe(0)
  })
})
