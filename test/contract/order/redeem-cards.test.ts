// Cards that an order may have delivered in an undocumented form: src/contract/order/redeem-cards.ts
import { describe, expect, test } from 'vitest'
import { mayHideCards } from '../../../src/contract/order/redeem-cards.ts'
import type { Order } from '../../../src/contract/schemas.ts'

const code = 'AB12-CD34-EF56'
const cards = [{ redeemCardCode: 'WXYZ-1234-5678', redeemPin: '4711' }]
const instructions = (text: string, field = 'redeem') => ({ redeemInstructions: { [field]: text } })

/** An order for two cards, whose redeem data shows one of them, or as many as there are cards. */
const mayHide = (data: object): boolean => {
  const products = new Map([['GAME-US', { request: { quantity: 2 } }]])
  return mayHideCards({ products, redeem: new Map([['GAME-US', { cards, ...data }]]) } as unknown as Order)
}

describe('a missing card may be', () => {
  test.each<[string, object]>([
    ['in the instructions', instructions(`Your code is ${code}.`)],
    ['in the terms', instructions(`Enter ${code} before Friday.`, 'tnc')],
    ['in HTML', instructions('<p title="a">Enter AB12&ndash;CD34<b>EF56</b> in the shop.</p>', 'redeemHtml')],
    ['a short PIN', instructions('Your PIN is 8822.')],
    ['a long number', instructions('Enter 6035 1234 5678 9012 in the shop.')],
    ['in a link', instructions('Open https://shop.example/r/Ab3xY9kQ72.')],
    ['beside the code of another card', instructions(`Codes: WXYZ-1234-5678, ${code}`)],
    ['in a sentence of an unknown field', { note: `Your code is ${code}.` }],
    ['in an unknown field', { voucher: code }],
    ['a number in an unknown field', { cards: [...cards, { voucher: 1234567890123456 }] }],
  ])('%s', (_, data) => {
    expect(mayHide(data)).toBe(true)
  })
})

describe('no card is', () => {
  test.each<[string, object]>([
    [
      'a word with a number',
      instructions('Enter the 25-character code at redeem2026.example on Windows-11.'),
    ],
    [
      'a word in capitals',
      instructions('NON-REFUNDABLE AND NONTRANSFERABLE. TERMS-AND-CONDITIONS APPLY.', 'tnc'),
    ],
    ['a phone number', instructions('Call 1-800-555-0199, 0800 123 4567 or +4989123456789.')],
    ['a date', instructions('Valid until 2027-03-01, 01.03.2027 or 01-03-2027.', 'tnc')],
    ['a style', instructions('<p class="a1b2c3d4e5" style="color:#1a2b3c4d">Enter it.</p>', 'tncHtml')],
    ['the code of a card that is shown', instructions('Your codes: wxyz 1234 5678, PIN 4711', 'tnc')],
    ['a field of a card that is shown', { cards: [{ ...cards[0], barcode: '4006381333931' }] }],
    ['missing from a product whose cards are all shown', { cards: [...cards, 'CODE-2'], voucher: code }],
  ])('%s', (_, data) => {
    expect(mayHide(data)).toBe(false)
  })
})
