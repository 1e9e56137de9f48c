// A masked response shows documented fields only, and none of their texts repeats a code.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../../src/contract/json.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { createdExample, orderExample } from '../../../src/contract/openapi/examples.ts'
import { maskCode, maskOrder, maskResponse } from '../../../src/ui/masking/mask-response.ts'
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

/** Rows of a title, JSON, the JSON that is shown, and the hidden paths. A row can have two lines. */
const readRows = (table: string) =>
  table
    .trim()
    .split(/\n(?! +\|)/)
    .map((row) => row.split(/\s+\| /).map((cell) => cell.trim()))
    .map(([title = '', given = '', shown = '', paths = '']) => {
      const hidden = paths === '' ? [] : paths.split(', ')
      return { title, given: JSON.parse(given), shown: JSON.parse(shown), hidden }
    })

const undocumented = `
  a text | {"note": "hello"} | {"note": null} | note
  a number | {"n": 7} | {"n": null} | n
  in lists and objects | {"a": [{"b": "x"}, {"b": "y", "c": [7]}]}
    | {"a": [{"b": null}, {"b": null, "c": [null]}]} | a.b, a.c
  but no boolean or empty text | {"a": [true, null, ""]} | {"a": [true, null, ""]}
  named like a documented one | {"a": {"sku": "x", "redeemPin": "1"}}
    | {"a": {"sku": null, "redeemPin": null}} | a.sku, a.redeemPin
  with a name that needs quotes | {"a": {"b.c": 1}} | {"a": {"b.c": null}} | a["b.c"]
  in the place of one of created orders | {"expiresAt": 1} | {"expiresAt": null} | expiresAt`

describe('undocumented values are hidden, and their paths are listed', () => {
  test.each(readRows(undocumented))('$title', ({ given, shown, hidden }) => {
    expect(masked(given)).toEqual({ ...shown, hidden: hidden.length === 0 ? undefined : hidden })
  })

  test('in a Map, and without names that repeat codes or look like one', () => {
    const [map, shown] = ['x', null].map((value) => ({ a: new Map([['b', value]]) }))
    expect(masked(map ?? {})).toEqual({ ...shown, hidden: ['a.b'] })
    expect(masked({ a: { [code]: 1, qv7k30dmxh2p9a5c: 2, 'ZQ9X-77WK': { b: true } } })).toEqual({
      a: { '…': null, '…2': null, '…3': { b: true } },
      hidden: ['a["…"]', 'a["…2"]'],
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

// CODE, PIN and CARD are those above. HIDDEN is the masked code, and SHOWN the masked card.
const redeemRows = `
  cards | {"X": {"cards": [CARD]}} | {"X": {"cards": [SHOWN]}}
  secrets in lists and objects | {"X": {"redeemPin": [[PIN], {"1": PIN, CODE: 1}]}}
    | {"X": {"redeemPin": [["••••"], {"1": "••••", "…": "••••"}]}}
  cards with numbers as keys | {"X": {"cards": {"1": CARD, "2": CODE}}}
    | {"X": {"cards": {"1": SHOWN, "2": HIDDEN}}}
  a code in place of a product | {"X": CODE, "Y": 471199} | {"X": HIDDEN, "Y": "••••"}
  a code in place of a list | {"X": [CODE]} | {"X": [HIDDEN]}
  codes in place of cards | {"X": {"cards": [CODE, [PIN]]}} | {"X": {"cards": [HIDDEN, ["••••"]]}}
  a text as the instructions | {"X": {"redeemInstructions": CODE}} | {"X": {"redeemInstructions": HIDDEN}}
  a secret in an unknown object | {"X": {"item": {"redeemPin": PIN, "code": CODE}}}
    | {"X": {"item": {"redeemPin": "••••", "code": null}}} | redeem.X.item.code
  undocumented fields of a card | {"X": {"cards": [{"slip": CODE, "n": 1}]}}
    | {"X": {"cards": [{"slip": null, "n": null}]}} | redeem.X.cards.slip, redeem.X.cards.n
  a value that is no number | {"X": {"value": "x"}} | {"X": {"value": null}} | redeem.X.value
  names that look like codes | {"X": {"ZQ9X-77WK": {"redeemPin": PIN}}}
    | {"X": {"…": {"redeemPin": "••••"}}}
  products named like fields | {"redeemPin": {"redeemPin": PIN}, "redeem": {}}
    | {"redeemPin": {"redeemPin": "••••"}, "redeem": {}}
  expiry dates | {"X": {"cards": [{"expirationDate": "ZQ9X-77WK 471199", "redeemPin": PIN}]}}
    | {"X": {"cards": [{"expirationDate": "•••• ••••", "redeemPin": "••••"}]}}
  a currency that is none | {"X": {"currency": "a card"}} | {"X": {"currency": "…"}}`

describe('in the redeem data', () => {
  const hidden = { redeemSerialNumber: '••••', redeemLink: 'redeem.example/…' }
  const words: Record<string, unknown> = {
    ...{ CODE: code, PIN: pin, CARD: card, HIDDEN: '••••9A5C' },
    SHOWN: { redeemPin: '••••', redeemCardCode: '••••9A5C', ...hidden },
  }
  const filled = redeemRows.replace(/\b(CODE|PIN|CARD|HIDDEN|SHOWN)\b/g, (word) =>
    JSON.stringify(words[word]),
  )
  test.each(readRows(filled))('$title', ({ given, shown, hidden }) => {
    expect(inRedeem(given)).toEqual([shown, hidden])
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
