// Codes never appear without --reveal: canaries in every place, then a search for them.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../../src/contract/json.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { createCodeMasker, maskCode, maskLink, maskText } from '../../../src/ui/masking/mask-codes.ts'
import { maskTree } from '../../../src/ui/masking/mask-tree.ts'
import { line, secretsOf } from '../../support/embedded.ts'
import { ordered } from '../screens.ts'

test.each([
  ['QV7K-30DM-XH2P-9A5C', '••••9A5C'],
  ['SANDBOX-QV7K-30DM-XH2P-9A5C', '••••9A5C'],
  ['0164362523349381', '••••9381'],
  ['ABCD-EFGH-IJK', '••••'],
  ['123456', '••••'],
  ['', ''],
  [' ', ''],
])('the code %j is masked as %j', (code, masked) => {
  expect(maskCode(code)).toBe(masked)
})

test.each([
  ['https://redeem.example/X/CODE?pin=1', 'redeem.example/…'],
  ['https://user:CODE@redeem.example:8443/', 'redeem.example:8443/…'],
  ['tel:*123*CODE#', '••••'],
  ['CODE', '••••'],
  ['', ''],
])('the link %j is masked as %j', (link, masked) => {
  expect(maskLink(link)).toBe(masked)
})

test.each([
  ['Enter QV7K-30DM-XH2P-9A5C now.', 'Enter ••••9A5C now.'],
  ['Enter SANDBOX-AB12-CD34-EF56-GH78 now.', 'Enter ••••GH78 now.'],
  ['Enter SANDBOX-QV7K-30DM-XH2P-9A5C now.', 'Enter SANDBOX-••••9A5C now.'],
  ['Enter qv7k 30dm xh2p 9a5c now.', 'Enter ••••9a5c now.'],
  ['PIN 4711, not 14711', 'PIN ••••, not 14711'],
  ['Unknown: AB12-CD34-EF', 'Unknown: ••••'],
  ['1234 5678 9012 3456', '••••3456'],
  ['Code {AB12 CD34 EF56}', 'Code {••••EF56}'],
  ['ABCD-EFGH-JKLM', '••••JKLM'],
  ['Valid until 2027-11-20, or 2027-11-20T10:00:00Z.', 'Valid until 2027-11-20, or 2027-11-20T10:00:00Z.'],
  ['2027-11-20-7788-AB', '••••88AB'],
  ['No days are 4821-93-57 and 9999-12-40.', 'No days are •••• and ••••.'],
  ['Call 0800, 3 Jahre, Quorvane-Shop, €50.', 'Call 0800, 3 Jahre, Quorvane-Shop, €50.'],
  ['日本国内のストアでのみ。', '日本国内のストアでのみ。'],
  // A PIN that no card has.
  ['Your PIN is 8215.', 'Your PIN is ••••.'],
  [
    'PIN: 8215, pin8215, Pin-Code = 8215, PIN (8215), PIN no. 8215',
    'PIN: ••••, pin••••, Pin-Code = ••••, PIN (••••), PIN no. ••••',
  ],
  ['Ihre PIN lautet 821534; CVV2 "8215"', 'Ihre PIN lautet ••••; CVV2 "••••"'],
  [
    'The PIN has 6 digits. In 2027 PINs of 812 expire; PIN 2027-11-20.',
    'The PIN has 6 digits. In 2027 PINs of 812 expire; PIN 2027-11-20.',
  ],
  [
    'A PIN before 2027, shopping 8215, PIN 821, PIN 4 8215',
    'A PIN before 2027, shopping 8215, PIN 821, PIN 4 8215',
  ],
])('in the text %j', (text, masked) => {
  expect(maskText(text, createCodeMasker(['QV7K-30DM-XH2P-9A5C', '4711']))).toBe(masked)
})

describe('a tree', () => {
  const masked = (document: unknown) => JSON.stringify(maskTree(document))

  test('of a real order holds none of its codes, and the rest of it is as it was', async () => {
    const { raw } = await ordered([line('GAME-DE', { quantity: 2 }), 'GAME-BR', 'COFFEE-GB', 'COFFEE-CA'])
    const order = raw as { redeem: Parameters<typeof secretsOf>[0] }
    const secrets = secretsOf(order.redeem)
    expect(secrets.length).toBeGreaterThan(10)
    const text = masked(order)
    for (const secret of secrets) expect(text).not.toContain(secret)
    const { redeem: _, ...rest } = maskTree(order) as typeof order
    const { redeem: __, ...before } = order
    expect(rest).toEqual(before)
    expect((maskTree(order) as typeof order).redeem['GAME-BR']).toEqual({
      redeemPin: [expect.stringMatching(/^••••\w{4}$/)],
      currency: 'BRL',
      redeemLink: 'redeem.example/…',
      value: 50,
    })
  })

  // Each has the canary C in it once.
  const canary = 'ZQ9X-77WK-CANA-RY42'
  test.each([
    ['a PIN', { redeem: { X: { redeemPin: [canary] } } }],
    ['a PIN in capitals', { data: { REDEEMPIN: canary } }],
    ['a PIN with an underscore', { a: [{ redeem_card_code: canary }] }],
    ['lists in lists', { redeemSerialNumber: [[[canary]]] }],
    ['an object below a field', { redeemPin: { value: canary, currency: canary } }],
    ['an unknown field', { redeem: { X: { voucher: canary } } }],
    ['an unknown field at any depth', { redeem: { X: { a: [{ b: { c: [canary] } }] } } }],
    ['a key', { redeem: { X: { cards: { [canary]: 1 } } } }],
    ['a currency', { redeem: { X: { currency: canary } } }],
    ['an expiry', { redeem: { X: { cards: [{ expirationDate: canary }] } } }],
    ['a language', { redeem: { X: { redeemInstructions: { languageCode: canary } } } }],
    ['an unknown instruction', { redeem: { X: { redeemInstructions: { code: canary } } } }],
    ['a link', { redeem: { X: { redeemLink: `https://a.example/${canary}` } } }],
    ['a text as the entry', { redeem: { X: canary } }],
    ['a text as redeem', { redeem: canary }],
    ['a list as redeem', { redeem: [canary, { a: canary }] }],
    ['instructions', { redeem: { X: { redeemInstructions: { redeem: `Use ${canary}.` } } } }],
    ['a list of instructions', { redeem: { X: { redeemInstructions: { redeem: [`Use ${canary}.`] } } } }],
    [
      'terms',
      { redeem: { X: { redeemInstructions: { tncHtml: `<a href="https://a/?c=${canary}">x</a>` } } } },
    ],
    ['instructions elsewhere', { redeemInstructions: { tnc: canary } }],
    ['a description that repeats it', { redeemPin: canary, invoice: { description: `for ${canary}` } }],
    ['a secret name outside of redeem', { data: { extra: [{ gift_card_code: canary }] } }],
    ['an object below a secret name', { voucher: { id: canary, parts: [{ text: canary }] } }],
    ['a secret name in a product', { products: { X: { voucher: canary } } }],
    ['a code in a list', { codes: [canary] }],
    [
      'a name that repeats a bare code',
      { products: { X: { name: `for ${canary}` } }, redeem: { X: [canary] } },
    ],
    ['a code in an entry', { redeem: { X: { items: [{ code: canary }] } } }],
    ['a Map', { redeem: new Map([['X', { redeemPin: [canary] }]]) }],
  ])('%s', (_, document) => {
    const text = JSON.stringify(maskTree(document), (__, value) =>
      value instanceof Map ? [...value] : value,
    )
    expect(text.replaceAll('-', '')).not.toMatch(/CANA|77WK|ZQ9X/i)
  })

  test.each([
    ['spaced', 'ZQ9X 77WK CANA RY42'],
    ['small', 'zq9x-77wk-cana-ry42'],
    ['joined', 'ZQ9X77WKCANARY42'],
    ['with long dashes', 'ZQ9X–77WK–CANA–RY42'],
    ['in tags', 'ZQ9X-<b>77WK</b>-CA<i>NA</i>-RY42'],
    ['in entities', 'ZQ9X&#45;77WK&#45;C&#65;N&#x41;&#45;RY42'],
    ['in a link', '<a href="https://a.example/?code=ZQ9X77WKCANARY42">here</a>'],
    ['with invisible marks', 'ZQ9X\u200b-77WK-CA\u00adNA-RY42'],
  ])('instructions that repeat a code %s', (_, written) => {
    const redeem = { X: { redeemPin: [canary], redeemInstructions: { redeemHtml: `<p>${written}</p>` } } }
    expect(masked({ redeem }).replace(/[^A-Z0-9]/gi, '')).not.toMatch(/CANA|77WK|ZQ9X|CAiNA/i)
  })

  test('keeps values that are no secrets', () => {
    const document = {
      state: 'successful',
      redeem: {
        X: {
          redeemInstructions: { redeem: 'Open the store.', tnc: null, languageCode: 'en-GB' },
          cards: [{ redeemLink: '', redeemPin: '', expirationDate: '2027-11-20T10:00:00.000Z' }],
          currency: 'EUR',
          value: 20,
        },
      },
    }
    expect(maskTree(document)).toEqual(document)
  })

  test('keeps codes that are not redeemable, and masks numbers that may be', () => {
    const document = {
      ...{ languageCode: 'de-DE', currency_code: 'EUR', countryCode: 'DE', statusCode: 'SUCCEEDED-OK' },
      ...{ productCode: 'GAME', error: { code: 'QUOTE-OUT-OF-RANGE' }, errors: [{ code: 4001 }] },
      country: { code: 'DE' },
      products: {
        voucher: { sku: 'voucher', name: 'A' },
        PIN: { sku: 'PIN' },
        redeemLink: { sku: 'redeemLink' },
      },
      redeemedAt: 'never',
      redeemable: 'yes',
    }
    expect(maskTree(document)).toEqual(document)
    expect(maskTree({ pin: 12, voucherNumber: decimal('1.5'), isVoucher: true })).toEqual({
      pin: '••••',
      voucherNumber: '••••',
      isVoucher: true,
    })
  })

  test('keeps products called __proto__ or redeemLink', () => {
    const document = readJson(
      '{"products":{"__proto__":{"a":1}},"redeem":{"__proto__":{"redeemPin":["123"]}}}',
    )
    expect(masked(document)).toBe(
      '{"products":{"__proto__":{"a":1}},"redeem":{"__proto__":{"redeemPin":["••••"]}}}',
    )
  })

  test('of any shape shows no whole text below redeem', () => {
    const names = 'cards redeemPin currency x 0 __proto__ redeemInstructions redeem value'.split(' ')
    const key = fc.constantFrom(...names)
    const code = fc.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{3}[0-9]-[A-Z0-9]{4}$/)
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        code,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (redeem) => {
        const codes = JSON.stringify(redeem).match(/[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}/g) ?? []
        const text = masked({ redeem })
        for (const each of codes) expect(text).not.toContain(each)
      }),
    )
  })
})
