// The screens of redeem, and both shapes of redeem data (order-service.md 2.8).
import { describe, expect, test } from 'vitest'
import { renderCards, renderInstructions } from '../../../src/ui/cards/cards.ts'
import { inWords, now, viewOf } from '../screens.ts'

const day = 24 * 60 * 60 * 1000

test('the expiry column names past and near dates', () => {
  const at = (days: number) => new Date(now + days * day).toISOString()
  const dates = ['', undefined, at(400), at(30), at(0.1), at(-1), 'next\u001b[2J year', '2024-02-30']
  const cards = dates.map((expires) => ({ sku: 'X', ...(expires === undefined ? {} : { expires }) }))
  expect(inWords(renderCards(cards, false, viewOf(80, true)))).toMatchInlineSnapshot(`
    "<quiet>SKU</>  <quiet>EXPIRES</>
    <quiet>─────────────────────────────────</>
    X    never
    X    <quiet>unknown</>
    X    2024-12-18
    X    <warning>2023-12-14, in 30 days</>
    X    <warning>2023-11-15, in 2 h</>
    X    <bad>2023-11-13, expired 24 h ago</>
    X    next\\u{1b}[2J year
    X    2024-02-30
    "
  `)
})

describe('instructions', () => {
  const redeem = {
    X: {
      cards: [{ redeemCardCode: 'QV7K-30DM-XH2P-9A5C' }],
      redeemInstructions: {
        redeem: 'Enter QV7K 30DM XH2P 9A5C, or ZZ91-AB34-KK.',
        tncHtml: '<p>Code: QV7K-<b>30DM</b>-XH2P-9A5C</p>',
      },
    },
  }

  test('that repeat a code are masked', () => {
    expect(renderInstructions(redeem, false, viewOf())).toMatchInlineSnapshot(`
      "X: how to redeem
        Enter ••••9A5C, or ••••.

      X: terms
        Code: ••••9A5C
      "
    `)
    // They are shown as they are when revealed.
    expect(renderInstructions(redeem, true, viewOf())).toContain('QV7K 30DM XH2P 9A5C, or ZZ91-AB34-KK.')
  })

  test('that hide a code in escapes do not hide a line break in them', () => {
    const tnc = 'Use AB12-77WK-CANA or ZQ9X%25252d77WK.%25250dNext &amp;amp;#8232;'
    const shown = renderInstructions(
      { X: { redeemInstructions: { tnc }, redeemPin: ['9'] } },
      false,
      viewOf(),
    )
    expect(shown).toBe('X: terms\n  Use ••••CANA or ••••.\n  Next \\u{2028}\n')
  })
})

test('a code stays on one line even with line breaks in it', () => {
  const cards = [{ sku: 'X\nY', code: 'AAAA\nBBBB', link: 'https://a.example/\r\nC' }]
  const [, , row] = renderCards(cards, true, viewOf(120)).split('\n')
  expect(row).toBe('X\\u{a}Y  AAAA\\u{a}BBBB  https://a.example/\\u{d}\\u{a}C  unknown')
})

describe('a currency or an expiry that repeats a code', () => {
  const card = {
    sku: 'X',
    code: 'AB12CD',
    pin: 'QV7K-30DM-XH2P-9A5C',
    currency: 'AB12CD',
    expires: 'with QV7K-30DM-XH2P-9A5C or ab-12-cd',
  }

  test('is masked like the code, and shown with it', () => {
    const text = renderCards([card], false, viewOf(200))
    expect(text).toContain('with ••••9A5C or ••••')
    expect(text).not.toMatch(/AB12CD|XH2P/)
    expect(renderCards([card], true, viewOf(200))).toContain(card.expires)
  })

  test('is neither a date nor a word', () => {
    const given = { sku: 'X', pin: '271120', currency: 'EUR' }
    const cards = ['2027-11-20', 'never', ''].map((expires) => ({ ...given, expires }))
    const text = renderCards(cards, false, viewOf(200))
    expect(text.match(/2027-11-20|never|EUR/g)).toEqual(['EUR', '2027-11-20', 'EUR', 'never', 'EUR', 'never'])
  })
})
