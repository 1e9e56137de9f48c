// confirm of an order that a batch lost. run.session and approve.slow.session have the cap and the approval.
import { expect, test } from 'vitest'
import { on, openWorld, overNetwork, type Relay, respond } from '../../support/world.ts'

type Order = { readonly id: string; readonly state: string }

/** Loses the response to the first create. */
const loseFirst = (): Relay => {
  let isFirst = true
  return on('create', async (request, service) => {
    const response = await service(request)
    if (!isFirst) return response
    isFirst = false
    return respond(502, 'lost')
  })
}

test('after a lost response to create, the lost order is not bought beside the next one', async () => {
  const { through, asks, bought, sent, calls } = await openWorld(overNetwork)
  through(loseFirst())
  const plan = ['--product', 'GAME-US:25x15', '--wallet', 'USD', '--name', 'gifts', '--max-total', '375']
  expect((await asks(['batch', 'run', ...plan, '--parallel', '1'])).exit).toBe(0)
  expect([bought().length, sent('create'), sent('confirm')]).toEqual([3, 4, 3])
  const { orders } = (await calls.mock('GET', '/state')).data as { orders: Order[] }
  const id = orders.find(({ state }) => state === 'created')?.id ?? 'none'
  expect(await asks(['confirm', id])).toMatchObject({
    exit: 11,
    error: {
      message: `the reference gifts-0001 is already used by an order without an id (lost); the order ${id} was not confirmed`,
      fix: 'orderctl batch list',
      advice: 'To pay for both orders, use confirm with --allow-duplicate.',
    },
  })
  expect((await asks(['batch', 'run', 'gifts'])).exit).toBe(0)
  expect(sent('confirm')).toBe(3)
})
