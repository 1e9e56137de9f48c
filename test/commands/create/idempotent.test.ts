// create --idempotent: the same command, run any number of times, buys once.
import { describe, expect, test } from 'vitest'
import { NotSentError } from '../../../src/contract/transport.ts'
import { altered, on, openWorld, order, overNetwork, type Relay, respond } from '../../support/world.ts'

const minute = 60_000
const again = [...order, '--idempotent']
const job = [...again, '--confirm', '--watch']

const goesOn = (id: string, state: string) =>
  `The reference po-1 belongs to the order ${id} (${state}). Continuing with it.\n`

test('run three times, it buys once, and prints the same order each time', async () => {
  const shop = await openWorld(overNetwork)
  const runs = [await shop.asks(job), await shop.asks(job), await shop.asks(job)]
  const id = runs[0]?.data.uid
  for (const { exit, data } of runs)
    expect({ exit, id: data.uid, state: data.state }).toEqual({ exit: 0, id, state: 'successful' })
  expect(runs[1]?.stderr).toBe('')
  expect(shop.sent('create')).toBe(1)
  expect(shop.sent('confirm')).toBe(1)
  expect(shop.bought()).toEqual([id])
})

describe('an order that was created', () => {
  test('is confirmed, if that was asked for', async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    const { exit, stderr } = await shop.run(job)
    expect({ exit, state: await shop.calls.state(id) }).toEqual({ exit: 0, state: 'successful' })
    expect(stderr).toContain(goesOn(id, 'created'))
    expect(shop.sent('create')).toBe(1)
    expect(shop.bought()).toEqual([id])
  })

  test('is printed without --confirm, with the id under the same name as the first time', async () => {
    const shop = await openWorld(overNetwork)
    const first = await shop.asks(again)
    const second = await shop.asks(again)
    expect(second).toMatchObject({
      exit: 0,
      data: { id: first.data.id, state: 'created', reference: 'po-1' },
    })
    expect(await shop.id(...again)).toBe(first.data.id)
    expect(await shop.must(...again, '--json', '--fields', 'id')).toBe(`{\n  "id": "${first.data.id}"\n}\n`)
    expect({ created: shop.sent('create'), bought: shop.bought() }).toEqual({ created: 1, bought: [] })
  })

  test('is held to --max-total', async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    expect(await shop.asks([...job, '--max-total', '24'])).toMatchObject({
      exit: 3,
      error: { field: '--max-total', orderId: id },
    })
    expect(shop.sent('confirm')).toBe(0)
  })

  test('and has expired since, is placed anew', async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    shop.clock.pass(11 * minute)
    const { exit, data } = await shop.asks(job)
    expect(exit).toBe(0)
    expect(data.uid).not.toBe(id)
    expect(shop.bought()).toEqual([data.uid])
  })
})

describe('an order that was confirmed', () => {
  test('is printed, or watched to its end; nothing is sent', async () => {
    const shop = await openWorld({ ...overNetwork, processingMs: minute })
    const id = await shop.id(...order, '--confirm')
    expect(await shop.asks([...again, '--confirm'])).toMatchObject({
      exit: 0,
      data: { uid: id, state: 'confirmed' },
    })
    expect(await shop.asks(again)).toMatchObject({ exit: 0, data: { uid: id } })
    expect(await shop.asks(job)).toMatchObject({ exit: 0, data: { uid: id, state: 'successful' } })
    expect(shop.bought()).toEqual([id])
    expect(shop.sent('confirm')).toBe(1)
  })

  test('and is processing, is watched', async () => {
    const shop = await openWorld({ ...overNetwork, processingMs: minute })
    const id = await shop.id(...order, '--confirm')
    shop.through(
      on('get', async (request, service) =>
        altered(await service(request), (data) => ({
          ...data,
          state: shop.clock.now() < Date.UTC(2026, 2, 1, 12, 1, 30) ? 'processing' : 'successful',
        })),
      ),
    )
    expect(await shop.asks(job)).toMatchObject({ exit: 0, data: { uid: id, state: 'successful' } })
    expect(shop.bought()).toEqual([id])
  })

  test.each<[string, number, string, string[]]>([
    ['TEST-FAIL:10', 7, 'failed', []],
    ['TEST-REJECT:10', 7, 'rejected', []],
    ['TEST-FAIL:10', 8, 'partial', ['--product', 'GAME-US:25']],
  ])('%s ends with exit code %i each time, and is not bought again', async (product, exit, state, more) => {
    const shop = await openWorld(overNetwork)
    const words = [...job.with(2, product), ...more]
    const first = await shop.asks(words)
    const unwatched = words.filter((word) => word !== '--watch')
    const unconfirmed = unwatched.filter((word) => word !== '--confirm')
    for (const ran of [
      first,
      await shop.asks(words),
      await shop.asks(unwatched),
      await shop.asks(unconfirmed),
    ]) {
      expect(ran).toMatchObject({ exit, data: { uid: first.data.uid, state } })
    }
    expect(shop.sent('create')).toBe(1)
    expect(shop.bought()).toEqual([first.data.uid])
  })
})

describe('an order that was never created is placed', () => {
  test.each([
    ['refused', 3, async () => respond(400, "The entered quote doesn't match the SKU.")],
    ['its response lost', 5, async () => Promise.reject(new Error('connection reset'))],
    ['never sent', 5, async () => Promise.reject(new NotSentError('connection refused'))],
  ])('%s', async (_how, exit, does) => {
    const shop = await openWorld(overNetwork)
    shop.through(on('create', does))
    expect((await shop.asks(job)).exit).toBe(exit)
    shop.through()
    const { exit: done, data } = await shop.asks(job)
    expect({ done, bought: shop.bought() }).toEqual({ done: 0, bought: [data.uid] })
  })
})

describe('while the service is unavailable', () => {
  const outages: [string, string, Relay][] = [
    ['no create is sent', 'create', async () => Promise.reject(new NotSentError('connection refused'))],
    ['each create is lost', 'create', async () => respond(503, 'down')],
    ['the order cannot be read before its confirm', 'get', async () => respond(503, 'down')],
    ['no confirm is sent', 'confirm', async () => Promise.reject(new NotSentError('connection refused'))],
  ]
  const openDuring = async (operation: string, does: Relay, lastsMs: number) => {
    const shop = await openWorld(overNetwork)
    const upAt = shop.clock.now() + lastsMs
    const isDown = (): boolean => shop.clock.now() < upAt
    shop.through((request, service) => (isDown() ? on(operation, does)(request, service) : service(request)))
    return shop
  }

  test.each(outages)('%s: with --retry-for, the same run buys once', async (_, operation, does) => {
    const shop = await openDuring(operation, does, minute)
    const { exit, stderr } = await shop.run([...job, '--retry-for', '2m'])
    expect(exit, stderr).toBe(0)
    expect(stderr).toMatch(/\. Trying again for up to \d+ s\.\n/)
    expect(shop.bought()).toHaveLength(1)
  })

  test.each(outages)('%s: the run ends with 5 when the time is over', async (_, operation, does) => {
    const shop = await openDuring(operation, does, 60 * minute)
    const before = shop.clock.now()
    expect((await shop.run([...job, '--retry-for', '2m'])).exit).toBe(5)
    expect(shop.clock.now() - before).toBeLessThan(4 * minute)
    expect(shop.bought()).toEqual([])
  })

  test('in CI it tries for two minutes by itself, else once', async () => {
    const [, operation = '', does = respond] = outages[0] ?? []
    const inCi = await openDuring(operation, does as Relay, minute)
    expect((await inCi.run(job, { env: { CI: 'true' } })).exit).toBe(0)
    const here = await openDuring(operation, does as Relay, minute)
    expect((await here.run(job)).exit).toBe(5)
    const off = await openDuring(operation, does as Relay, minute)
    expect((await off.run([...job, '--retry-for', '0'], { env: { CI: 'true' } })).exit).toBe(5)
  })

  test('a confirm that may have left is never repeated', async () => {
    const shop = await openWorld(overNetwork)
    shop.through((request, service) =>
      on('confirm', async () => {
        await service(request)
        throw new Error('connection reset')
      })(request, shop.sent('confirm') > 0 ? async () => respond(503, 'down') : service),
    )
    expect((await shop.run([...job, '--retry-for', '10m'])).exit).toBe(6)
    expect(shop.sent('confirm')).toBe(1)
    expect(shop.bought()).toHaveLength(1)
  })

  test('confirm waits, too', async () => {
    const shop = await openDuring('confirm', async () => Promise.reject(new NotSentError('refused')), minute)
    const id = await shop.id(...order)
    const { exit, stderr } = await shop.run(['confirm', id, '--idempotent', '--retry-for', '2m'])
    expect(exit, stderr).toBe(0)
    expect(shop.bought()).toEqual([id])
  })
})
