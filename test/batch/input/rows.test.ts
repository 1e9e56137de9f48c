// The checks of every row, and rows from --product: src/batch/input/row-reader.ts
import { describe, expect, test } from 'vitest'
import type { ProductList } from '../../../src/app/product-list.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { checkOrderRequest } from '../../../src/contract/order/order-request.ts'
import { describeRows, readRows, refusalOf } from './read.ts'

const invalid = 'the rows are not valid; nothing was sent'
const fix = 'Correct the rows, then run the command again.'
const sku = 'a product identifier, not empty, without control characters'
const productType = 'a product type such as fixed or range, not empty, without control characters'
const quote = 'a number above 0, such as 25 or 12.50'
const withDot = 'a number above 0, with a dot as the decimal separator, such as 25.00'
const quantity = 'a whole number from 1 to 500000'

test('one error names everything that is wrong, with line, column, value and what is allowed', async () => {
  const content =
    'Product,quote,quantity,productType,name\n' +
    'A,25,1,fixed,Ann\n' +
    ',25,0,fixed,"Bo\nB."\n' +
    'A,"25,00",1.5,fixed,Cy\n' +
    `A,-1,,\u0007,${'x'.repeat(99)}\n` +
    `A,free,500001,fixed,Di,surplus\n`
  expect(await refusalOf(content, { map: ['sku=product'] })).toEqual([
    invalid,
    `line 3: Product is missing; allowed: ${sku}`,
    `line 3: quantity is "0"; allowed: ${quantity}`,
    `line 5: quote is "25,00"; allowed: ${withDot}`,
    `line 5: quantity is "1.5"; allowed: ${quantity}`,
    `line 6: quote is "-1"; allowed: ${quote}`,
    `line 6: productType is "\\u0007"; allowed: ${productType}`,
    `line 7: quote is "free"; allowed: ${quote}`,
    `line 7: quantity is "500001"; allowed: ${quantity}`,
    'line 7: column 6 is "surplus"; allowed: nothing, because the column has no header',
    fix,
  ])
})

const createList = (sku: string, productType: 'fixed' | 'range'): ProductList => ({
  products: new Map([
    [sku, { sku, productType, price: { least: decimal('25'), most: decimal('25'), currency: 'USD' } }],
  ]),
  ...{ name: 'the shop', remedy: { fix: () => 'orderctl sandbox' }, refusesFractions: false },
})

test('rows with the same problem share a line, in the order of the file', async () => {
  const [, ...problems] = await refusalOf('sku,quote\nA,x\nB,25\nA,x\nA,x\nA,x\n,1\nA,x\nA,x\n,1\n', {
    products: ['A:0', 'A:0'],
  })
  expect(problems).toEqual([
    `lines 2, 4, 5, 6, 8, 9: quote is "x"; allowed: ${quote}`,
    `lines 7, 10: sku is missing; allowed: ${sku}`,
    `--product 1, 2: quote is "0"; allowed: ${quote}`,
    fix,
  ])
  const everyOther = Array.from({ length: 40 }, (_, index) => `A,${index % 2 === 0 ? 25 : ''}`).join('\n')
  expect((await refusalOf(`sku,quote\n${everyOther}`))[1]).toBe(
    `lines 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, … (20 rows): quote is missing; allowed: ${quote}`,
  )
})

test('products that the account does not sell are listed by line among the other problems', async () => {
  const list = createList('A', 'fixed')
  const [, ...problems] = await refusalOf('sku,quote\nX,25\nA,\nX,25\n', { list })
  expect(problems.map((text) => text.split(':')[0])).toEqual(['lines 2, 4', 'line 3', fix])
})

test('a type that is not given is that of the product list, or else fixed', async () => {
  const list = createList('R', 'range')
  expect((await readRows('sku,quote\nR,25\n', { list })).rows).toMatchObject([{ productType: 'range' }])
  expect((await readRows('sku,quote\nR,25\n')).rows).toMatchObject([{ productType: 'fixed' }])
})

test.each([
  ...['0', '-0', '0.00', '-25', '+25', '.5', '25.', '025', '1e60', '25 USD', '$25', 'NaN', '0x10', '٢٥'],
  '9'.repeat(61),
])('the quote %s is refused', async (text) => {
  const [, violation = ''] = await refusalOf(`sku,quote\nA,${text}\n`)
  expect(violation).toMatch(/^line 2: quote is ".*["…]; allowed: a number above 0, such as 25 or 12\.50$/)
  expect(violation.length).toBeLessThan(140)
})

test.each(['1,5', '1.000,00', '1,000.00', '25,'])('the quote %s gets a hint', async (text) => {
  expect((await refusalOf(`sku,quote\nA,"${text}"\n`))[1]).toContain('a dot as the decimal separator')
})

describe('SKUs and types are checked as in an order', () => {
  test.each(['A', 'A B', 'a:b', '__proto__', 'ä', '👍', 'A\u0000', 'A\tB', 'A\u2028B', '\u00a0'])(
    '%j',
    async (text) => {
      const line = { sku: text, productType: text, quote: 1, quantity: 1 }
      const order = checkOrderRequest({ productList: [line], wallet: 'USD', reference: 'r' }, 'refused')
      const content = JSON.stringify([{ sku: text, quote: 1, productType: text }])
      const read = readRows(content, { name: 'orders.json' })
      if (order.request !== undefined)
        expect((await read).rows).toMatchObject([{ sku: text, productType: text }])
      else await expect(read).rejects.toMatchObject({ message: invalid })
    },
  )
})

test('--product: any quantity, after the rows of the file, without cells', async () => {
  expect(
    describeRows(await readRows(undefined, { products: ['A:25', 'B:12.50x7/range', 'C:1x499992'] })),
  ).toEqual(['', '0: A:25x1/fixed', '0: B:12.5x7/range', '0: C:1x499992/fixed'])
  const both = await readRows('sku,quote,name\nA,25,Ann\n', { products: ['B:10x6'] })
  expect(describeRows(both)).toEqual(['name', '2: A:25x1/fixed | Ann', '0: B:10x6/fixed | '])
  expect(await refusalOf('sku,quote\nA,x\n', { products: ['A:25', 'B:0x0'] })).toEqual([
    invalid,
    `line 2: quote is "x"; allowed: ${quote}`,
    `--product 2: quote is "0"; allowed: ${quote}`,
    `--product 2: quantity is "0"; allowed: ${quantity}`,
    fix,
  ])
})

test('a batch holds at most 500,000 cards', async () => {
  expect((await readRows(undefined, { products: ['A:25x250000', 'B:25x250000'] })).rows).toHaveLength(2)
  expect(await refusalOf(undefined, { products: ['A:25x250000', 'B:25x250001'] })).toEqual([
    'the rows have 500,001 cards; a batch holds at most 500,000; nothing was sent',
    'Split the rows into several batches.',
  ])
})
