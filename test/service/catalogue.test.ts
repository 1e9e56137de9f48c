import { describe, expect, it } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { decimal, formatDecimal, zero } from '../../src/contract/money/decimal.ts'
import type { Catalogue } from '../../src/service/catalogue.ts'
import { checkCatalogue } from '../../src/service/catalogue-file.ts'

const card = { sku: 'A', name: 'A card', country: 'US', productType: 'fixed', currency: 'USD', quote: 25 }
const fixed = (fields = {}) => ({ ...card, ...fields })
const { quote: _, ...unpriced } = fixed()
const range = (fields = {}) => ({ ...unpriced, productType: 'range', min: 5, max: 100, ...fields })
const without = (field: string) =>
  Object.fromEntries(Object.entries(fixed()).filter(([key]) => key !== field))

const eurToUsd = { baseCurrency: 'EUR', targetCurrency: 'USD', rate: 1.0842 }
const createFile = (parts: object) => ({
  products: [fixed()],
  wallets: [{ currency: 'USD', balance: 100 }],
  rates: [],
  ...parts,
})
const withProducts = (...products: unknown[]) => createFile({ products })
const withBalances = (...amounts: number[]) =>
  createFile({ wallets: amounts.map((balance) => ({ currency: 'USD', balance })) })
const withRates = (...rates: object[]) =>
  createFile({ rates: rates.map((rate) => ({ ...eurToUsd, ...rate })) })

/** Each violation in words, with the given value if there is one. */
const saidOf = (document: unknown): string[] => {
  const result = checkCatalogue(document)
  if (!('violations' in result)) return []
  return result.violations.map(
    ({ path, given, allowed, problem }) =>
      problem ??
      [...(path === '' ? [] : [`${path}:`]), ...(given === undefined ? [] : [given, 'is not']), allowed].join(
        ' ',
      ),
  )
}

const mustCheck = (document: unknown): Catalogue => {
  const result = checkCatalogue(document)
  if ('violations' in result) throw new Error(JSON.stringify(result.violations))
  return result.catalogue
}

const productFields =
  'the fields sku, name, country, region, productType, currency, quote, min, max, fee, discount, stock, ' +
  'redeemShape, instructions, expiresInDays, behaviour, withholds'
const instructionFields = 'the fields tnc, tncHtml, redeem, redeemHtml, languageCode'
const cardFields = 'redeemLink or redeemCardCode or redeemSerialNumber or redeemPin'
const behaviours = 'server-error or not-found-later or fail or reject or slow or odd-state'
const label = 'a non-empty text'
const positive = 'a number above 0, at most 100000000000'
const balance = 'a number from 0 to 100000000000'
const percent = 'a percentage from 0 to 100'
const stock = 'a whole number, 0 or more'
const days = 'a whole number from 1 to 36500, or null'
const text = 'a non-empty text without control characters'
const currency = 'a currency code such as USD'

describe('an invalid catalogue file', () => {
  it.each<[field: string, allowed: string, ...values: unknown[]]>([
    ['sku', text, '', '  ', 'A\u001b[2J'],
    ['name', label, ' '],
    ['country', 'a country code such as US', 'USA'],
    ['currency', currency, 'usd', 'USDT'],
    ['productType', 'fixed or range', 'free'],
    ['quote', positive, 0, '25', null, 1e12, Number.NaN],
    ['quote', 'at most 2 decimal places in USD', 1.001],
    ['min', 'only for range products', 1],
    ['fee', percent, -1, 100.5],
    ['stock', stock, 1.5, -1, 2 ** 53],
    ['redeemShape', 'A or B', null],
    ['instructions', `an object with ${instructionFields}`, 'Scratch'],
    ['expiresInDays', days, 0, 36501],
    ['behaviour', behaviours, 'explode'],
    ['withholds', 'a list of card fields', 'redeemPin'],
  ])('gets a violation for the field %s: %s', (field, allowed, ...values) => {
    for (const value of values)
      expect(saidOf(withProducts(fixed({ [field]: value })))).toEqual([
        `products[0].${field}: ${JSON.stringify(value)} is not ${allowed}`,
      ])
  })

  const notUnique = 'not a unique value'
  const prototype = readJson(JSON.stringify(fixed()).replace('{', '{"__proto__":1,'))
  const yen = fixed({ currency: 'JPY', quote: 0.5 })
  const instructions = { tnc: 'Terms', tncHtml: null, redeem: 1, languageCode: 'en', html: '' }

  it.each<[unknown, ...string[]]>([
    [createFile({ rate: [] }), "unknown field 'rate' (did you mean rates?)"],
    [withProducts(), 'products: [] is not at least one product'],
    [createFile({ wallets: [] }), 'wallets: [] is not at least one wallet'],
    [
      withProducts(prototype),
      `unknown field 'products[0].__proto__'; allowed: ${productFields.replace('the fields ', '')}`,
    ],
    [
      withProducts(fixed(), fixed({ sku: 'B' }), fixed()),
      `products[2].sku: "A" is ${notUnique}; products[0] has the same sku`,
    ],
    [withProducts(without('quote')), 'products[0].quote: a number above 0, required for fixed products'],
    [
      withProducts({ ...unpriced, productType: 'range' }),
      ...['min', 'max'].map((end) => `products[0].${end}: a number above 0, required for range products`),
    ],
    [withProducts(range({ quote: 7 })), 'products[0].quote: 7 is not only for fixed products'],
    [withProducts(range({ min: 100.01 })), 'products[0].max: 100 is not at least min'],
    [withProducts(yen), 'products[0].quote: 0.5 is not at most 0 decimal places in JPY'],
    [
      withProducts(range({ currency: 'KWD', min: 0.0005, max: 1.0001 })),
      'products[0].min: 0.0005 is not at most 3 decimal places in KWD',
      'products[0].max: 1.0001 is not at most 3 decimal places in KWD',
    ],
    [withProducts(fixed({ withholds: ['pin'] })), `products[0].withholds[0]: "pin" is not ${cardFields}`],
    [
      withProducts(fixed({ instructions })),
      'products[0].instructions.redeem: 1 is not a text or null',
      'products[0].instructions.redeemHtml: a text or null',
      `unknown field 'products[0].instructions.html'; allowed: ${instructionFields.replace('the fields ', '')}`,
    ],
    [withBalances(-0.01), `wallets[0].balance: -0.01 is not ${balance}`],
    [withBalances(1.001), 'wallets[0].balance: 1.001 is not at most 2 decimal places in USD'],
    [withBalances(1, 2), `wallets[1].currency: "USD" is ${notUnique}; wallets[0] has the same currency`],
    [withRates({ rate: 0 }), `rates[0].rate: 0 is not ${positive}`],
    [
      withRates({}, { rate: 2 }),
      `rates[1].targetCurrency: "USD" is ${notUnique}; rates[0] has the same targetCurrency and baseCurrency`,
    ],
  ])('$1', (document, ...violations) => {
    expect(saidOf(document)).toEqual(violations)
  })
})

describe('a valid catalogue file', () => {
  const prices = { region: 'local', fee: zero, discount: zero }
  const defaults = { ...prices, redeemShape: 'A', instructions: null, expiresInDays: null }

  it('can omit the fields that have a default', () => {
    const catalogue = mustCheck({ ...withRates({}), products: [fixed(), range({ sku: 'B' })] })
    expect(catalogue).toEqual({
      products: new Map([
        ['A', { ...fixed({ quote: decimal('25') }), ...defaults }],
        ['B', { ...range({ sku: 'B', min: decimal('5'), max: decimal('100') }), ...defaults }],
      ]),
      wallets: new Map([['USD', decimal('100')]]),
      rates: [{ ...eurToUsd, rate: decimal('1.0842') }],
    })
  })

  it('keeps all fields of a product', () => {
    const optional = {
      ...{ region: 'global', stock: 0, redeemShape: 'B', expiresInDays: 1, behaviour: 'slow' },
      instructions: { tnc: '', tncHtml: null, redeem: 'Scratch', redeemHtml: null, languageCode: 'en' },
      withholds: ['redeemPin'],
    }
    const product = mustCheck(withProducts(fixed({ ...optional, fee: 2.5, discount: 100 }))).products.get('A')
    const decimals = { quote: decimal('25'), fee: decimal('2.5'), discount: decimal('100') }
    expect(product).toEqual({ ...fixed(optional), ...decimals })
  })

  it('can have a range of one amount, and the highest or lowest values', () => {
    const [one, highest] = [range({ min: 5, max: 5 }), fixed({ sku: 'B', quote: 1e11 })]
    const lowest = fixed({ sku: 'C', currency: 'KWD', quote: 0.001 })
    const limits = fixed({ sku: 'D', stock: 0, fee: 100, expiresInDays: 36500 })
    expect(saidOf(withProducts(one, highest, lowest, limits))).toEqual([])
  })

  it('can have a product with the SKU __proto__', () => {
    const products = [fixed({ sku: '__proto__' }), fixed({ sku: 'constructor' })]
    expect([...mustCheck(withProducts(...products)).products.keys()]).toEqual(['__proto__', 'constructor'])
  })

  it('can have rates in both directions, and several for one currency', () => {
    const pairs = ['EUR USD', 'USD EUR', 'GBP USD', 'EUR GBP'].map((pair) => pair.split(' '))
    const rates = pairs.map(([baseCurrency, targetCurrency]) => ({ baseCurrency, targetCurrency, rate: 1 }))
    expect(mustCheck(createFile({ rates })).rates.length).toBe(4)
  })

  it('keeps numbers exactly as written', () => {
    const source = JSON.stringify(withRates({}))
      .replace('25', '90071992547.30')
      .replace('100', '0.1')
      .replace('1.0842', '1.08420000000000000000001')
    const { products, wallets, rates } = mustCheck(readJson(source))
    expect(products.get('A')).toMatchObject({ quote: decimal('90071992547.3') })
    expect(wallets.get('USD')?.times('3')).toEqual(decimal('0.3'))
    expect(rates.map((each) => formatDecimal(each.rate))).toEqual(['1.08420000000000000000001'])
  })
})
