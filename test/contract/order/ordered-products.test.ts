// The products of an order as text: equal for equal products, and knowledge is only added.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countCards,
  formatProducts,
  mergeProducts,
  type OrderedProduct,
  parseProducts,
} from '../../../src/contract/order/ordered-products.ts'

const game: OrderedProduct = { sku: 'GAME-US', productType: 'fixed', quote: '25', ordered: 2 }
const food: OrderedProduct = { sku: 'FOOD', productType: 'range', quote: '12.5', ordered: 1, charged: '11.9' }

const format = (...products: OrderedProduct[]): string => formatProducts(products) ?? ''

const anyProduct: fc.Arbitrary<OrderedProduct> = fc
  .record(
    {
      sku: fc.string(),
      productType: fc.string(),
      quote: fc.constantFrom('0.01', '25', '12345678901234567890.5'),
      ordered: fc.nat(5),
      delivered: fc.nat(5),
      charged: fc.constantFrom('0', '9.99', '-1'),
    },
    { requiredKeys: ['sku', 'productType', 'quote', 'ordered'] },
  )
  .map((product) => ({ ...product }))
const anyProducts = fc.uniqueArray(anyProduct, { minLength: 2, maxLength: 5, selector: ({ sku }) => sku })

describe('the text', () => {
  test('is the same in any sequence', () => {
    expect(format(game, food)).toBe(format(food, game))
    expect(format(game, food)).toBe(
      '[["FOOD","range","12.5",1,null,"11.9"],["GAME-US","fixed","25",2,null,null]]',
    )
  })

  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyProducts, (products) => {
        const text = formatProducts(products) ?? ''
        expect(parseProducts(text)?.map(({ sku }) => sku)).toEqual(products.map(({ sku }) => sku).toSorted())
        expect(formatProducts(parseProducts(text) ?? [])).toBe(text)
      }),
    )
  })

  test.each([
    '',
    '["GAME-US"]',
    '[["GAME-US","fixed",25,2,null,null]]',
    '[["GAME-US","fixed","25","2",null,null]]',
    '[["GAME-US","fixed","25",2,1.5,null]]',
    '[["GAME-US","fixed","25",2,null,"free"]]',
  ])('%s is damaged', (text) => {
    expect(parseProducts(text)).toBeUndefined()
  })
})

describe('a merge', () => {
  const both = format(game, food)
  const counted = format({ ...game, delivered: 2, charged: '50' }, { ...food, delivered: 1 })
  const less = format({ ...game, delivered: 0 }, food)
  const otherType = format({ ...food, productType: 'fixed' })
  const fewer = format({ ...game, ordered: 1 })

  test.each<[string, string | undefined, string | undefined, string]>([
    ['adds the cards and the amounts of a later response', both, counted, counted],
    ['takes the first response', undefined, counted, counted],
    ['keeps cards and amounts that a later response does not have', counted, less, counted],
    ['keeps them if there is no later response', counted, undefined, counted],
    ['keeps them if the later response is damaged', counted, 'damaged', counted],
    ['keeps the type that was ordered', format(food), otherType, format(food)],
    ['takes the products of the later response', both, fewer, fewer],
  ])('%s', (_, known, later, merged) => expect(mergeProducts(known, later)).toBe(merged))
})

const delivered = { ...game, delivered: 2, duplicates: 1 }

test.each<[OrderedProduct[], object]>([
  [[game, food], { cards: 3, delivered: undefined, duplicates: 0 }],
  [[{ ...game, delivered: 2 }, food], { cards: 3, delivered: undefined, duplicates: 0 }],
  [[delivered, { ...food, delivered: 0 }], { cards: 3, delivered: 2, duplicates: 1 }],
])('cards are counted, and delivered ones only if all are known: %#', (products, counts) => {
  expect(countCards(products)).toEqual(counts)
})
