// create --idempotent --retry-for: the same run goes on while the service is unavailable. idempotent.session has the rest.
import { describe, expect, test } from 'vitest'
import { NotSentError } from '../../../src/contract/transport.ts'
import { on, openWorld, order, overNetwork, type Relay, respond } from '../../support/world.ts'

const minute = 60_000
const job = [...order, '--idempotent', '--confirm', '--watch']

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
