// confirm of an order of a batch: its slots and its approval. run.session has its cap.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTeamShop } from '../../support/postgres/team-shop.ts'
import { on, openWorld, overNetwork, type Relay, respond } from '../../support/world.ts'

type Order = { readonly id: string; readonly state: string; readonly total: number }

/** The batch `gifts` has 3 orders of 125 USD. */
const openShop = async () => {
  const shop = await openWorld(overNetwork)
  writeFileSync(path.join(shop.home, 'gifts.csv'), 'sku,quote,quantity\nGAME-US,25,15\n')
  const asks = (...words: string[]) => shop.asks(words)
  const runBatch = (...words: string[]) => asks('batch', 'run', ...words, '--parallel', '1')
  const flags = ['--wallet', 'USD', '--parallel', '1']
  const start = (maxTotal: string) => asks('batch', 'run', 'gifts.csv', ...flags, '--max-total', maxTotal)
  const readOrders = async (): Promise<Order[]> => (await shop.calls.mock('GET', '/state')).data.orders
  return {
    ...shop,
    asks,
    runBatch,
    readOrders,
    start,
    /** What the service has charged. */
    countSpent: async (): Promise<number> =>
      (await readOrders()).reduce((sum, { state, total }) => sum + (state === 'created' ? 0 : total), 0),
  }
}

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

// test/crash/limits-at-once.test.ts confirms by hand on PostgreSQL.
describe('an order of a batch that is confirmed by hand', () => {
  test('after a lost response to create, the lost order is not bought beside the next one', async () => {
    const { through, runBatch, start, asks, countSpent, readOrders, sent } = await openShop()
    through(loseFirst())
    expect((await start('375')).exit).toBe(0)
    expect([await countSpent(), sent('create'), sent('confirm')]).toEqual([375, 4, 3])
    const [lost] = (await readOrders()).filter(({ state }) => state === 'created')
    const id = lost?.id ?? 'none'
    expect(await asks('confirm', id)).toMatchObject({
      exit: 11,
      error: {
        message: `the reference gifts-0001 is already used by an order without an id (lost); the order ${id} was not confirmed`,
        fix: 'orderctl batch list',
        advice: 'To pay for both orders, use confirm with --allow-duplicate.',
      },
    })
    expect((await runBatch('gifts')).exit).toBe(0)
    expect(sent('confirm')).toBe(3)
  })
})

test('it needs the approval that its batch needs', async () => {
  const { as, must, json, approve, file, arrived, asked, expireApprovals } = await openTeamShop('bob')
  file('sku,quote,quantity\nGAME-US,25,15\n', 'gifts.csv')
  await must('ana', 'profile', 'limits', '--approve-above', '100USD')
  await must('bob', 'batch', 'plan', 'gifts.csv', '--wallet', 'USD')
  await approve('ana', 'gifts', '375')
  const interrupt = new AbortController()
  arrived.once('create', () => interrupt.abort())
  const run = ['batch', 'run', 'gifts', '--max-total', '375', '--parallel', '1']
  expect((await as('bob', run, { interrupted: interrupt.signal })).exit).toBe(130)
  await expireApprovals()
  const refused = await json('bob', ['confirm', 'ref:gifts-0001'])
  expect([refused.exit, refused.error.message]).toEqual([
    12,
    expect.stringMatching(/^no valid approval of its batch covers the order sbx_\w+; it was not confirmed$/),
  ])
  expect(await asked()).not.toContain('confirm')
  await approve('ana', 'gifts', '375')
  expect((await json('bob', ['confirm', 'ref:gifts-0001'])).exit).toBe(0)
})
