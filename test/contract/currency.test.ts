// Currency codes: one spelling for each, in requests and in responses.
import { expect, test } from 'vitest'
import { checkOrderRequest } from '../../src/contract/order/order-request.ts'
import { invoice } from '../../src/contract/schemas.ts'
import { normalizeCurrency, readAs } from '../../src/contract/shape.ts'

test.each(['USD', 'usd', 'USD ', '\tUsD\n', 'ＵＳＤ', 'ｕｓｄ', '\u00a0USD'])('%j is USD', (text) => {
  expect(normalizeCurrency(text)).toBe('USD')
})

test.each(['', 'U', 'US D', 'U$D', 'USD\u200b', 'ÜSD', 'A'.repeat(13), 'USD,EUR'])(
  '%j is no code',
  (text) => {
    expect(normalizeCurrency(text)).toBeUndefined()
  },
)

// The tests of an invoice for a different request, of a budget and of random responses have the other currencies of a
// response.
test('a total that has one code twice is not as documented', () => {
  const records = [{ sku: 'A', total: { USD: 5, usd: 5 }, items: [] }]
  const document = { total: 5, wallet: 'USD', paymentMethod: 'balance', status: 'paid', records }
  expect(readAs(invoice, document).issues?.map(({ path }) => path)).toEqual([['records', 0, 'total']])
})

test('a request is sent with the normalised wallet', () => {
  const productList = [{ sku: 'A', productType: 'fixed', quote: 25, quantity: 1 }]
  const { request } = checkOrderRequest({ productList, wallet: ' ｕsd', reference: 'r' }, 'refused')
  expect(request?.wallet).toBe('USD')
})
