// orderctl confirm of an order of a batch: the batch keeps its cap, its slots and its approval, whoever confirms.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Situation } from '../../support/in-process.ts'
import { openTeamShop } from '../../support/postgres/team-shop.ts'
import { altered, on, openWorld, overNetwork, type Relay, respond } from '../../support/world.ts'

type Order = { readonly id: string; readonly state: string; readonly total: number }

/** The batch `gifts` has 3 orders of 125 USD. */
const openShop = async () => {
  const shop = await openWorld(overNetwork)
  writeFileSync(path.join(shop.home, 'gifts.csv'), 'sku,quote,quantity\nGAME-US,25,15\n')
  const asks = (...words: string[]) => shop.asks(words)
  const runBatch = (...words: string[]) => asks('batch', 'run', ...words, '--parallel', '1')
  const flags = ['--wallet', 'USD', '--parallel', '1']
  const start = (maxTotal: string, situation?: Situation) =>
    shop.asks(['batch', 'run', 'gifts.csv', ...flags, '--max-total', maxTotal], situation)
  const readOrders = async (): Promise<Order[]> => (await shop.calls.mock('GET', '/state')).data.orders
  return {
    ...shop,
    asks,
    runBatch,
    readOrders,
    start,
    /** The batch is interrupted when its first order is created. Returns the id of the order. */
    startUntilCreated: async (maxTotal: string): Promise<string> => {
      const interrupt = new AbortController()
      shop.through(
        on('create', async (request, service) => {
          const response = await service(request)
          interrupt.abort()
          return response
        }),
      )
      expect((await start(maxTotal, { interrupted: interrupt.signal })).exit).toBe(130)
      shop.through()
      return (await readOrders())[0]?.id ?? 'none'
    },
    /** What the service has charged. */
    countSpent: async (): Promise<number> =>
      (await readOrders()).reduce((sum, { state, total }) => sum + (state === 'created' ? 0 : total), 0),
    findCreated: async (): Promise<string> =>
      (await readOrders()).find(({ state }) => state === 'created')?.id ?? 'none',
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
  test('it does not exceed the cap', async () => {
    const { start, asks, runBatch, countSpent, findCreated, sent } = await openShop()
    expect((await start('300')).exit).toBe(13)
    const id = await findCreated()
    expect([await countSpent(), sent('confirm')]).toEqual([250, 2])
    for (const words of [[id], ['ref:gifts-0003'], [id, '--allow-duplicate'], [id, '--accept-changes']]) {
      expect(await asks('confirm', ...words)).toMatchObject({
        exit: 13,
        error: {
          code: 'stopped',
          message: `the order ${id} of 125.00 USD would exceed the cap of its batch gifts (50.00 USD left); it was not confirmed`,
          orderId: id,
          fix: 'orderctl batch show gifts',
          advice: 'Raise the cap: orderctl batch run gifts --max-total 375',
        },
      })
    }
    expect([await countSpent(), sent('confirm')]).toEqual([250, 2])
    expect((await runBatch('gifts', '--max-total', '375')).exit).toBe(0)
    expect(await countSpent()).toBe(375)
  })

  test('it does not exceed a cap that was lowered', async () => {
    const { start, asks, runBatch, countSpent, findCreated } = await openShop()
    expect((await start('300')).exit).toBe(13)
    expect((await runBatch('gifts', '--max-total', '200')).exit).toBe(13)
    const { error } = await asks('confirm', await findCreated())
    expect(error.message).toContain('would exceed the cap of its batch gifts (0.00 USD left);')
    expect(await countSpent()).toBe(250)
  })

  test('within the cap, it is the purchase of its slot', async () => {
    const { startUntilCreated, asks, runBatch, countSpent, sent } = await openShop()
    const id = await startUntilCreated('375')
    expect((await asks('confirm', 'ref:gifts-0001')).data.uid).toBe(id)
    expect((await runBatch('gifts')).exit).toBe(0)
    expect([await countSpent(), sent('confirm')]).toEqual([375, 3])
  })

  test('a cancelled batch confirms nothing more', async () => {
    const { startUntilCreated, asks, countSpent } = await openShop()
    const id = await startUntilCreated('375')
    expect((await asks('batch', 'cancel', 'gifts')).exit).toBe(0)
    for (const flags of [[], ['--allow-duplicate']]) {
      expect(await asks('confirm', id, ...flags)).toMatchObject({
        exit: 3,
        error: { message: `the batch of this order is cancelled; the order ${id} was not confirmed` },
      })
    }
    expect(await countSpent()).toBe(0)
  })

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

  test('changes of the order cannot be accepted', async () => {
    const { startUntilCreated, through, asks, sent } = await openShop()
    const id = await startUntilCreated('375')
    through(
      on('get', async (request, service) =>
        altered(await service(request), (data) => ({ ...data, invoice: { ...data.invoice, wallet: 'KWD' } })),
      ),
    )
    for (const flags of [[], ['--accept-changes'], ['--accept-changes', '--allow-duplicate']]) {
      expect(await asks('confirm', id, ...flags)).toMatchObject({
        exit: 3,
        error: {
          message: `the order ${id} differs from the order that its batch placed; it was not confirmed`,
          violations: ['wallet: ordered USD, now KWD'],
        },
      })
    }
    expect(sent('confirm')).toBe(0)
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
