// The wallets that create's questions offer: the order of the list, the suggestion, and what a failure changes.
import { expect, test } from 'vitest'
import type { KnownProduct } from '../../../src/app/products/product-list.ts'
import { createWallets } from '../../../src/commands/create/wizard/questions.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import type { ProductInput } from '../../../src/text/product-flag.ts'

const known = (sku: string, currency: string): KnownProduct => ({
  ...{ sku, type: 'fixed', price: { least: decimal('5'), most: decimal('5'), currency } },
})
const products = [known('GAME-US', 'USD'), known('GAME-DE', 'EUR'), known('MUSIC-US', 'USD')]
const ordered = (...skus: string[]): ProductInput[] =>
  skus.map((sku) => ({ sku, quote: '5', quantity: '1', type: undefined }))

test.each<[string, string[], string[], string | undefined]>([
  ['the currency of the product', ['GBP', 'USD'], ['GAME-US'], 'USD'],
  ['the currency of all products', ['GBP', 'USD'], ['GAME-US', 'MUSIC-US'], 'USD'],
  ['the likeliest, if the products have several', ['GBP', 'USD'], ['GAME-US', 'GAME-DE'], 'GBP'],
  ['the likeliest, if there is no such wallet', ['GBP', 'USD'], ['GAME-DE'], 'GBP'],
  ['the likeliest, if the currency is not known', ['GBP', 'USD'], ['OTHER'], 'GBP'],
  ['the currency of the product, if no wallet is known', [], ['GAME-DE'], 'EUR'],
  ['nothing, if nothing is known', [], ['OTHER'], undefined],
])('suggests %s', (_what, wallets, skus, wallet) => {
  expect(createWallets(wallets, products).suggest(ordered(...skus))).toBe(wallet)
})

test('a wallet with too little money comes last, is marked, and is not suggested', () => {
  const wallets = createWallets(['USD', 'EUR'], products)
  wallets.failed.add('USD')
  expect(wallets.suggest(ordered('GAME-US'))).toBe('EUR')
  expect(wallets.list()).toEqual([
    { value: 'EUR', name: 'EUR' },
    { value: 'USD', name: 'USD  had too little money' },
  ])
  wallets.failed.add('CHF')
  expect(wallets.list().map(({ value }) => value)).toEqual(['EUR', 'USD', 'CHF'])
})

test('one known wallet is the only answer', () => {
  expect(createWallets(['USD'], []).only).toBe('USD')
  expect(createWallets(['USD', 'EUR'], []).only).toBe(undefined)
  expect(createWallets([], []).only).toBe(undefined)
})
