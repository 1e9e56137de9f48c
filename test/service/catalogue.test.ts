// The catalogue: the built-in one keeps its promises, and a wrong file is told all that is wrong with it.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Decimal, decimal, decimalText, sum, zero } from '../../src/contract/decimal.ts'
import { readJson } from '../../src/contract/json.ts'
import { builtInCatalogue, type Catalogue, type Product } from '../../src/service/catalogue.ts'
import { checkCatalogue } from '../../src/service/catalogue-file.ts'

const fixed = (fields = {}) => ({
  sku: 'A',
  name: 'A card',
  country: 'US',
  productType: 'fixed',
  currency: 'USD',
  quote: 25,
  ...fields,
})
const { quote: _, ...unpriced } = fixed()
const range = (fields = {}) => ({ ...unpriced, productType: 'range', min: 5, max: 100, ...fields })
const without = (field: string) =>
  Object.fromEntries(Object.entries(fixed()).filter(([key]) => key !== field))

const eurToUsd = { baseCurrency: 'EUR', targetCurrency: 'USD', rate: 1.0842 }
const file = (parts: object) => ({
  products: [fixed()],
  wallets: [{ currency: 'USD', balance: 100 }],
  rates: [],
  ...parts,
})
const selling = (...products: unknown[]) => file({ products })
const owning = (...amounts: number[]) =>
  file({ wallets: amounts.map((balance) => ({ currency: 'USD', balance })) })
const changing = (...rates: object[]) => file({ rates: rates.map((rate) => ({ ...eurToUsd, ...rate })) })

const at = (path: string, given: string | undefined, allowed: string) =>
  given === undefined ? { path, allowed } : { path, given, allowed }

const sound = (document: unknown): Catalogue => {
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
const parts = 'the fields products, wallets, rates'

describe('a wrong catalogue', () => {
  it.each<[string, object, string]>([
    ['an empty SKU', { sku: '' }, 'a non-empty text without control characters'],
    ['a blank SKU', { sku: '  ' }, 'a non-empty text without control characters'],
    ['a control character in a SKU', { sku: 'A\u001b[2J' }, 'a non-empty text without control characters'],
    ['a blank name', { name: ' ' }, label],
    ['a number for a region', { region: 1 }, label],
    ['a country of three letters', { country: 'USA' }, 'a country code such as US'],
    ['a currency in small letters', { currency: 'usd' }, 'a currency code such as USD'],
    ['a currency of four letters', { currency: 'USDT' }, 'a currency code such as USD'],
    ['another product type', { productType: 'free' }, 'fixed or range'],
    ['a quote of 0', { quote: 0 }, positive],
    ['a quote as text', { quote: '25' }, positive],
    ['a quote of null', { quote: null }, positive],
    ['a quote past what can be counted', { quote: 1e12 }, positive],
    ['a quote that is not finite', { quote: Number.NaN }, positive],
    ['a tenth of a cent', { quote: 1.001 }, 'at most 2 decimal places in USD'],
    ['a minimum of a fixed product', { min: 1 }, 'only for range products'],
    ['a maximum of a fixed product', { max: 1 }, 'only for range products'],
    ['a negative fee', { fee: -1 }, percent],
    ['a discount above the price', { discount: 100.5 }, percent],
    ['half a unit in stock', { stock: 1.5 }, stock],
    ['less than no stock', { stock: -1 }, stock],
    ['more stock than can be counted', { stock: 2 ** 53 }, stock],
    ['no redeem shape', { redeemShape: null }, 'A or B'],
    ['instructions as text', { instructions: 'Scratch' }, `an object with ${instructionFields}`],
    ['cards expired from the start', { expiresInDays: 0 }, days],
    ['cards past the end of dates', { expiresInDays: 36501 }, days],
    ['an unknown behaviour', { behaviour: 'explode' }, behaviours],
    ['a single card field', { withholds: 'redeemPin' }, 'a list of card fields'],
    ['an unknown field', { colour: 'red' }, `only ${productFields}`],
  ])('with %s is told so', (_what, change, allowed) => {
    const violations = Object.entries(change).map(([field, value]) =>
      at(`products[0].${field}`, JSON.stringify(value), allowed),
    )
    expect(checkCatalogue(selling(fixed(change)))).toEqual({ violations })
  })

  it.each<[string, unknown, ...object[]]>([
    ['that is no object', 'shop', at('', '"shop"', `an object with ${parts}`)],
    [
      'that is empty',
      {},
      at('products', undefined, 'a list of products'),
      at('wallets', undefined, 'a list of wallets'),
      at('rates', undefined, 'a list of rates'),
    ],
    ['with a misspelt part', file({ rate: [] }), at('rate', '[]', `only ${parts}`)],
    ['without a product', selling(), at('products', '[]', 'at least one product')],
    ['without a wallet', file({ wallets: [] }), at('wallets', '[]', 'at least one wallet')],
    ['whose rates are no list', file({ rates: {} }), at('rates', '{}', 'a list of rates')],
    ['with null for a product', selling(null), at('products[0]', 'null', `an object with ${productFields}`)],
    [
      'with a field named __proto__',
      selling(readJson(JSON.stringify(fixed()).replace('{', '{"__proto__":1,'))),
      at('products[0].__proto__', '1', `only ${productFields}`),
    ],
    ['without a name', selling(without('name')), at('products[0].name', undefined, label)],
    [
      'with the same SKU twice',
      selling(fixed(), fixed({ sku: 'B' }), fixed()),
      at('products[2].sku', '"A"', 'unique, but products[0] has the same sku'),
    ],
    [
      'with a fixed product without a quote',
      selling(without('quote')),
      at('products[0].quote', undefined, 'a number above 0, required for fixed products'),
    ],
    [
      'with a range product with a quote',
      selling(range({ quote: 7 })),
      at('products[0].quote', '7', 'only for fixed products'),
    ],
    [
      'with a range product without a range',
      selling({ ...unpriced, productType: 'range' }),
      at('products[0].min', undefined, 'a number above 0, required for range products'),
      at('products[0].max', undefined, 'a number above 0, required for range products'),
    ],
    [
      'with a minimum above the maximum',
      selling(range({ min: 100.01 })),
      at('products[0].max', '100', 'at least min'),
    ],
    [
      'with half a yen',
      selling(fixed({ currency: 'JPY', quote: 0.5 })),
      at('products[0].quote', '0.5', 'at most 0 decimal places in JPY'),
    ],
    [
      'with a tenth of a fils',
      selling(range({ currency: 'KWD', min: 0.0005, max: 1.0001 })),
      at('products[0].min', '0.0005', 'at most 3 decimal places in KWD'),
      at('products[0].max', '1.0001', 'at most 3 decimal places in KWD'),
    ],
    [
      'with instructions half there',
      selling(
        fixed({ instructions: { tnc: 'Terms', tncHtml: null, redeem: 1, languageCode: 'en', html: '' } }),
      ),
      at('products[0].instructions.redeem', '1', 'a text or null'),
      at('products[0].instructions.redeemHtml', undefined, 'a text or null'),
      at('products[0].instructions.html', '""', `only ${instructionFields}`),
    ],
    [
      'with a card field that does not exist',
      selling(fixed({ withholds: ['pin'] })),
      at('products[0].withholds[0]', '"pin"', cardFields),
    ],
    ['with a negative balance', owning(-0.01), at('wallets[0].balance', '-0.01', balance)],
    [
      'with a tenth of a cent in a wallet',
      owning(1.001),
      at('wallets[0].balance', '1.001', 'at most 2 decimal places in USD'),
    ],
    [
      'with the same wallet twice',
      owning(1, 2),
      at('wallets[1].currency', '"USD"', 'unique, but wallets[0] has the same currency'),
    ],
    ['with a rate of 0', changing({ rate: 0 }), at('rates[0].rate', '0', positive)],
    [
      'with the same rate twice',
      changing({}, { rate: 2 }),
      at(
        'rates[1].targetCurrency',
        '"USD"',
        'unique, but rates[0] has the same targetCurrency and baseCurrency',
      ),
    ],
  ])('%s is told so', (_what, document, ...violations) => {
    expect(checkCatalogue(document)).toEqual({ violations })
  })

  it('is told all that is wrong at once, across fields too', () => {
    const document = {
      products: [
        range({ min: 9.999, max: 5, fee: 'x', colour: 'red' }),
        fixed({ name: 7, quote: 'x' }),
        fixed({ productType: 'free', currency: 'dollar', stock: -1 }),
      ],
      wallets: [
        { currency: 'EUR', balance: 'x' },
        { currency: 'EUR', balance: 0.001 },
      ],
      rates: [{ baseCurrency: 'EUR', targetCurrency: 'USD', rate: 'x' }],
      shop: true,
    }
    expect(checkCatalogue(document)).toEqual({
      violations: [
        at('products[0].fee', '"x"', percent),
        at('products[0].colour', '"red"', `only ${productFields}`),
        at('products[0].min', '9.999', 'at most 2 decimal places in USD'),
        at('products[0].max', '5', 'at least min'),
        at('products[1].name', '7', 'a non-empty text'),
        at('products[1].quote', '"x"', positive),
        at('products[2].productType', '"free"', 'fixed or range'),
        at('products[2].currency', '"dollar"', 'a currency code such as USD'),
        at('products[2].stock', '-1', 'a whole number, 0 or more'),
        at('products[1].sku', '"A"', 'unique, but products[0] has the same sku'),
        at('products[2].sku', '"A"', 'unique, but products[0] has the same sku'),
        at('wallets[0].balance', '"x"', balance),
        at('wallets[1].balance', '0.001', 'at most 2 decimal places in EUR'),
        at('wallets[1].currency', '"EUR"', 'unique, but wallets[0] has the same currency'),
        at('rates[0].rate', '"x"', positive),
        at('shop', 'true', 'only the fields products, wallets, rates'),
      ],
    })
  })
})

describe('a sound catalogue', () => {
  const defaults = {
    region: 'local',
    fee: zero,
    discount: zero,
    redeemShape: 'A',
    instructions: null,
    expiresInDays: null,
  }

  it('may leave out what has an obvious value', () => {
    const catalogue = sound({ ...changing({}), products: [fixed(), range({ sku: 'B' })] })
    expect(catalogue).toEqual({
      products: new Map([
        ['A', { ...fixed({ quote: decimal('25') }), ...defaults }],
        ['B', { ...range({ sku: 'B', min: decimal('5'), max: decimal('100') }), ...defaults }],
      ]),
      wallets: new Map([['USD', decimal('100')]]),
      rates: [{ ...eurToUsd, rate: decimal('1.0842') }],
    })
  })

  it('keeps all that a product can say', () => {
    const said = {
      ...{ region: 'global', stock: 0, redeemShape: 'B', expiresInDays: 1, behaviour: 'slow' },
      instructions: { tnc: '', tncHtml: null, redeem: 'Scratch', redeemHtml: null, languageCode: 'en' },
      withholds: ['redeemPin'],
    }
    const product = sound(selling(fixed({ ...said, fee: 2.5, discount: 100 }))).products.get('A')
    expect(product).toEqual({
      ...fixed(said),
      quote: decimal('25'),
      fee: decimal('2.5'),
      discount: decimal('100'),
    })
  })

  it.each<[string, object]>([
    ['a range of one amount', range({ min: 5, max: 5 })],
    ['the highest price that can be counted', fixed({ quote: 1e11 })],
    ['the smallest unit of its currency', fixed({ currency: 'KWD', quote: 0.001 })],
    [
      'nothing in stock, a full fee and the longest life',
      fixed({ stock: 0, fee: 100, expiresInDays: 36500 }),
    ],
  ])('may sell %s', (_what, product) => {
    expect(checkCatalogue(selling(product))).toHaveProperty('catalogue')
  })

  it('may sell a product named __proto__', () => {
    const products = [fixed({ sku: '__proto__' }), fixed({ sku: 'constructor' })]
    expect([...sound(selling(...products)).products.keys()]).toEqual(['__proto__', 'constructor'])
  })

  it('may have one rate each way, and many to and from one currency', () => {
    const pairs = ['EUR USD', 'USD EUR', 'GBP USD', 'EUR GBP'].map((pair) => pair.split(' '))
    const rates = pairs.map(([baseCurrency, targetCurrency]) => ({ baseCurrency, targetCurrency, rate: 1 }))
    expect(sound(file({ rates })).rates.length).toBe(4)
  })

  it('has numbers as exact as their text', () => {
    const source = JSON.stringify(changing({}))
      .replace('25', '90071992547.30')
      .replace('100', '0.1')
      .replace('1.0842', '1.08420000000000000000001')
    const { products, wallets, rates } = sound(readJson(source))
    expect(products.get('A')).toMatchObject({ quote: decimal('90071992547.3') })
    expect(wallets.get('USD')?.times('3')).toEqual(decimal('0.3'))
    expect(rates.map((each) => decimalText(each.rate))).toEqual(['1.08420000000000000000001'])
  })
})

describe('the built-in catalogue', () => {
  const { products, wallets, rates } = builtInCatalogue()
  const text = readFileSync(new URL('../../src/service/catalogue.json', import.meta.url), 'utf8')
  const all = [...products.values()]
  const price = (product: Product) => (product.productType === 'fixed' ? product.quote : product.max)
  const rateOf = (base: string, target: string): Decimal | undefined =>
    base === target
      ? decimal('1')
      : rates.find((each) => each.baseCurrency === base && each.targetCurrency === target)?.rate

  it('is sound, and the same when it is checked', () => {
    expect(checkCatalogue(readJson(text))).toEqual({ catalogue: builtInCatalogue() })
  })

  it('is read once', () => {
    expect(builtInCatalogue()).toBe(builtInCatalogue())
  })

  it.each([
    ['GAME-US', { productType: 'fixed', currency: 'USD', country: 'US', quote: decimal('25') }],
    ['GAME-DE', { productType: 'fixed', currency: 'EUR', country: 'DE', quote: decimal('20') }],
    [
      'COFFEE-US',
      { productType: 'range', currency: 'USD', country: 'US', min: decimal('5'), max: decimal('100') },
    ],
    ['RIDE-JP', { productType: 'range', currency: 'JPY', country: 'JP' }],
    ['MOBILE-KW', { productType: 'range', currency: 'KWD', country: 'KW' }],
  ])('sells %s', (name, product) => {
    expect(products.get(name)).toMatchObject(product)
  })

  it.each([
    ['TEST-OUT-OF-STOCK', { currency: 'USD', stock: 0 }],
    ['TEST-NO-EXCHANGE', { currency: 'XTS' }],
    ['TEST-SERVER-ERROR', { currency: 'USD', behaviour: 'server-error' }],
    ['TEST-NOT-FOUND-LATER', { currency: 'USD', behaviour: 'not-found-later' }],
    ['TEST-FAIL', { currency: 'USD', behaviour: 'fail' }],
    ['TEST-REJECT', { currency: 'USD', behaviour: 'reject' }],
    ['TEST-SLOW', { currency: 'USD', behaviour: 'slow' }],
    ['TEST-ODD-STATE', { currency: 'USD', behaviour: 'odd-state' }],
  ])('provokes with %s what nothing else would', (name, product) => {
    expect(products.get(name)).toMatchObject({ productType: 'fixed', quote: decimal('10'), ...product })
  })

  it('keeps trouble to the products that are named for it', () => {
    const troubled = all.filter(
      (each) =>
        each.behaviour !== undefined ||
        each.stock === 0 ||
        each.currency === 'XTS' ||
        /<script/i.test(JSON.stringify(each)),
    )
    expect(troubled.map((each) => each.sku).sort()).toEqual(
      [...products.keys()].filter((key) => key.startsWith('TEST-')).sort(),
    )
  })

  it('sells at least 20 products in 8 countries and currencies, of every kind', () => {
    const ordinary = all.filter((each) => !each.sku.startsWith('TEST-'))
    const count = (holds: (product: Product) => unknown) => ordinary.filter(holds).length
    expect(ordinary.length).toBeGreaterThanOrEqual(20)
    expect(new Set(ordinary.map((each) => each.country)).size).toBeGreaterThanOrEqual(8)
    expect(new Set(ordinary.map((each) => each.currency)).size).toBeGreaterThanOrEqual(8)
    const kinds = {
      fixed: count((each) => each.productType === 'fixed'),
      range: count((each) => each.productType === 'range'),
      withFee: count((each) => each.fee.gt(zero)),
      withoutFee: count((each) => each.fee.eq(zero)),
      withFractionalFee: count((each) => !each.fee.round(0).eq(each.fee)),
      withDiscount: count((each) => each.discount.gt(zero)),
      withoutDiscount: count((each) => each.discount.eq(zero)),
      limited: count((each) => each.stock !== undefined),
      shapeA: count((each) => each.redeemShape === 'A'),
      shapeB: count((each) => each.redeemShape === 'B'),
      withoutInstructions: count((each) => each.redeemShape === 'A' && each.instructions === null),
      withNullTerms: count((each) => each.instructions?.tnc === null),
      withEmptyTerms: count((each) => each.instructions?.tnc === ''),
      withEmptyCardFields: count((each) => each.withholds !== undefined),
      neverExpiring: count((each) => each.expiresInDays === null),
      expiring: count((each) => each.expiresInDays !== null),
    }
    expect(Object.entries(kinds).filter(([, number]) => number < 1)).toEqual([])
  })

  it('has terms in German, Japanese, Arabic and Hebrew, the last two from right to left', () => {
    const terms = all.map((each) => each.instructions).filter((each) => each?.tnc && each.tncHtml)
    const languages = terms.map((each) => each?.languageCode)
    expect(languages).toEqual(expect.arrayContaining(['de', 'ja', 'ar', 'he']))
    expect(
      terms.filter((each) => each?.tncHtml?.includes('dir="rtl"')).map((each) => each?.languageCode),
    ).toEqual(['ar', 'he'])
  })

  it('has wallets USD, EUR, GBP and JPY with funds for 200 of the dearest orders, and a poor one', () => {
    expect([...wallets.keys()]).toEqual(['USD', 'EUR', 'GBP', 'JPY', 'AUD'])
    expect(wallets.get('AUD')).toEqual(decimal('10'))
    const short = [...wallets].filter(([wallet, balance]) => {
      const prices = all.flatMap((each) => rateOf(each.currency, wallet)?.times(price(each)) ?? [])
      const dearest = prices.sort((a, b) => b.cmp(a)).slice(0, 5)
      return sum(dearest).times('5').times('200').gt(balance)
    })
    expect(short.map(([wallet]) => wallet)).toEqual(['AUD'])
  })

  it('has a rate from every currency it sells in to every wallet, save the test currency', () => {
    const currencies = new Set(all.map((each) => each.currency))
    const missing = [...currencies].filter((base) =>
      [...wallets.keys()].some((wallet) => rateOf(base, wallet) === undefined),
    )
    expect(missing).toEqual(['XTS'])
    expect(rates.length).toBe((currencies.size - 1) * wallets.size - wallets.size)
  })

  it('has rates that agree with each other', () => {
    const apart = rates.flatMap(({ baseCurrency, targetCurrency, rate }) =>
      [...wallets.keys()].filter((wallet) => {
        const direct = rateOf(baseCurrency, wallet)
        const around = rateOf(targetCurrency, wallet)?.times(rate)
        return (
          direct === undefined || around === undefined || around.div(direct).minus('1').abs().gt('0.00002')
        )
      }),
    )
    expect(apart).toEqual([])
  })

  it('has every number exactly as the file writes it', () => {
    const written = (field: string) =>
      [...text.matchAll(new RegExp(`"${field}": (-?[\\d.]+)`, 'g'))].map((found) => found[1])
    const texts = (values: Iterable<Decimal>) => [...values].map(decimalText)
    expect({
      quote: texts(all.flatMap((each) => (each.productType === 'fixed' ? each.quote : []))),
      min: texts(all.flatMap((each) => (each.productType === 'range' ? each.min : []))),
      max: texts(all.flatMap((each) => (each.productType === 'range' ? each.max : []))),
      fee: texts(all.map((each) => each.fee)),
      discount: texts(all.map((each) => each.discount)),
      balance: texts(wallets.values()),
      rate: texts(rates.map((each) => each.rate)),
    }).toEqual(
      Object.fromEntries(
        ['quote', 'min', 'max', 'fee', 'discount', 'balance', 'rate'].map((field) => [field, written(field)]),
      ),
    )
  })
})
