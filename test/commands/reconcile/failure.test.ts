// reconcile ends with an error if an order cannot be checked or may have spent. It still prints its result.
import { describe, expect, test } from 'vitest'
import { on, openWorld, order, overNetwork, respond, type World } from '../../support/world.ts'

const minute = 60_000
const lost = on('confirm', () => Promise.reject(new Error('connection reset')))

/** The ids of orders whose confirm got no response. */
const unknown = async (shop: World, count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let number = 1; number <= count; number += 1)
    ids.push(await shop.id(...order, '--reference', `po-${number + 1}`))
  shop.through(lost)
  for (const id of ids) expect((await shop.asks(['confirm', id])).exit).toBe(6)
  shop.through()
  return ids
}

const idsOf = (data: readonly { id: string }[]): string[] => data.map(({ id }) => id).toSorted()

describe('a confirm whose outcome is unknown', () => {
  test('is an error with --json, after the result', async () => {
    const shop = await openWorld(overNetwork)
    const [id = ''] = await unknown(shop, 1)
    const { exit, data, error, stderr } = await shop.asks(['reconcile'])
    expect({ exit, data, error }).toMatchObject({
      exit: 6,
      data: [{ id, money: 'maybe', next: null, advice: error.advice }],
      error: {
        code: 'unknown',
        message: `money may have been spent for the order ${id}`,
        orderId: id,
        safeFrom: data[0].safeFrom,
        advice: expect.stringContaining(`Do not order again. From ${data[0].safeFrom}, reconcile can check`),
      },
    })
    expect(error.fix).toBeUndefined()
    expect(stderr.match(/^\{"error"/gm)).toHaveLength(1)
  })

  test('is an error for people, which does not repeat the next step of the result', async () => {
    const shop = await openWorld(overNetwork)
    const [id = ''] = await unknown(shop, 1)
    const message = `error: money may have been spent for the order ${id}\n`
    const { exit, stdout, stderr } = await shop.runIn(['reconcile'])
    expect(exit).toBe(6)
    expect(stdout).toContain('Do not order again. From 2026-03-01T12:12:00Z, reconcile can check')
    expect(stderr).toMatch(new RegExp(`^Using .*\n${message}$`))
    const quiet = await shop.runIn(['reconcile', '-q'])
    expect({ ...quiet }).toMatchObject({
      ...{ exit: 6, stdout: `${id}\n` },
      stderr: expect.stringMatching(new RegExp(`^${message}Do not order again. From 2026-03-01T12:12:00Z`)),
    })
  })

  test('of several orders is one error, which names five of them', async () => {
    const shop = await openWorld(overNetwork)
    const ids = await unknown(shop, 6)
    const { exit, data, error } = await shop.asks(['reconcile'])
    expect([exit, idsOf(data)]).toEqual([6, ids.toSorted()])
    expect(error).toMatchObject({
      code: 'unknown',
      message: expect.stringMatching(/^money may have been spent for 6 orders: (\w+, ){4}\w+ and 1 more$/),
      advice: 'Do not order again. Check again later.',
    })
    expect(error.orderId).toBeUndefined()
  })

  test('outweighs an order that the service does not show', async () => {
    const shop = await openWorld(overNetwork)
    await shop.id(...order, '--reference', 'po-1')
    const [id = ''] = await unknown(shop, 1)
    shop.through(on('get', () => Promise.resolve(respond(404, 'Not Found'))))
    const { exit, data, error } = await shop.asks(['reconcile'])
    expect({ exit, count: data.length, error }).toMatchObject({
      ...{ exit: 6, count: 2 },
      error: { code: 'unknown', orderId: id },
    })
    shop.through()
    shop.clock.pass(15 * minute)
    await shop.asks(['reconcile'])
    shop.clock.pass(2 * minute)
    expect(await shop.asks(['reconcile'])).not.toHaveProperty('error')
  })
})

describe.each([
  [3, 'refused', /the service refused: Not Found/, () => Promise.resolve(respond(404, 'Not Found'))],
  [5, 'unavailable', /: reset/, () => Promise.reject(new Error('reset'))],
])('if the service cannot be asked, with exit code %i', (code, name, reason, relay) => {
  const opened = async (count: number) => {
    const shop = await openWorld(overNetwork)
    const ids: string[] = []
    for (let number = 1; number <= count; number += 1)
      ids.push(await shop.id(...order, '--reference', `po-${number}`))
    shop.through(on('get', relay))
    return { shop, ids }
  }

  test('the problem of one order is the error', async () => {
    const { shop, ids } = await opened(1)
    const { exit, data, error } = await shop.asks(['reconcile'])
    expect({ exit, data, error }).toMatchObject({
      exit: code,
      data: [{ id: ids[0], problem: error.message }],
      error: { code: name, message: expect.stringMatching(reason), orderId: ids[0] },
    })
  })

  test('the problems of several are counted', async () => {
    const { shop, ids } = await opened(3)
    const { exit, data, error } = await shop.asks(['reconcile'])
    expect([exit, idsOf(data)]).toEqual([code, ids.toSorted()])
    expect(error).toMatchObject({ code: name, message: expect.stringMatching(reason) })
    expect(error.message).toMatch(/^3 of 3 orders could not be checked: /)
    expect(error.orderId).toBeUndefined()
  })
})
