// A confirm that gets an error as its response: only the order itself says what became of it, and only proof frees its reference.
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/contract/transport.ts'
import { on, openWorld, order, overNetwork, respond, type World } from '../../support/world.ts'

const minute = 60_000
const buys = [...order, '--confirm']

/** The service is sent the confirm once, whatever the proxy responds. */
const twice = (status: number, message: string) =>
  on('confirm', async (request, service) => {
    await service(request)
    return respond(status, message)
  })

/** A copy of the confirm stays on its way until it is delivered. */
const delayed = (shop: World, status: number, message: string) => {
  const copies: HttpRequest[] = []
  shop.through(
    on('confirm', async (request) => {
      copies.push(request)
      return respond(status, message)
    }),
  )
  return async (): Promise<void> => {
    for (const { signal: _, ...copy } of copies.splice(0)) await shop.service(copy)
  }
}

describe('a proxy repeats the confirm, and responds as to the second copy', () => {
  test.each([
    [419, 'Expired'],
    [400, 'You have insufficient funds in your wallet to create this order'],
    [404, 'Not Found'],
    [403, 'Credentials missing or invalid.'],
  ])('%i %s: the order is confirmed, and said to be', async (status, message) => {
    const shop = await openWorld(overNetwork)
    shop.through(twice(status, message))
    const { exit, data, stderr } = await shop.asks(buys)
    expect({ exit, state: data.state }).toEqual({ exit: 0, state: 'confirmed' })
    expect(stderr).toBe('')
    expect(data.warnings).toEqual([
      `no valid response to confirm (HTTP ${status}: ${message}), but the order is confirmed`,
    ])
    shop.through()
    expect(await shop.asks(buys)).toMatchObject({
      exit: 11,
      error: { code: 'duplicate', orderId: data.uid, field: 'reference' },
    })
    expect(shop.journal('SELECT order_id AS id, state FROM orders')).toEqual([
      { id: data.uid, state: 'confirmed' },
    ])
    expect(shop.bought()).toEqual([data.uid])
  })
})

describe('the response to a confirm is 419 while a copy of it is still on its way', () => {
  const expired = async () => {
    const shop = await openWorld(overNetwork)
    const deliver = delayed(shop, 419, 'Expired')
    const { exit, error } = await shop.asks(buys)
    const orderId: string = error.orderId
    expect({ exit, error }).toMatchObject({ exit: 10, error: { safeFrom: '2026-03-01T12:12:00Z' } })
    return { shop, deliver, orderId }
  }

  test.each([
    ['reconcile', ['reconcile']],
    ['list --refresh', ['list', '--refresh']],
    ['get', ['get', '@last']],
  ])('%s asks about it, and learns that it was confirmed', async (_name, words) => {
    const { shop, deliver, orderId } = await expired()
    expect(await shop.asks(buys)).toMatchObject({ exit: 11, error: { code: 'duplicate', orderId } })
    await deliver()
    expect((await shop.runIn(words)).exit).toBe(0)
    expect(shop.journal('SELECT order_id AS id, state FROM orders')).toEqual([
      { id: orderId, state: 'confirmed' },
    ])
    shop.clock.pass(20 * minute)
    expect((await shop.asks(buys)).exit).toBe(11)
    expect(shop.bought()).toEqual([orderId])
  })
})
