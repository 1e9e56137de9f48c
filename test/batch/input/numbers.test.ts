// Numbers of files that are separated by semicolons or tabs: src/batch/input/row-reader.ts
import { expect, test } from 'vitest'
import type { ProductList } from '../../../src/app/product-list.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { readRows, refusalOf } from './read.ts'

const rowsOf = (numbers: readonly string[], separator = ';'): string =>
  [['sku', 'quote'], ...numbers.map((number) => ['A', number])]
    .map((cells) => cells.join(separator))
    .join('\n')

const quotesOf = async (...given: Parameters<typeof readRows>): Promise<string[]> =>
  (await readRows(...given)).rows.map(({ quote }) => quote)

test.each([
  [
    ['12,50', '25', '1.234,56', '0,125', '1.234.567,8', '1.234.567'],
    ['12.5', '25', '1234.56', '0.125', '1234567.8', '1234567'],
  ],
  [
    ['12.50', '1,234.56', '1,234,567', '1234.567', '25.00'],
    ['12.5', '1234.56', '1234567', '1234.567', '25'],
  ],
  [
    ['1 234,56', '1\u00a0234', '1\u202f234,5'],
    ['1234.56', '1234', '1234.5'],
  ],
  [
    ["1'234.56", '1\u2019234', '2.5e1'],
    ['1234.56', '1234', '25'],
  ],
])('%j are read as %j', async (given, read) => {
  for (const separator of [';', '\t']) expect(await quotesOf(rowsOf(given, separator))).toEqual(read)
})

test.each([
  ['1,250', '1250 or 1.2500, because 1,250 can be either'],
  ['1.234', '1234 or 1.2340, because 1.234 can be either'],
  ['1.2.3', 'a number above 0, such as 25 or 12,50'],
  ['1.23,456,7', 'a number above 0, such as 25 or 12,50'],
  ['12,50 €', 'a number above 0, such as 25 or 12,50'],
  ['-5,00', 'a number above 0, such as 25 or 12,50'],
])('%s is refused', async (given, allowed) => {
  expect((await refusalOf(rowsOf([given])))[1]).toBe(`line 2: quote is "${given}"; allowed: ${allowed}`)
})

test('a file uses one style', async () => {
  expect((await refusalOf(rowsOf(['25', '12,50', '12.50', '5.00', '1,234.5'])))[1]).toBe(
    'line 4: quote is "12.50"; allowed: a decimal comma as in line 3 (12,50): a file uses one style',
  )
  expect((await refusalOf('sku;quote;quantity\nA;12.50;1\nA;5;2,0\n'))[1]).toContain(
    'line 3: quantity is "2,0"; allowed: a decimal dot',
  )
})

test('three decimals are clear in a currency that has three', async () => {
  const price = { least: decimal('1'), most: decimal('2000'), currency: 'KWD' }
  const list: ProductList = {
    products: new Map([['A', { sku: 'A', productType: 'range', price }]]),
    ...{ name: 'the shop', remedy: {}, refusesFractions: false },
  }
  expect(await quotesOf(rowsOf(['1,250', '12,500']), { list })).toEqual(['1.25', '12.5'])
  expect((await refusalOf('sku;quote;quantity\nA;1,250;1,000\n', { list }))[1]).toContain('1000 or 1.0000')
})

test('a file separated by commas, and JSON, have no decimal commas', async () => {
  expect((await refusalOf('sku,quote\nA,"12,50"\n'))[1]).toContain('with a dot as the decimal separator')
  expect((await refusalOf('sku,quote,quantity\nA,1.000,2.000\nA,"1,250",1\n')).slice(1, -1)).toEqual([
    'line 2: quote is "1.000"; allowed: 1000 or 1.0000, because 1.000 can be either',
    'line 2: quantity is "2.000"; allowed: 2000 or 2.0000, because 2.000 can be either',
    'line 3: quote is "1,250"; allowed: 1250 or 1.2500, because 1,250 can be either',
  ])
  expect(await quotesOf('sku,quote\nA,1.2340\nA,1234.500\n')).toEqual(['1.234', '1234.5'])
  expect(await quotesOf('[{"sku": "A", "quote": 1.234}]', { name: 'a.json' })).toEqual(['1.234'])
  expect((await refusalOf('[{"sku": "A", "quote": "12,50"}]', { name: 'a.json' }))[1]).toContain('with a dot')
})
