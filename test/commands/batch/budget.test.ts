// batch run against a budget of the account: it stops, says so, and continues when the budget allows it.
import { expect, test } from 'vitest'
import { hastyClock } from '../../support/in-process.ts'
import { on, openWorld, overNetwork, respond } from '../../support/world.ts'

const openShop = async () => {
  const shop = await openWorld()
  // At noon, so that no wait reaches the next day.
  const clock = hastyClock(new Date().setUTCHours(12, 0, 0, 0))
  /** Waits end at once. */
  const run = (...words: string[]) => shop.atTerminal(words, { clock, terminals: [] })
  const file = shop.file(JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 15 }]), 'gifts.json')
  const words = ['batch', 'run', file, '--wallet', 'USD', '--max-total', '1000', '--parallel', '1']
  const countConfirmed = async (): Promise<number> => {
    const { orders } = (await shop.calls.mock('GET', '/state')).data
    return orders.filter(({ state }: { state: string }) => state !== 'created').length
  }
  return { ...shop, run, words, countConfirmed }
}

const readError = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error

// Each order has 5 cards.
test('in the middle of a batch, a budget stops it with exit 13', async () => {
  const { run, words, countConfirmed } = await openShop()
  await run('profile', 'limits', '--budget', '300USD/day')
  const stopped = await run(...words, '--json')
  expect(stopped.exit).toBe(13)
  expect(readError(stopped.stderr)).toMatchObject({
    code: 'stopped',
    message: expect.stringMatching(
      /^the batch gifts stopped at the budget of sandbox, 300\.00 USD per day: 50\.00 USD is left until .* UTC; 250\.00 of 1,000\.00 USD spent; 5 of 15 cards are still open$/,
    ),
    fix: 'orderctl profile limits sandbox',
    advice: 'Continue when the budget allows it: orderctl batch run gifts',
    budget: { per: 'day', currency: 'USD', amount: 300, left: 50 },
  })
  expect(JSON.parse(stopped.stdout)).toMatchObject({ state: 'stopped', stopped: 'budget', spent: 250 })
  expect(await countConfirmed()).toBe(2)

  const shown = await run('batch', 'show', 'gifts')
  expect(shown.stdout).toContain('! stopped, a budget does not allow the next order')
  expect(shown.stderr).toContain(
    'A budget did not allow the next order. See what is left: orderctl profile limits sandbox\n',
  )
  const listed = JSON.parse((await run('batch', 'list', '--json')).stdout)
  expect(listed).toMatchObject([{ name: 'gifts', state: 'stopped', stopped: 'budget' }])

  await run('profile', 'limits', '--budget', '375USD/day')
  const continued = await run('batch', 'run', 'gifts', '--json')
  expect(continued.exit).toBe(0)
  expect(JSON.parse(continued.stdout)).toMatchObject({ state: 'successful', stopped: null, spent: 375 })
  expect(await countConfirmed()).toBe(3)
})

test.each([
  ['100USD/day', '100.00 USD per day: 100.00 USD is left until .* UTC'],
  ['100USD/order', '100.00 USD per order'],
])('if nothing was bought yet, %s ends it with exit 12', async (budget, text) => {
  const { run, words, countConfirmed } = await openShop()
  await run('profile', 'limits', '--budget', budget)
  const { exit, stderr } = await run(...words, '--json')
  expect(exit).toBe(12)
  expect(readError(stderr)).toMatchObject({
    code: 'not-approved',
    message: expect.stringMatching(
      new RegExp(
        `^the batch gifts stopped at the budget of sandbox, ${text}; nothing was spent; 15 of 15 cards are still open$`,
      ),
    ),
  })
  expect(await countConfirmed()).toBe(0)
})

test('after a refused confirm, which is no proof, it does not say that nothing was spent', async () => {
  const shop = await openWorld(overNetwork)
  const file = shop.file(JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 5 }]), 'gifts.json')
  const run = (...given: string[]) => shop.runIn(given)
  const words = ['batch', 'run', file, '--wallet', 'USD', '--max-total', '1000']
  shop.through(on('confirm', async () => respond(400, 'Not now')))
  await run(...words)
  expect(shop.journal('SELECT standing FROM orders')).toEqual([{ standing: 'doubtful' }])
  await run('profile', 'limits', '--budget', '100USD/day')
  const { exit, stdout, stderr } = await run(...words, '--json')
  expect([exit, JSON.parse(stdout).spent, shop.bought()]).toEqual([13, 0, []])
  expect(readError(stderr)).toMatchObject({ code: 'stopped', budget: { amount: 100 } })
  expect(stderr).not.toContain('nothing was spent')
})

test('several orders at once stay within the budget', async () => {
  const { run, words, countConfirmed } = await openShop()
  await run('profile', 'limits', '--budget', '260USD/day')
  const { exit } = await run(...words.slice(0, -1), '4')
  expect([exit, await countConfirmed()]).toEqual([13, 2])
})
