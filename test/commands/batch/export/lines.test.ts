// batch export: a row keeps its code, whatever the service shows later. export.session has the lines.
import { describe, expect, test } from 'vitest'
import { type ChangeOrder, openBuyer } from './buyer.ts'

const buyAll = async (plan: Parameters<typeof openBuyer>[0]) => {
  const buyer = await openBuyer(plan)
  await buyer.start()
  const orders: string[] = []
  for (const slot of new Set(plan.slots ?? [1])) orders[slot] = await buyer.buy(slot)
  buyer.settle()
  return { ...buyer, orders }
}

describe('two exports give each row the same code', () => {
  const three = { rows: [{ sku: 'GAME-US', quote: '25', quantity: 3 }] }

  test.each<[string, Record<string, string>, ChangeOrder]>([
    ['cards', { sku: 'GAME-US', quote: '25' }, ({ redeem }) => redeem['GAME-US'].cards.reverse()],
    ['PINs', { sku: 'COFFEE-US', quote: '5' }, ({ redeem }) => redeem['COFFEE-US'].redeemPin.reverse()],
  ])('if the service lists the %s in another order', async (_, { sku = '', quote = '' }, reverse) => {
    const { exported, changeOrders } = await buyAll({ rows: [{ sku, quote, quantity: 3 }] })
    const before = await exported('before.csv')
    changeOrders(reverse)
    expect(await exported('after.csv')).toEqual(before)
    expect(new Set(before.map(({ code, pin }) => code || pin)).size).toBe(3)
  })

  test('and a card that the service no longer shows has none', async () => {
    const { exported, exports, changeOrders } = await buyAll(three)
    const before = await exported('before.csv')
    changeOrders(({ redeem }) => redeem['GAME-US'].cards.splice(1, 1))
    const after = await exported('after.csv')
    expect([after[0], after[2]]).toEqual([before[0], before[2]])
    expect(after[1]).toMatchObject({
      ...{ state: 'delivered', error: 'the service no longer shows this card', code: '', pin: '' },
      reference: 'orders-0001',
    })
    expect((await exports('again.csv')).stderr).toMatch(
      /^warning: the service no longer shows 1 card that it delivered; the file has no code for it\. Ask the support of the service\.\nWrote 2 cards /,
    )
  })

  test('and a card that belongs to nobody is given to nobody', async () => {
    const { exported, exports, changeOrders, orders, read } = await buyAll(three)
    const before = await exported('before.csv')
    changeOrders(({ redeem }) => {
      redeem['GAME-US'].cards.unshift({ ...redeem['GAME-US'].cards[0], redeemCardCode: 'NOBODY-1' })
    })
    expect(await exported('after.csv')).toEqual(before)
    expect((await exports('again.csv')).stderr).toMatch(
      `warning: 1 card belongs to no row and is not in the file. Show the cards of the order:\n  orderctl redeem ${orders[1]} --reveal\nWrote 3 cards `,
    )
    expect(read('again.csv')).not.toContain('NOBODY-1')
  })

  test('and a changed card goes to nobody else', async () => {
    const { exported, changeOrders } = await buyAll(three)
    const before = await exported('before.csv')
    changeOrders(({ redeem }) => {
      redeem['GAME-US'].cards[0].redeemCardCode = 'CHANGED-1'
    })
    const after = await exported('after.csv')
    expect(after.map(({ code }) => code)).toEqual(['', before[1]?.code, before[2]?.code])
  })
})
