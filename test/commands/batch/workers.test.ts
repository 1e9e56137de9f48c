// batch run --worker in one process: two workers, and how they are listed. orders.session has what one takes part in.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openWorld, overNetwork } from '../../support/world.ts'
import { openFilled, rowsOf } from './filled-journal.ts'

test('two workers at once buy each order once', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must('batch', 'plan', '--product', 'GAME-US:25x40', '--wallet', 'USD', '--name', 'gifts')
  const started = once(shop.arrived, 'create')
  const first = shop.run(['batch', 'run', 'gifts', '--max-total', '1000', '--parallel', '1'])
  await started
  const second = await shop.run(['batch', 'run', 'gifts', '--worker', '--parallel', '1'])
  expect([(await first).exit, second.exit]).toEqual([0, 0])
  expect(shop.bought()).toHaveLength(8)
})

test('a run ends although the journal has lost the confirm of an order', async () => {
  const { shop, buy, journal } = await openFilled({ name: 'gifts', rows: rowsOf(1) })
  await buy(1, 'sending')
  await journal.write(({ run }) => run("DELETE FROM calls WHERE operation = 'confirm'"))
  const { exit, error } = await shop.asks(['batch', 'run', 'gifts', '--max-total', '500'])
  expect([exit, error.code]).toEqual([6, 'unknown'])
  expect(shop.bought()).toEqual([])
})

test('batch show says whose orders are not finished, and whether a run works on them', async () => {
  const { shop, buy, deliver, setCards, journal } = await openFilled({ name: 'gifts', rows: rowsOf(3) })
  await buy(1, 'confirmed')
  await buy(2, 'created')
  const show = async () => {
    const { stdout, stderr } = await shop.run(['batch', 'show', 'gifts'])
    return [/\nOrders in progress\n(.*)/.exec(stdout)?.[1], stderr]
  }
  const by = { role: null, user: 'tester', host: 'desk', writtenBy: null }
  const time = expect.stringMatching(/^\d{4}-.*Z$/)
  const readShown = async () => JSON.parse(await shop.must('batch', 'show', 'gifts', '--json')).buyers
  expect(await show()).toEqual([
    'tester@desk: 2 orders, left by a run that ended, last change 1 h ago',
    'If no other process runs this batch, continue it: orderctl batch run gifts\n',
  ])
  expect(await readShown()).toEqual([{ by, buying: 1, waiting: 1, changedAt: time, until: null }])
  const hold = `UPDATE orders SET held_until = ${Date.now() + 60_000}`
  await journal.write(({ run }) => run(hold))
  expect(await show()).toEqual([
    'tester@desk: 2 orders, 1 being bought, 1 waiting for cards, last change 1 h ago',
    'Watch it: orderctl batch show gifts --watch\n',
  ])
  expect((await readShown())[0]).toMatchObject({ until: time })
  await deliver(3)
  await setCards(1, { state: 'delivered', hash: 'a' })
  await setCards(2, { state: 'failed', error: 'out of stock' })
  expect(await readShown()).toEqual([])
})
