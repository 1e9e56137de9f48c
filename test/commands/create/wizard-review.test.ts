// How an order is shown before it is placed: its totals, and texts of the service. wizard.session shows it.

import { expect, test } from 'vitest'
import type { KnownProduct } from '../../../src/app/known-products.ts'
import type { WizardOrder } from '../../../src/commands/create/questions.ts'
import { renderReview } from '../../../src/commands/create/wizard.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { viewOf } from '../../ui/screens.ts'

const fixed = (sku: string, currency: string, quote: string, name?: string): KnownProduct => ({
  ...{ sku, type: 'fixed', price: { least: decimal(quote), most: decimal(quote), currency } },
  ...(name === undefined ? {} : { name }),
})
const known = [fixed('GAME-US', 'USD', '25', 'Quorvane Games 25 USD')]
const product = (sku: string, quote: string, quantity = '1', type?: string) => ({
  ...{ sku, quote, quantity, type },
})

const draw = (order: Partial<WizardOrder>, width = 80) =>
  renderReview({ products: [], wallet: 'USD', reference: 'team-lunch', ...order }, known, {
    ...viewOf(width),
    ...{ account: 'the sandbox: no real money', webhookHost: undefined },
  })

test.each([
  ['the wallet has the currency of all products', 'USD', 'Total      75.00 USD, before fees and discounts'],
  ['the wallet has another currency', 'EUR', '75.00 USD face value, charged in EUR at the rate'],
])('%s', (_what, wallet, text) => {
  const box = draw({ products: [product('GAME-US', '25', '3')], wallet }, 120)
  expect(box).toContain(text)
})

test('amounts are exact', () => {
  const box = draw({ products: [product('GAME-US', '0.1', '3'), product('OTHER', '90071992547409.93', '3')] })
  expect(box).toContain('0.30 USD')
  expect(box).toContain('270,215,977,642,229.79')
})

test('texts of the service and the user cannot control the terminal', () => {
  const evil = '\u001b[2J\u202e\u0007'
  const box = renderReview(
    { products: [product(`A${evil}`, '1', '1', `t${evil}`)], wallet: `USD${evil}`, reference: `r${evil}` },
    [{ sku: `A${evil}`, type: 'x', name: `n${evil}\nsecond` }],
    { ...viewOf(80), account: 'shop', webhookHost: `a${evil}` },
  )
  expect(box).not.toMatch(/[\u001b\u202e\u0007]/)
  expect(box).toContain('n\\u{1b}[2J\\u{202e}\\u{7}\\u{a}second')
})
