// Codes are masked wherever a response repeats them. Documented values that are no codes stay.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../../src/contract/json.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { createdExample, orderExample } from '../../../src/contract/openapi/examples.ts'
import { maskOrder, maskTree } from '../../../src/ui/masking/mask-tree.ts'
import { renderJson } from '../../../src/ui/text/json.ts'
import { parseFields } from '../../../src/ui/text/json-fields.ts'

const code = 'QV7K-30DM-XH2P-9A5C'
const pin = '471199'
const link = 'https://redeem.example/GAME/L1NK-77QX-0001?u=a%20b'

const card = { redeemCardCode: code, redeemPin: pin, redeemSerialNumber: 'SN-2231', redeemLink: link }
const { redeem: _, ...got } = orderExample.data
const redeemed = (cards: readonly object[] = [card], more: object = {}) => ({ 'GAME-DE': { cards, ...more } })

type Tree = Readonly<Record<string, unknown>>

/** What is beside the redeem data of a got order, masked. */
const maskedBeside = (more: Tree, redeem: unknown = redeemed()): Tree => {
  const masked = maskTree({ ...got, ...more, redeem }) as Tree
  return Object.fromEntries(Object.keys(more).map((key) => [key, masked[key]]))
}

describe('a known code', () => {
  test.each<[string, Tree, Tree]>([
    ['in a note', { note: `Enter ${code}!` }, { note: 'Enter ••••9A5C!' }],
    ['in a reference', { reference: `PO-${pin}-A` }, { reference: 'PO-••••-A' }],
    ['in a field with a harmless name', { result: { code } }, { result: { code: '••••9A5C' } }],
    [
      'hidden in such a field',
      { error: { code: 'QV7K&#45;30DM&#45;XH2P&#45;9A5C' } },
      { error: { code: '••••9A5C' } },
    ],
    ['at any depth', { a: [{ b: { c: [[code]] } }] }, { a: [{ b: { c: [['••••9A5C']] } }] }],
    ['in a Map', { a: new Map([['b', code]]) }, { a: new Map([['b', '••••9A5C']]) }],
    ['as a key', { a: { [code]: 1, b: 2 } }, { a: { '••••9A5C': 1, b: 2 } }],
    ['as a number', { a: { b: 471199 } }, { a: { b: '••••' } }],
    ['as a decimal', { a: decimal(pin) }, { a: '••••' }],
    ['with spaces', { a: 'qv7k 30dm xh2p 9a5c' }, { a: '••••9a5c' }],
    ['without dashes', { a: 'qv7k30dmxh2p9a5c' }, { a: '••••9a5c' }],
    ['within tags', { a: 'QV7K-<b>30DM</b>-XH2P-9A5C' }, { a: '••••9A5C' }],
    ['within entities', { note: 'QV7K&#45;30DM&#x2d;XH2P-9A5&#67;' }, { note: '••••9A5C' }],
    [
      'within percent escapes',
      { a: 'https://x.example/?c=QV7K%2D30DM%2DXH2P%2D9A5%43' },
      { a: 'https://x.example/?c=••••9A5C' },
    ],
    ['as a link', { a: `see ${link}` }, { a: 'see redeem.example/…' }],
    ['as the end of a link', { a: 'L1NK 77QX 0001' }, { a: '••••0001' }],
    ['as a serial number', { a: 'sn2231' }, { a: '••••' }],
    [
      'in an open text of the invoice',
      { invoice: { ...got.invoice, status: code } },
      { invoice: { ...got.invoice, status: '••••9A5C' } },
    ],
  ])('%s', (_name, more, masked) => {
    expect(maskedBeside(more)).toEqual(masked)
  })

  test('in a description of the invoice and in the name of a product', () => {
    const item = { type: 'fee', description: `for ${pin}`, effect: { amount: 1, currency: 'EUR' } }
    const record = { total: { EUR: 1 }, sku: 'GAME-DE', items: [item] }
    const product = got.products['GAME-DE']
    const given = {
      products: { 'GAME-DE': { ...product, shopItem: { ...product.shopItem, name: code } } },
      invoice: { ...got.invoice, records: [record] },
    }
    expect(maskedBeside(given)).toEqual({
      products: { 'GAME-DE': { ...product, shopItem: { ...product.shopItem, name: '••••9A5C' } } },
      invoice: { ...got.invoice, records: [{ ...record, items: [{ ...item, description: 'for ••••' }] }] },
    })
  })

  test('is masked before fields are chosen', () => {
    const order = { ...got, note: code, redeem: redeemed() }
    expect(renderJson(order, { fields: parseFields('note'), oneLine: true })).toBe('{"note":"••••9A5C"}\n')
  })

  test('is masked on a screen, which masks the cards itself', () => {
    const order = { ...got, reference: code, redeem: redeemed() }
    expect(maskOrder(order)).toEqual({ ...order, reference: '••••9A5C' })
  })

  test.each<[string, unknown]>([
    ['as the text of a product', { 'GAME-DE': code }],
    ['in a list of bare codes', { 'GAME-DE': [code] }],
    ['in the field of a currency', redeemed([], { currency: code })],
    ['in a field of a card that nobody documented', redeemed([{ slip: code }])],
    ['in a field of a card with the name of a secret', redeemed([{ voucherNo: code }])],
    ['in a list below a name', redeemed([], { codes: [[{ text: code }]] })],
    ['in another case', redeemed([{ RedeemCardCode: code.toLowerCase() }])],
    ['in a Map', new Map([['GAME-DE', { redeemPin: [code] }]])],
  ])('is known %s', (_name, redeem) => {
    const masked = JSON.stringify(maskedBeside({ note: code, reference: `PO ${code}`, a: [code] }, redeem))
    expect(masked).toBe('{"note":"••••9A5C","reference":"PO ••••9A5C","a":["••••9A5C"]}')
  })

  test.each<[string, Tree, Tree]>([
    ['of one word', { voucherId: ' AB12CD\n', a: 'AB12CD' }, { voucherId: '••••', a: '••••' }],
    ['but not of two', { voucherId: 'Game 20', a: 'Game 20' }, { voucherId: '••••', a: 'Game 20' }],
    ['but not without a digit', { voucherId: 'summer', a: 'summer' }, { voucherId: '••••', a: 'summer' }],
    ['but not of five letters', { voucherId: 'AB12C', a: 'AB12C' }, { voucherId: '••••', a: 'AB12C' }],
    [
      'but not a date',
      { voucher: { at: '2027-11-20' }, a: 'at 2027-11-20' },
      { voucher: { at: '••••' }, a: 'at 2027-11-20' },
    ],
    [
      'but not an id of the order',
      { voucherId: 'sbx_9k2m7q0w4x8d5t3b', a: 'sbx_9k2m7q0w4x8d5t3b' },
      { voucherId: '••••5t3b', a: 'sbx_9k2m7q0w4x8d5t3b' },
    ],
  ])('outside the redeem data is recognised by its name, if it is %s', (_name, more, masked) => {
    expect(maskedBeside(more)).toEqual(masked)
  })

  test('is each part of a link except its host', () => {
    const redeemLink = 'https://redeem2000.example/L1NK-77QX?a=Q-12345678#F-12345678'
    const a = 'redeem2000 L1NK-77QX Q-12345678 F-12345678'
    const masked = 'redeem2000 •••• •••• ••••'
    expect(maskedBeside({ a }, redeemed([{ redeemLink }]))).toEqual({ a: masked })
  })

  test.each<[string, unknown, string]>([
    ['as a bare one', { 'GAME-DE': ['AB12CD'] }, 'AB12CD'],
    ['as a number in a field that nobody documented', redeemed([{ slip: 471199 }]), '471199'],
  ])('of six characters is known %s', (_name, redeem, text) => {
    expect(maskedBeside({ a: text }, redeem)).toEqual({ a: '••••' })
  })

  test('is not the reference of the order, which a card may repeat', () => {
    const more = { reference: 'PO-2026-0001', note: 'for PO-2026-0001' }
    expect(maskedBeside(more, redeemed([{ reference: 'PO-2026-0001' }]))).toEqual(more)
    expect(maskedBeside({ a: { reference: code } }, redeemed([{ slip: code }]))).toEqual({
      a: { reference: '••••9A5C' },
    })
  })

  test('is no name that a card repeats', () => {
    const redeem = redeemed([{ redeemPin: pin, brand: 'Quorvane', title: 'Game 20 EUR', console: 'Xbox360' }])
    const more = { note: 'Quorvane: Game 20 EUR', a: 'Xbox360', products: got.products }
    expect(maskedBeside(more, redeem)).toEqual(more)
  })
})

describe('the minimum length of a masked code', () => {
  const redeem = redeemed([
    { redeemPin: 'AB12C' },
    { redeemPin: 'AB12CD' },
    { redeemPin: '4711' },
    { redeemPin: '471' },
  ])
  const beside = (more: Tree) => maskedBeside(more, redeem)

  test('is six characters in any text', () => {
    expect(
      beside({ reference: 'AB12CD', a: 'AB12CD', b: 'AB12C', invoice: { ...got.invoice, status: 'AB12C' } }),
    ).toEqual({
      ...{ reference: '••••', a: '••••', b: 'AB12C' },
      invoice: { ...got.invoice, status: 'AB12C' },
    })
  })

  test('is four characters in prose', () => {
    const said = 'Use 4711, 47-11 and AB12C, not 471 or 14711. Valid until 2027.'
    const masked = 'Use ••••, •••• and ••••, not 471 or 14711. Valid until 2027.'
    const names =
      'note notes Remark comments message description terms tnc tnc_html instructions additional-info text hint body details disclaimer'
    for (const name of names.split(' ')) expect(beside({ [name]: said })).toEqual({ [name]: masked })
    expect(beside({ notes: [{ by: 'a', lines: [said] }] })).toEqual({ notes: [{ by: 'a', lines: [masked] }] })
    expect(beside({ note: { noteId: '4711', n: 4711, m: 471 } })).toEqual({
      note: { noteId: '4711', n: '••••', m: 471 },
    })
    expect(beside({ a: said, year: 4711, n: 4711 })).toEqual({ a: said, year: 4711, n: 4711 })
  })

  test('is four characters in an invoice description', () => {
    const item = { type: 'fee', description: 'fee 4711', effect: { amount: 4711, currency: 'EUR' } }
    const invoice = { ...got.invoice, records: [{ total: { EUR: 4711 }, sku: 'GAME-DE', items: [item] }] }
    expect(JSON.stringify(beside({ invoice }))).toBe(
      JSON.stringify({ invoice }).replace('fee 4711', 'fee ••••'),
    )
  })

  test('is four characters in a field for a code', () => {
    expect(beside({ result: { code: '4711', codes: [4711] }, error: { code: '471' } })).toEqual({
      result: { code: '••••', codes: ['••••'] },
      error: { code: '471' },
    })
  })

  test('applies to short codes with a digit', () => {
    const more = { note: 'none of them' }
    expect(maskedBeside(more, redeemed([{ redeemPin: 'none' }, { redeemPin: 'them' }]))).toEqual(more)
  })

  test('is four digits for a number in an undocumented field of a card', () => {
    expect(maskTree({ redeem: { X: { a: 4711, b: 471, c: [{ d: 9999, value: 2000 }] } } })).toEqual({
      redeem: { X: { a: '••••', b: 471, c: [{ d: '••••', value: 2000 }] } },
    })
  })
})

describe('values that are no secrets stay', () => {
  test('ids, SKUs, states, amounts and times, even if a code is the same', () => {
    const created = createdExample.data
    const { uid } = got
    const time = got.createdDate._seconds
    const big = {
      ...got.invoice,
      total: 471199,
      records: [{ ...got.invoice.records[0], total: { EUR: 471199 } }],
    }
    const order = {
      ...{ ...got, products: { 'GAME-DE': got.products['GAME-DE'], [code]: { sku: code } } },
      invoice: { ...big, records: [{ ...big.records[0], sku: code }] },
      ...{ expiresAt: created.expiresAt, state: 'successful' },
    }
    const codes = [uid, code, 'successful', pin, time, created.expiresAt].map((redeemPin) => ({ redeemPin }))
    const { redeem, ...rest } = maskTree({ ...order, redeem: redeemed(codes) }) as Tree
    expect(rest).toEqual(order)
    expect(JSON.stringify(redeem)).not.toContain('successful')
  })

  test('every documented number is recognised as a number', () => {
    const numbers = new Set<number>()
    const collect = (value: unknown): unknown => {
      if (typeof value === 'number') {
        numbers.add(1_000_000 + numbers.size)
        return 1_000_000 + numbers.size - 1
      }
      if (Array.isArray(value)) return value.map(collect)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, collect(each)]))
    }
    const order = collect({ ...got, ...createdExample.data }) as Tree
    const { redeem: _redeem, ...rest } = maskTree({
      ...order,
      redeem: redeemed([{ redeemPin: [...numbers] }]),
    }) as Tree
    expect(numbers.size).toBeGreaterThan(20)
    expect(rest).toEqual(order)
  })

  test('a documented name with a value of another type counts as undocumented', () => {
    const products = [{ voucher: 'ZQ9X' }]
    const exchangeRates = { voucher: 'ZQ9X' }
    const invoice = { ...got.invoice, total: { voucher: 'ZQ9X' } }
    expect(maskedBeside({ products, exchangeRates, invoice })).toEqual({
      products: [{ voucher: '••••' }],
      exchangeRates: { voucher: '••••' },
      invoice: { ...got.invoice, total: { voucher: '••••' } },
    })
  })

  test('dates, and the words of the order itself that look like codes', () => {
    const more = {
      reference: 'PO-2026-0001/7',
      note: 'PO-2026-0001 is sbx_9k2m7q0w4x8d5t3b, of 2026-11-20.',
      updatedAt: '2047-11-99',
      at: '2026-11-20T10:00:00Z',
    }
    const redeem = redeemed([{ redeemPin: '202611' }, { redeemPin: '20261120' }])
    expect(maskedBeside({ ...more, note: 'PO-2026-0001 is sbx_9k2m7q0w4x8d5t3b.' }, redeem)).toEqual({
      ...more,
      note: 'PO-2026-0001 is sbx_9k2m7q0w4x8d5t3b.',
    })
  })

  test('journal entries and other documents of orderctl', () => {
    const rows = [
      {
        ...{ orderId: 'sbx_9k2m7q0w4x8d5t3b', reference: 'PO-2026-0001', state: 'expired', wallet: 'USD' },
        ...{
          total: decimal('25.00'),
          products: [{ sku: 'GAME-DE', quote: 25, quantity: 1 }],
          expiresAt: null,
        },
        ...{ note: 'see ticket INC00123456', problem: 'HTTP 502', error: { code: 'E40012345' } },
        next: 'orderctl confirm sbx_9k2m7q0w4x8d5t3b',
      },
    ]
    expect(maskTree(rows)).toEqual(rows)
    expect(maskTree('sbx_9k2m7q0w4x8d5t3b')).toBe('sbx_9k2m7q0w4x8d5t3b')
  })
})

describe('a code that only its form reveals', () => {
  test.each<[string, Tree, Tree]>([
    ['in prose, by what it looks like', { note: 'ZQ9X-77WK-CANA-RY42.' }, { note: '••••RY42.' }],
    [
      'in prose, after the word PIN',
      { terms: { de: 'Ihre PIN: 8215' } },
      { terms: { de: 'Ihre PIN: ••••' } },
    ],
    ['in a field for a code', { result: { code: 'ZQ9X-77WK' } }, { result: { code: '••••' } }],
    [
      'in a field for a code, as a number',
      { errors: [{ code: 4001234567 }] },
      { errors: [{ code: '••••' }] },
    ],
    [
      'by the name of its field',
      { extra: [{ card: { url: 'https://a.example/x' }, accessToken: 'a', cvv: 123 }] },
      { extra: [{ card: { url: 'a.example/…' }, accessToken: '••••', cvv: '••••' }] },
    ],
  ])('is masked %s', (_name, more, masked) => {
    expect(maskedBeside(more, {})).toEqual(masked)
  })

  test.each<[string, Tree]>([
    ['the name of an error', { result: { code: 'QUOTE-OUT-OF-RANGE' }, errors: [{ code: 4001 }] }],
    ['the id of the order', { error: { code: 'sbx_9k2m7q0w4x8d5t3b' } }],
    ['a text in another field', { trace: 'ZQ9X-77WK-CANA-RY42' }],
  ])('is not %s', (_name, more) => {
    expect(maskedBeside(more, {})).toEqual(more)
  })

  test('is masked in the terms after the word PIN', () => {
    const redeemInstructions = {
      tnc: 'Your PIN is 4711',
      redeemHtml: '<p>PIN <b>47</b>11</p>',
      languageCode: 'en',
    }
    expect(maskTree({ redeem: redeemed([card], { redeemInstructions }) })).toMatchObject({
      redeem: {
        'GAME-DE': {
          redeemInstructions: { tnc: 'Your PIN is ••••', redeemHtml: 'PIN ••••', languageCode: 'en' },
        },
      },
    })
  })
})

describe('within the redeem data', () => {
  const masked = (redeem: unknown) => (maskTree({ redeem }) as Tree).redeem

  test('numbers in the place of the data, of instructions and of secrets are masked', () => {
    expect(masked(7)).toBe('••••')
    expect(masked([471199])).toEqual(['••••'])
    expect(masked({ X: 7 })).toEqual({ X: '••••' })
    expect(masked({ X: { redeemInstructions: { pin: 4711, page: 7 } } })).toEqual({
      X: { redeemInstructions: { pin: '••••', page: 7 } },
    })
  })

  test('a large number is known by its digits', () => {
    const order = readJson(
      '{"redeem":{"X":{"redeemPin":1000000000000000000000}},"a":"1000000000000000000000"}',
    )
    expect(maskTree(order)).toEqual({ redeem: { X: { redeemPin: '••••0000' } }, a: '••••0000' })
  })

  test('a number without its leading zeros is known', () => {
    expect(maskedBeside({ a: 47119 }, redeemed([{ redeemPin: '00-47119' }]))).toEqual({ a: '••••' })
  })

  test('a code in the place of a SKU is masked, a SKU is not', () => {
    expect(masked({ [code]: { redeemCardCode: code }, 'GAME-2000-DE': {} })).toEqual({
      '••••9A5C': { redeemCardCode: '••••9A5C' },
      'GAME-2000-DE': {},
    })
  })

  test('a face value and an expiry stay, even if a code is the same', () => {
    const redeem = {
      X: { cards: [{ expirationDate: '2027-11-20' }], value: 4711, currency: 'JPY' },
      Y: { redeemPin: ['4711', '20271120'], currency: 'EUR', value: 20271120, redeemLink: '' },
    }
    expect(masked(redeem)).toEqual({ ...redeem, Y: { ...redeem.Y, redeemPin: ['••••', '••••'] } })
  })

  test('a code of any length is masked in the terms', () => {
    const redeemInstructions = { tnc: 'Use AB12CD, 4711 or 12, not 112.' }
    const cards = ['AB12CD', '4711', '12'].map((redeemPin) => ({ redeemPin }))
    expect(masked(redeemed(cards, { redeemInstructions }))).toMatchObject({
      'GAME-DE': { redeemInstructions: { tnc: 'Use ••••, •••• or ••••, not 112.' } },
    })
  })

  test('words are masked in the terms of a card that has them as a secret, and not elsewhere', () => {
    const redeem = redeemed([{ slip: 'sesame' }], { redeemInstructions: { tnc: 'Say sesame.' } })
    const tree = maskTree({ ...got, note: 'sesame', redeem }) as Tree
    expect(JSON.stringify(tree.redeem)).not.toContain('sesame')
    expect(tree.note).toBe('sesame')
  })

  test('a currency of sixteen characters may be seen', () => {
    expect(masked({ X: { currency: 'a'.repeat(16) } })).toEqual({ X: { currency: 'a'.repeat(16) } })
    expect(masked({ X: { currency: 'a'.repeat(17) } })).toEqual({ X: { currency: '••••aaaa' } })
  })
})
