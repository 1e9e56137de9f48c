// The shapes of currency codes in responses.

import { addIssue, amount, describe, isObject, record, refine, type Shape, text } from '../shape.ts'
import { currencyForm, normalizeCurrency } from './currency.ts'
import type { Decimal } from './decimal.ts'

/**
 * Of a price, a rate or a card. Any other text is kept unchanged, because codes that were paid for must stay readable.
 */
export const currency = describe(
  {
    ...text,
    read: (value, walk) => (typeof value === 'string' && normalizeCurrency(value)) || text.read(value, walk),
  } satisfies Shape<string>,
  'A currency code.',
)

/** It decides which budgets count the order. */
export const walletCurrency = describe(
  refine(currency, (code) => normalizeCurrency(code) !== undefined, currencyForm),
  'A currency code.',
)

const amountByCurrency = record(amount, 'currency')
export const currencyTotals: Shape<Record<string, Decimal>> = {
  ...amountByCurrency,
  read: (value, walk) => {
    if (!isObject(value)) return amountByCurrency.read(value, walk)
    const entries = Object.entries(value).map(([key, entry]) => [normalizeCurrency(key), entry] as const)
    const codes = new Set(entries.map(([code]) => code))
    return codes.has(undefined) || codes.size < entries.length
      ? addIssue(walk, 'an object whose keys are different currency codes')
      : amountByCurrency.read(Object.fromEntries(entries), walk)
  },
}
