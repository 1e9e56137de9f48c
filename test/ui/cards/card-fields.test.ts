// The flat list of cards in JSON: one shape for both shapes of redeem data (order-service.md 2.8).
import { expect, test } from 'vitest'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { findCards } from '../../../src/contract/order/redeem-cards.ts'
import { shownCardFields } from '../../../src/ui/cards/card-fields.ts'
import { readFields } from '../../../src/ui/text/result-fields.ts'

const value = decimal('20')
const none = {
  ...{ number: null, value: null, currency: null, code: null, pin: null, serial: null, link: null },
  ...{ expiresAt: null, row: null },
}
const readCards = (redeem: unknown) => findCards(redeem).map((card) => readFields(shownCardFields, card))
const link = 'https://redeem.example/AAAA-BBBB-CCCC-DDDD'
const shapeA = {
  X: { cards: [{ redeemCardCode: 'AAAA-BBBB-CCCC-DDDD', redeemLink: link, expirationDate: '' }], value: 20 },
}
const shapeB = { X: { redeemPin: ['1234', '5678'], currency: 'EUR', value: 20 } }

test('has the same fields for each card, null for those that it does not have', () => {
  expect(readCards(shapeA)).toEqual([{ ...none, sku: 'X', value, code: 'AAAA-BBBB-CCCC-DDDD', link }])
  expect(readCards(shapeB)).toEqual([
    { ...none, sku: 'X', value, currency: 'EUR', pin: '1234' },
    { ...none, sku: 'X', value, currency: 'EUR', pin: '5678' },
  ])
})
