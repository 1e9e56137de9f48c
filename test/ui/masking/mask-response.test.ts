// A masked response shows documented fields only, and none of their texts repeats a code.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../../src/contract/json.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { createdExample, orderExample } from '../../../src/contract/openapi/examples.ts'
import { maskCode } from '../../../src/ui/masking/mask-codes.ts'
import { maskOrder, maskResponse } from '../../../src/ui/masking/mask-response.ts'
import { line, secretsOf } from '../../support/embedded.ts'
import { ordered } from '../screens.ts'

const code = 'QV7K-30DM-XH2P-9A5C'
const pin = '471199'
const link = 'https://redeem.example/GAME-DE/L1NK-77QX-0001?u=a%20b'
const card = { redeemCardCode: code, redeemPin: pin, redeemSerialNumber: 'SN-2231', redeemLink: link }
const { redeem: _, ...got } = orderExample.data
const redeemed = (cards: readonly object[] = [card], more: object = {}) => ({ 'GAME-DE': { cards, ...more } })

type Tree = Readonly<Record<string, unknown>>

/** The named fields of a got order, masked, and the paths of what is hidden. */
const masked = (more: Tree, redeem: unknown = redeemed()): Tree => {
  const all = maskResponse({ ...got, ...more, redeem }) as Tree
  return Object.fromEntries([...Object.keys(more), 'hidden'].map((key) => [key, all[key]]))
}
const inRedeem = (redeem: unknown) => {
  const { redeem: shown, hidden = [] } = maskResponse({ ...got, redeem })
  return [shown, hidden]
}

describe('documented fields are shown', () => {
  test.each([
    ['of a got order', got],
    ['of a created order', createdExample.data],
    ['in an undocumented state that is a word', { ...got, state: 'on_hold' }],
    ['as exact numbers', { ...got, invoice: { ...got.invoice, total: decimal('0.10') } }],
    ['even if a code is the same number', { ...got, redeem: { X: { redeemPin: '', value: 4711 } } }],
  ])('%s', (_name, response) => {
    expect(maskResponse(response)).toEqual(response)
  })

  test('of a real order, without its codes', async () => {
    const { raw } = await ordered([line('GAME-DE', { quantity: 2 }), 'GAME-BR', 'COFFEE-GB', 'COFFEE-CA'])
    const order = raw as { redeem: Parameters<typeof secretsOf>[0] }
    const secrets = secretsOf(order.redeem)
    expect(secrets.length).toBeGreaterThan(10)
    const shown = maskResponse(order)
    for (const secret of secrets) expect(JSON.stringify(shown)).not.toContain(secret)
    expect(shown).toEqual({ ...order, redeem: expect.anything() })
    expect(shown.redeem['GAME-BR']).toEqual({
      ...order.redeem['GAME-BR'],
      redeemPin: order.redeem['GAME-BR']?.redeemPin?.map(maskCode),
      redeemLink: 'redeem.example/…',
    })
  })
})

describe('undocumented values are hidden, and their paths are listed', () => {
  test.each<[string, Tree, unknown, readonly string[]]>([
    ['a text', { note: 'hello' }, null, ['note']],
    ['a number', { n: 7 }, null, ['n']],
    [
      'in lists and objects',
      { a: [{ b: 'x' }, { b: 'y', c: [7] }] },
      [{ b: null }, { b: null, c: [null] }],
      ['a.b', 'a.c'],
    ],
    ['in a Map', { a: new Map([['b', 'x']]) }, new Map([['b', null]]), ['a.b']],
    ['but no boolean, null or empty text', { a: [true, null, ''] }, [true, null, ''], []],
    [
      'named like a documented field',
      { a: { sku: 'x', redeemPin: '1' } },
      { sku: null, redeemPin: null },
      ['a.sku', 'a.redeemPin'],
    ],
    ['with a name that needs quotes', { a: { 'b.c': 1 } }, { 'b.c': null }, ['a["b.c"]']],
    [
      'without a name that repeats codes, or looks like one',
      { a: { [code]: 1, qv7k30dmxh2p9a5c: 2, 'ZQ9X-77WK': { b: true } } },
      { '…': null, '…2': null, '…3': { b: true } },
      ['a["…"]', 'a["…2"]'],
    ],
    ['in the place of a field of created orders', { expiresAt: 1 }, null, ['expiresAt']],
  ])('%s', (_name, more, shown, hidden) => {
    expect(masked(more)).toEqual({
      [Object.keys(more)[0] ?? '']: shown,
      hidden: hidden.length === 0 ? undefined : hidden,
    })
  })

  test('beside documented fields', () => {
    const invoice = { ...got.invoice, note: 'x' }
    expect(masked({ invoice })).toEqual({ invoice: { ...invoice, note: null }, hidden: ['invoice.note'] })
  })
})

describe('a documented text is masked', () => {
  const shopItem = got.products['GAME-DE'].shopItem
  const inProduct = (more: object) => ({
    products: { 'GAME-DE': { ...got.products['GAME-DE'], shopItem: { ...shopItem, ...more } } },
  })
  const inInvoice = (more: object) => ({ invoice: { ...got.invoice, ...more } })

  test.each<[string, Tree, Tree]>([
    ['in a name', inProduct({ name: `for ${code}` }), inProduct({ name: 'for ••••9A5C' })],
    ['with a short PIN', inProduct({ country: 'DE 4711' }), inProduct({ country: 'DE ••••' })],
    ['with a link', inInvoice({ status: `see ${link}` }), inInvoice({ status: 'see redeem.example/…' })],
    ['with the end of a link', inInvoice({ status: 'L1NK 77QX 0001' }), inInvoice({ status: '••••0001' })],
    ['in a reference', { reference: `PO-${pin}-A` }, { reference: 'PO-••••-A' }],
    ['not in a reference, with a short PIN', { reference: 'PO-4711' }, { reference: 'PO-4711' }],
    ['in a state', { state: 'q_vkxhpac' }, { state: '…' }],
    ['inside a word of a state', { state: 'isqvkxhpacnow' }, { state: '…' }],
    ['in a state that is no word', { state: 'On hold' }, { state: '…' }],
    ['not in a documented state', { state: 'partial' }, { state: 'partial' }],
    ['in a currency', inProduct({ baseCurrency: pin }), inProduct({ baseCurrency: '…' })],
    [
      'in a currency that is none',
      inProduct({ baseCurrency: 'US-Dollar' }),
      inProduct({ baseCurrency: '…' }),
    ],
    ['in a SKU', { products: { [pin]: { sku: pin } } }, { products: { '…': { sku: '…' } } }],
    [
      'not in a SKU that a link contains',
      { products: { 'GAME-DE': got.products['GAME-DE'] } },
      { products: got.products },
    ],
    ['not in the id', { uid: pin }, { uid: pin }],
  ])('%s', (_name, more, shown) => {
    const cards = [card, { redeemPin: '4711' }, { redeemPin: 'qvkxhpac' }, { redeemPin: 'partial' }]
    expect(masked(more, redeemed(cards))).toEqual({ ...shown, hidden: undefined })
  })

  test('on a screen, which masks the cards itself', () => {
    const order = { ...got, reference: code, redeem: redeemed() }
    expect(maskOrder(order)).toEqual({ ...order, reference: '••••9A5C' })
  })
})

describe('in the redeem data', () => {
  const secret = { redeemPin: '••••' }
  const shownCard = {
    ...{ ...secret, redeemCardCode: '••••9A5C' },
    ...{ redeemSerialNumber: '••••', redeemLink: 'redeem.example/…' },
  }

  test.each<[string, unknown, unknown, (readonly string[])?]>([
    ['cards', { X: { cards: [card] } }, { X: { cards: [shownCard] } }],
    [
      'secrets in lists and objects',
      { X: { redeemPin: [[pin], { 1: pin, [code]: 4711 }] } },
      { X: { redeemPin: [['••••'], { 1: '••••', '…': '••••' }] } },
    ],
    [
      'cards with numbers as keys',
      { X: { cards: { 1: card, 2: code } } },
      { X: { cards: { 1: shownCard, 2: '••••9A5C' } } },
    ],
    ['a code in the place of a product', { X: code, Y: 471199 }, { X: '••••9A5C', Y: '••••' }],
    [
      'codes in the place of cards',
      { X: [code], Y: { cards: [code, [pin]] } },
      { X: ['••••9A5C'], Y: { cards: ['••••9A5C', ['••••']] } },
    ],
    [
      'a text in the place of the instructions',
      { X: { redeemInstructions: code } },
      { X: { redeemInstructions: '••••9A5C' } },
    ],
    [
      'a secret in an undocumented object',
      { X: { item: { redeemPin: pin, code } } },
      { X: { item: { redeemPin: '••••', code: null } } },
      ['redeem.X.item.code'],
    ],
    [
      'undocumented fields',
      { X: { cards: [{ slip: code, n: 1 }], value: 'x' } },
      { X: { cards: [{ slip: null, n: null }], value: null } },
      ['redeem.X.cards.slip', 'redeem.X.cards.n', 'redeem.X.value'],
    ],
    ['names that look like codes', { X: { 'ZQ9X-77WK': { redeemPin: pin } } }, { X: { '…': secret } }],
    [
      'products called redeemPin and redeem',
      { redeemPin: { redeemPin: pin }, redeem: {} },
      { redeemPin: secret, redeem: {} },
    ],
    [
      'expiry dates and currencies',
      {
        X: {
          cards: [{ expirationDate: `ZQ9X-77WK ${pin}`, redeemPin: pin }, { expirationDate: '2027-11-20' }],
          currency: 'a card',
        },
      },
      {
        X: {
          cards: [{ expirationDate: '•••• ••••', ...secret }, { expirationDate: '2027-11-20' }],
          currency: '…',
        },
      },
    ],
  ])('%s', (_name, redeem, shown, hidden = []) => {
    expect(inRedeem(redeem)).toEqual([shown, hidden])
  })

  test('a product called __proto__ is kept', () => {
    const redeem = readJson('{"__proto__":{"redeemPin":["123"]}}')
    expect(JSON.stringify(inRedeem(redeem)[0])).toBe('{"__proto__":{"redeemPin":["••••"]}}')
  })

  test('terms are masked with codes of any length, and with words that look like codes', () => {
    const redeemInstructions = {
      tnc: 'Use AB12CD, 4711 or 12, not 112.',
      tncHtml: '<p>QV7K-<b>30DM</b>-XH2P-9A5C</p>',
      redeem: 'Use ZQ9X-77WK-CANA-RY42. Your PIN is 8215.',
      redeemHtml: null,
      languageCode: 'en ZQ9X-77WK',
    }
    const cards = ['AB12CD', '4711', '12', code].map((redeemPin) => ({ redeemPin }))
    const { redeem } = maskResponse({ ...got, redeem: redeemed(cards, { redeemInstructions }) })
    expect(redeem['GAME-DE']).toMatchObject({
      redeemInstructions: {
        tnc: 'Use ••••, •••• or ••••, not 112.',
        tncHtml: '••••9A5C',
        redeem: 'Use ••••RY42. Your PIN is ••••.',
        redeemHtml: null,
        languageCode: 'en ••••',
      },
    })
  })
})

test('no shape of redeem data shows a code', () => {
  const names = 'cards redeemPin currency x 0 __proto__ redeemInstructions redeem value'.split(' ')
  const anyCode = fc.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{3}[0-9]-[A-Z0-9]{4}$/)
  const key = fc.oneof(fc.constantFrom(...names), anyCode)
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      anyCode,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(tree, (entry) => {
      const [shown, hidden] = inRedeem({ X: entry })
      expect(JSON.stringify([shown, hidden])).not.toMatch(/[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}/)
    }),
  )
})
