// The order that is confirmed is the order that was placed; if it is not, both are shown, and somebody has to accept it.
import { describe, expect, test } from 'vitest'
import { altered, on, openWorld, order, overNetwork } from '../../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test changes any field of a response.
type Change = (data: any) => unknown

const shows = (change: Change) =>
  on('get', async (request, service) => altered(await service(request), change))

const inDinars: Change = (data) => ({ ...data, invoice: { ...data.invoice, wallet: 'KWD' } })

const another: Change = (data) => {
  const { 'GAME-US': game } = data.products
  const zzz = { ...game, sku: 'ZZZ', request: { quote: 99, quantity: 5 } }
  return {
    ...data,
    reference: 'another',
    products: { ZZZ: zzz },
    invoice: { ...data.invoice, total: 495 },
  }
}

const placed = async (change: Change) => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(shows(change))
  return { shop, id }
}

describe('25 USD were ordered, and 25 KWD are shown', () => {
  test('in a script it is refused, whatever --max-total allows', async () => {
    const { shop, id } = await placed(inDinars)
    for (const flags of [[], ['--yes'], ['--max-total', '100'], ['--idempotent']]) {
      const { exit, error } = await shop.asks(['confirm', id, ...flags])
      expect({ exit, error }).toEqual({
        exit: 3,
        error: {
          code: 'refused',
          message: `the order ${id} differs from the order that was placed; it was not confirmed`,
          orderId: id,
          violations: ['wallet: ordered USD, now KWD'],
          fix: `orderctl get ${id}`,
          advice: 'To accept the changes, confirm the order with --accept-changes.',
          retryable: false,
        },
      })
    }
    expect(shop.sent('confirm')).toBe(0)
    expect(shop.bought()).toEqual([])
  })

  test('--accept-changes confirms it, shows the changes, and the journal keeps them', async () => {
    const { shop, id } = await placed(inDinars)
    const ran = await shop.runIn(['confirm', id, '--accept-changes', '-q'])
    expect(ran).toMatchObject({ exit: 0, stdout: `${id}\n` })
    expect(ran.stderr).toContain(
      'warning: the order differs from the order that was placed:\n  wallet: ordered USD, now KWD\n',
    )
    expect(shop.bought()).toEqual([id])
    const [call] = shop.journal("SELECT accepted FROM calls WHERE operation = 'confirm'")
    expect(JSON.parse(String(call?.accepted))).toEqual([{ field: 'wallet', placed: 'USD', now: 'KWD' }])
  })

  test.each([
    ['yes', true, 0, 1],
    ['no', false, 130, 0],
  ])('on a terminal a person is shown both, and says %s', async (_word, says, exit, count) => {
    const { shop, id } = await placed(inDinars)
    const ran = await shop.runIn(['confirm', id], {
      terminals: ['stdin', 'stdout', 'stderr'],
      answers: [says],
    })
    expect(ran).toMatchObject({ exit, questions: ['Confirm the order and spend 25.000 KWD?'] })
    expect(ran.stderr).toContain('  wallet: ordered USD, now KWD\n')
    expect(shop.bought()).toHaveLength(count)
  })
})

describe('another order is shown under the id', () => {
  test('it cannot be accepted', async () => {
    const { shop, id } = await placed(another)
    const { exit, error } = await shop.asks(['confirm', id, '--yes', '--accept-changes'])
    expect([exit, error.message]).toEqual([
      3,
      `the service shows a different order under the id ${id}: its reference is not po-1`,
    ])
    expect(shop.sent('confirm')).toBe(0)
  })

  test('create --idempotent does not go on with it', async () => {
    const { shop } = await placed(another)
    expect((await shop.asks([...order, '--idempotent', '--confirm'])).exit).toBe(5)
    expect(shop.sent('confirm')).toBe(0)
  })
})

test.each<[string, Change, string]>([
  ['a quantity', (data) => ({ ...data, products: products(data, { quote: 25, quantity: 2 }) }), 'now 2 x 25'],
  ['a quote', (data) => ({ ...data, products: products(data, { quote: 26, quantity: 1 }) }), 'now 1 x 26'],
  ['a total', (data) => ({ ...data, invoice: { ...data.invoice, total: 25.01 } }), 'now 25.01'],
])('%s that differs is enough', async (_what, change, now) => {
  const { shop, id } = await placed(change)
  const { exit, error } = await shop.asks(['confirm', id])
  expect({ exit, violations: error.violations }).toEqual({
    exit: 3,
    violations: [expect.stringContaining(now)],
  })
  expect(shop.sent('confirm')).toBe(0)
})

// biome-ignore lint/suspicious/noExplicitAny: as above.
const products = (data: any, request: object) => ({ 'GAME-US': { ...data.products['GAME-US'], request } })

describe('create --confirm checks the response to create', () => {
  test.each<[string, Change]>([
    [
      'a total that is not the sum of its records',
      (data) => ({ ...data, invoice: { ...data.invoice, total: 24 } }),
    ],
    [
      'records about another product',
      (data) => ({
        ...data,
        invoice: { ...data.invoice, records: [{ ...data.invoice.records[0], sku: 'ZZZ' }] },
      }),
    ],
    ['another wallet', inDinars],
  ])('%s: the order is not confirmed', async (_what, change) => {
    const shop = await openWorld(overNetwork)
    shop.through(on('create', async (request, service) => altered(await service(request), change)))
    const { exit, error } = await shop.asks([...order, '--confirm'])
    const id = shop.journal('SELECT order_id AS id FROM orders')[0]?.id
    expect({ exit, error }).toMatchObject({
      exit: 5,
      error: {
        code: 'unavailable',
        message: expect.stringMatching(`^created ${id}, but the response was not as documented: `),
        orderId: id,
        fix: `orderctl get ${id}`,
      },
    })
    expect(shop.sent('confirm')).toBe(0)
  })
})
