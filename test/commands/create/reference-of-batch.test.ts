// orderctl create with a reference that a batch has used: only the batch buys the cards of its rows.
import { expect, test } from 'vitest'
import { on, openWorld, overNetwork, respond } from '../../support/world.ts'

const products = ['--product', 'GAME-US:25x3', '--wallet', 'USD']
const create = ['create', ...products, '--reference', 'gifts-0001', '--confirm']
const run = ['batch', 'run', ...products, '--name', 'gifts', '--max-total']

const ways = [
  { name: 'create', flags: [] },
  { name: 'create --idempotent', flags: ['--idempotent'] },
]

const openShop = async () => {
  const shop = await openWorld(overNetwork)
  const countBought = async (): Promise<number> =>
    (await shop.calls.mock('GET', '/state')).data.orders.filter(
      ({ state }: { readonly state: string }) => state !== 'created',
    ).length
  return { ...shop, countBought }
}

const fix = 'orderctl batch list'
const advice =
  'It belongs to a batch. Continue the batch, or choose a different reference. --allow-duplicate buys an order outside the batch.'

test.each(ways)('after a lost response to create, $name buys nothing', async ({ flags }) => {
  const { asks, through, countBought, sent } = await openShop()
  const interrupt = new AbortController()
  through(
    on('create', async (request, service) => {
      await service(request)
      interrupt.abort()
      return respond(502, 'lost')
    }),
  )
  expect((await asks([...run, '75'], { interrupted: interrupt.signal })).exit).toBe(130)
  through()
  const refused = await asks([...create, ...flags])
  expect(refused).toMatchObject({
    exit: 11,
    error: {
      message: 'the reference gifts-0001 is already used by an order without an id (lost); nothing was sent',
      ...{ fix, advice },
      retryable: false,
    },
  })
  expect(sent('create')).toBe(1)
  expect((await asks(['batch', 'run', 'gifts'])).exit).toBe(0)
  expect(await countBought()).toBe(1)
  expect((await asks([...create, '--allow-duplicate'])).exit).toBe(0)
  expect(await countBought()).toBe(2)
})

test.each(ways)('after the order of the batch expired, $name buys nothing', async ({ flags }) => {
  const { asks, calls, countBought, sent } = await openShop()
  expect((await asks([...run, '10'])).exit).toBe(13)
  await calls.mock('POST', '/clock', { advance: '11m' })
  expect(await asks([...create, ...flags])).toMatchObject({
    exit: 11,
    error: { message: expect.stringContaining('(expired); nothing was sent'), fix, advice, retryable: false },
  })
  expect([sent('create'), await countBought()]).toEqual([1, 0])
  expect((await asks(['batch', 'run', 'gifts', '--max-total', '75'])).exit).toBe(0)
  expect(await countBought()).toBe(1)
})
