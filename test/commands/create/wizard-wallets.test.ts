// The wallets that create's questions offer.
import { expect, test } from 'vitest'
import { listWallets } from '../../../src/commands/create/questions.ts'

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
