// Currency codes: one spelling for each, in requests and in responses.
import { expect, test } from 'vitest'
import { normalizeCurrency } from '../../src/contract/money/currency.ts'
import { checkOrderRequest } from '../../src/contract/order-request.ts'
import { exchangeRate, invoice, redeemPins } from '../../src/contract/schemas.ts'
import { readAs } from '../../src/contract/shape.ts'

test.each(['USD', 'usd', 'USD ', '\tUsD\n', 'ＵＳＤ', 'ｕｓｄ', '\u00a0USD'])('%j is USD', (text) => {
  expect(normalizeCurrency(text)).toBe('USD')
})

test.each(['', 'U', 'US D', 'U$D', 'USD\u200b', 'ÜSD', 'A'.repeat(13), 'USD,EUR'])(
  '%j is no code',
  (text) => {
    expect(normalizeCurrency(text)).toBeUndefined()
  },
)

const of = (fields: object) =>
  readAs(invoice, {
    ...{ total: 5, wallet: ' usd', paymentMethod: 'balance', status: 'paid' },
    records: [{ sku: 'A', total: { ｕｓｄ: 5, eur: 0 }, items: [] }],
    ...fields,
  })

test('an invoice has the codes of its wallet and its totals in one spelling', () => {
  const { data } = of({})
  expect(data?.wallet).toBe('USD')
  expect(Object.keys(data?.records[0]?.total ?? {})).toEqual(['USD', 'EUR'])
})

test.each<[string, object, readonly PropertyKey[]]>([
  ['a wallet that is no code', { wallet: 'CODE-1234-5678' }, ['wallet']],
  [
    'a key that is no code',
    { records: [{ sku: 'A', total: { 'CODE-1234-5678': 5 }, items: [] }] },
    ['records', 0, 'total'],
  ],
  [
    'one code twice',
    { records: [{ sku: 'A', total: { USD: 5, usd: 5 }, items: [] }] },
    ['records', 0, 'total'],
  ],
])('%s is not as documented, and the issue does not repeat it', (_title, fields, path) => {
  const { issues } = of(fields)
  expect(issues?.map((issue) => issue.path)).toEqual([path])
  expect(JSON.stringify(issues)).not.toContain('CODE')
})

test('a different text is kept unchanged if it is not a currency code, so that paid codes stay readable', () => {
  const pins = { redeemPin: ['1234'], redeemLink: '', value: 5 }
  expect(readAs(redeemPins, { ...pins, currency: 'eur' }).data?.currency).toBe('EUR')
  expect(readAs(redeemPins, { ...pins, currency: 'Pfund Sterling' }).data?.currency).toBe('Pfund Sterling')
  const rate = { rate: 1, modifiedDate: { _seconds: 1, _nanoseconds: 0 }, targetCurrency: '€' }
  expect(readAs(exchangeRate, { ...rate, baseCurrency: 'usd' }).data).toMatchObject({
    ...{ targetCurrency: '€', baseCurrency: 'USD' },
  })
})

test('a request is sent with the normalised wallet', () => {
  const productList = [{ sku: 'A', productType: 'fixed', quote: 25, quantity: 1 }]
  const { request } = checkOrderRequest({ productList, wallet: ' ｕsd', reference: 'r' }, 'refused')
  expect(request?.wallet).toBe('USD')
})
