// The amounts that the wizard accepts, as people type them, and the wallets that it offers.
import { expect, test } from 'vitest'
import { checkQuote, listWallets, normalizeQuote } from '../../../src/commands/create/questions.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'

const price = { least: decimal('5'), most: decimal('2000'), currency: 'USD' }

test.each([
  ['25', '25'],
  ['25,50', '25.50'],
  ['25.50 USD', '25.50'],
  ['25,5usd', '25.5'],
])('%s is %s', (text, quote) => {
  expect([checkQuote(text, price), normalizeQuote(text, price)]).toEqual([undefined, quote])
})

test.each(['1,000', '1.000,50', '25 EUR', 'USD 25', '25 USD USD', '2,000.00'])(
  '%s is ambiguous or wrong',
  (text) => {
    expect(checkQuote(text, price)).toMatch(/^allowed: /)
  },
)

test('a currency is refused if that of the product is not known', () => {
  expect(checkQuote('25 USD', undefined)).toMatch(/^allowed: /)
})

test.each<[string, string[], string[], (string | undefined)[], string[]]>([
  ['the currency of the product', ['GBP', 'USD'], [], ['USD'], ['USD', 'GBP']],
  ['the likeliest, if the products have several', ['GBP', 'USD'], [], ['USD', 'EUR'], ['GBP', 'USD']],
  ['the likeliest, if there is no such wallet', ['GBP', 'USD'], [], ['EUR'], ['GBP', 'USD']],
  ['the likeliest, if the currency is not known', ['GBP', 'USD'], [], [undefined], ['GBP', 'USD']],
  ['the currency of the product, if no wallet is known', [], [], ['EUR'], ['EUR']],
  ['nothing, if nothing is known', [], [], [undefined], []],
  ['another wallet, if one had too little money', ['USD', 'EUR'], ['USD'], ['USD'], ['EUR', 'USD']],
])('the first wallet is %s', (_what, known, failed, currencies, wallets) => {
  expect(listWallets(known, new Set(failed), new Set(currencies))).toEqual(wallets)
})
