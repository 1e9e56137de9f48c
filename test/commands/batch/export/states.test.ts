// batch export of cards that were bought again or lost. export.session has the other states.
import { expect, test } from 'vitest'
import { openBuyer } from './buyer.ts'

const game = { sku: 'GAME-US', quote: '25' }

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
