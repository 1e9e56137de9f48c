// A request as the journal keeps it, read again: each amount exact, each field in its place.
import { expect, test } from 'vitest'
import { decimal } from '../../src/contract/decimal.ts'
import { writeJson } from '../../src/contract/json.ts'
import { requestedProducts } from '../../src/journal/requested.ts'

test('each line is what was asked for, to the last digit', () => {
  const productList = ['25', '12.50', '0.10000000000000000001'].map((quote, index) => ({
    sku: `A-${index}`,
    productType: 'range',
    quote: decimal(quote),
    quantity: index + 1,
  }))
  const request = writeJson({ productList, wallet: 'USD', reference: 'ref-1' })
  expect(requestedProducts({ request })).toEqual(productList)
  expect(writeJson(requestedProducts({ request }))).toBe(writeJson(productList))
})

test('of what was not placed from here, nothing is known', () => {
  expect(requestedProducts({})).toBeUndefined()
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
])('of a damaged request, nothing is known: %s', (request) => {
  expect(requestedProducts({ request })).toBeUndefined()
})
