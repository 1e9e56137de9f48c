// batch cancel: gives up the cards that are not bought yet.

import { describe, expect, test } from 'vitest'
import { recordExpiry } from '../../../src/journal/orders/observations.ts'
import { listCalls } from '../../../src/journal/orders/queries.ts'
import { type BatchFill, openFilled, ownerAs, rowsOf, shopOrigin } from './filled-journal.ts'

const opened = async (fill: BatchFill = {}) => {
  const filled = await openFilled({ rows: rowsOf(3), ...fill })
  const { batch, batches } = filled
  return {
    ...filled,
    count: () => batches.countCardsByState(batch.number),
    isCancelled: async () => (await batches.getBatch(batch.number))?.cancelledAt !== undefined,
  }
}

const words = ['batch', 'cancel', 'orders'] as const
const question = 'Cancel the batch orders? 1 of 3 cards are delivered. Confirmed orders keep their cards.'

test('gives up the wanted cards, except those of a paid order', async () => {
  const { shop, deliver, buy, count, isCancelled } = await opened()
  await deliver(1)
  await buy(2, 'confirmed')
  const { exit, stdout } = await shop.run(words)
  expect(exit).toBe(0)
  expect(stdout).toMatch(/^State +– cancelled, it buys no more cards$/m)
  expect(stdout).toMatch(/^Cards +1 of 3 delivered, 1 open, 1 cancelled$/m)
  expect(stdout).toMatch(/^Cancelled +\d/m)
  expect([await count(), await isCancelled()]).toEqual([
    { wanted: 1, delivered: 1, failed: 0, duplicate: 0, cancelled: 1 },
    true,
  ])
})

test('prints the summary with --json and the name with -q, and asks nothing in a script', async () => {
  const { shop, deliver } = await opened()
  await deliver(1)
  expect(JSON.parse(await shop.must(...words, '--json'))).toMatchObject({
    ...{ name: 'orders', state: 'cancelled', spent: 100 },
    cards: { ordered: 3, delivered: 1, failed: 0, duplicate: 0, unknown: 0 },
  })
  expect(await shop.must(...words, '-q')).toBe('orders\n')
})

test('succeeds if it was cancelled before, and gives up the cards of an unknown order that has expired since', async () => {
  const { shop, count, buy, batches, batch, journal } = await opened()
  await buy(1, 'unknown')
  await buy(2, 'created')
  await shop.must(...words)
  expect(await count()).toMatchObject({ wanted: 1, cancelled: 2 })
  const cancelledAt = (await batches.getBatch(batch.number))?.cancelledAt
  const [unknown] = await batches.listSlotOrders(batch.number, 1)
  if (unknown !== undefined) {
    const calls = await listCalls(journal.read, unknown.number)
    const confirms = calls.filter(({ operation }) => operation === 'confirm')
    await recordExpiry(journal, unknown, confirms, Date.now())
  }
  const again = await shop.run(words)
  expect(await count()).toMatchObject({ wanted: 0, cancelled: 3 })
  expect(again).toMatchObject({ exit: 0, stderr: 'The batch orders was already cancelled\n' })
  expect((await batches.getBatch(batch.number))?.cancelledAt).toBe(cancelledAt)
})

test('refuses a complete batch', async () => {
  const { shop, deliver, fail, isCancelled } = await opened()
  await deliver(1, 2)
  await fail(3, 'out of stock')
  expect(await shop.run(words)).toEqual({
    exit: 2,
    stdout: '',
    stderr:
      'error: nothing to cancel: the batch orders is complete (partial)\ntry: orderctl batch show orders\n',
  })
  expect(await isCancelled()).toBe(false)
})

test.each(['cancel', 'show'])('%s makes no call and needs no key', async (command) => {
  const { shop, isCancelled } = await opened({ owner: ownerAs('environment') })
  const { exit, stdout, stderr } = await shop.atTerminal(['batch', command, 'orders', '-q'], {
    env: { ORDERCTL_BASE_URL: shopOrigin },
    openNetwork: async () => {
      throw new Error('a call')
    },
  })
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: 'orders\n', stderr: '' })
  expect(await isCancelled()).toBe(command === 'cancel')
})

describe('on a terminal', () => {
  test('it asks once if something was bought', async () => {
    const { shop, deliver, isCancelled } = await opened()
    await deliver(1)
    const refused = await shop.atTerminal(words, { answers: [false] })
    expect([refused.exit, refused.questions, await isCancelled()]).toEqual([130, [question], false])
    expect(refused.stderr).toBe('The batch was not cancelled; nothing has changed\n')
    const agreed = await shop.atTerminal(words, { answers: [true] })
    expect([agreed.exit, agreed.questions, await isCancelled()]).toEqual([0, [question], true])
    const again = await shop.atTerminal(words)
    expect([again.exit, again.questions]).toEqual([0, []])
  })

  test('it asks if something may have been bought', async () => {
    const { shop, buy } = await opened()
    await buy(2, 'unknown')
    const { questions } = await shop.atTerminal(words, { answers: [true] })
    expect(questions).toHaveLength(1)
  })

  test('--yes replaces the question, --no-input does not', async () => {
    const { shop, buy, isCancelled } = await opened()
    await buy(2, 'unknown')
    const refused = await shop.atTerminal([...words, '--no-input'])
    expect([refused.exit, refused.stderr, await isCancelled()]).toEqual([
      2,
      'error: batch cancel needs --yes, because it cannot prompt\nUse --yes to cancel without a prompt.\n',
      false,
    ])
    const { exit, questions } = await shop.atTerminal([...words, '--yes', '--no-input'])
    expect([exit, questions, await isCancelled()]).toEqual([0, [], true])
  })

  test('it asks nothing if nothing was bought', async () => {
    const { shop, buy, isCancelled } = await opened()
    await buy(1, 'created')
    const { exit, questions } = await shop.atTerminal(words)
    expect([exit, questions, await isCancelled()]).toEqual([0, [], true])
  })
})
