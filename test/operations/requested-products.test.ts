// The products of the request that the journal keeps.
import { expect, test } from 'vitest'
import { writeJson } from '../../src/contract/json.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import { readRequestedProducts } from '../../src/operations/compare.ts'

test('each line has the requested amounts exactly', () => {
  const productList = ['25', '12.50', '0.10000000000000000001'].map((quote, index) => ({
    sku: `A-${index}`,
    productType: 'range',
    quote: decimal(quote),
    quantity: index + 1,
  }))
  const request = writeJson({ productList, wallet: 'USD', reference: 'ref-1' })
  expect(readRequestedProducts({ request })).toEqual(productList)
  expect(writeJson(readRequestedProducts({ request }))).toBe(writeJson(productList))
})

test('an order that was created elsewhere has no products', () => {
  expect(readRequestedProducts({})).toBeUndefined()
})

test.each([
  '',
  '{"productList":',
  'null',
  '{}',
  '{"productList":{}}',
  '{"productList":[null]}',
  '{"productList":[{"sku":"A","productType":"fixed","quote":"25","quantity":1}]}',
  '{"productList":[{"sku":"A","productType":"fixed","quote":1e+300,"quantity":1}]}',
])('a damaged request has no products: %s', (request) => {
  expect(readRequestedProducts({ request })).toBeUndefined()
})
