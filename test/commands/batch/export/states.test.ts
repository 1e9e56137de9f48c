// batch export of a batch that is not complete: cards that failed, are open, unknown or cancelled.
import { expect, test } from 'vitest'
import { openBuyer } from './buyer.ts'

const game = { sku: 'GAME-US', quote: '25' }

test('a partial order gives the codes it has, and the errors of the rest', async () => {
  const { buy, start, settle, exported, exports } = await openBuyer({
    rows: [game, { sku: 'TEST-FAIL', quote: '10', quantity: 2 }],
  })
  await start()
  const order = await buy(1)
  settle()
  const rows = await exported('codes.csv')
  expect(rows.map(({ state, error, order_id }) => [state, error, order_id])).toEqual([
    ['delivered', '', order],
    ['failed', 'not delivered: the order is partial', order],
    ['failed', 'not delivered: the order is partial', order],
  ])
  expect(rows.map(({ code }) => code === '')).toEqual([false, true, true])
  expect((await exports('again.csv')).stderr).toMatch(
    /^Wrote 1 card .*\n2 cards failed\. Buy them again: orderctl batch run orders --retry-failed\n$/,
  )
})

test('cards that are not bought or not final are open, and name their order only if it is confirmed', async () => {
  const { buy, place, start, exported, exports } = await openBuyer({
    rows: [game, game, game],
    slots: [1, 2, 3],
  })
  await start()
  const order = await buy(1)
  await place(2, 'created')
  const rows = await exported('codes.csv')
  expect(rows.map(({ state, order_id, reference }) => [state, order_id, reference])).toEqual([
    ['open', order, 'orders-0001'],
    ['open', '', ''],
    ['open', '', ''],
  ])
  expect((await exports('again.csv')).stderr).toMatch(
    /^Wrote 0 cards .*\n3 cards are not delivered yet\. Continue: orderctl batch run orders\n$/,
  )
})

test('a card whose confirm is not proven is unknown, and names the order', async () => {
  const { place, start, exported, exports, asked } = await openBuyer({
    rows: [game, game],
    slots: [1, 2],
  })
  await start()
  const orderId = await place(1, 'unknown')
  const rows = await exported('codes.csv')
  expect(rows.map(({ state, order_id, reference }) => [state, order_id, reference])).toEqual([
    ['unknown', orderId, 'orders-0001'],
    ['open', '', ''],
  ])
  expect(asked).toEqual([])
  const { stdout } = await exports('again.csv', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ cards: 2, delivered: 0, open: 1, unknown: 1 })
  expect((await exports('text.csv')).stderr).toMatch(
    '1 card may have been bought: the outcome is unknown. Check again: orderctl batch run orders\n',
  )
})

test('a card that failed before its order was placed names no order', async () => {
  const { batch, batches, buy, start, settle, exported, clock } = await openBuyer({
    rows: [game, { sku: 'GONE', quote: '10' }],
  })
  await start()
  const slot = { batch: batch.number, slot: 1, at: clock.now() }
  await batches.failCards(slot, ({ sku }) => sku === 'GONE', 'The product was not found.')
  const order = await buy(1)
  settle()
  expect((await exported('codes.csv')).map(({ state, error, order_id }) => [state, error, order_id])).toEqual(
    [
      ['delivered', '', order],
      ['failed', 'The product was not found.', ''],
    ],
  )
})

test('of a cancelled batch, the bought cards have their codes', async () => {
  const { batch, batches, buy, start, settle, exports, exported, clock } = await openBuyer({
    rows: [game, game],
    slots: [1, 2],
  })
  await start()
  await buy(1)
  await batches.recordCancel(batch.number, clock.now())
  await batches.cancelWanted(batch.number)
  settle()
  const rows = await exported('codes.csv')
  expect(rows.map(({ state, code }) => [state, code === ''])).toEqual([
    ['delivered', false],
    ['cancelled', true],
  ])
  expect((await exports('again.csv')).stderr).toMatch(/^Wrote 1 card .*\n1 card is cancelled\.\n$/)
})

test('a failed card that is bought again in a new order has the code of that order', async () => {
  const { batch, batches, buy, start, settle, exported, changeOrders } = await openBuyer({
    rows: [game, game],
  })
  await start()
  const first = await buy(1)
  settle()
  changeOrders(({ uid, redeem }) => {
    if (uid === first) redeem['GAME-US'].cards.pop()
  })
  expect((await exported('before.csv')).map(({ state }) => state)).toEqual(['delivered', 'failed'])
  expect(await batches.retryFailed(batch.number, (cards) => cards.map(() => 0))).toBe(1)
  const second = await buy(2)
  settle()
  const rows = await exported('codes.csv')
  expect(rows.map(({ state, order_id }) => [state, order_id])).toEqual([
    ['delivered', first],
    ['delivered', second],
  ])
  expect(new Set(rows.map(({ code }) => code)).size).toBe(2)
})

test('a card that a failed order delivers after it was bought again goes to nobody', async () => {
  const { batch, batches, buy, start, settle, exported, exports, changeOrders } = await openBuyer({
    rows: [game],
  })
  await start()
  const first = await buy(1)
  settle()
  changeOrders((order) => {
    if (order.uid === first) Object.assign(order, { state: 'failed', redeem: {} })
  })
  await exported('before.csv')
  await batches.retryFailed(batch.number, (cards) => cards.map(() => 0))
  const second = await buy(2)
  settle()
  changeOrders(() => {})
  const rows = await exported('codes.csv')
  expect(rows.map(({ order_id }) => order_id)).toEqual([second])
  expect((await exports('again.csv')).stderr).toContain(
    `1 card belongs to no row and is not in the file. Show the cards of the order:\n  orderctl redeem ${first} --reveal\n`,
  )
})

test('a delivered card whose order the journal has lost stops the export', async () => {
  const { batch, batches, start, exports } = await openBuyer({ rows: [game] })
  await start()
  await batches.changeSlotCards(batch.number, 1, () => [{ card: 0, state: 'delivered', hash: 'x' }])
  expect(await exports('codes.csv')).toMatchObject({
    exit: 9,
    stderr: expect.stringMatching(/^error: the journal no longer has order 1 of the batch orders, /),
  })
})
