// Currency codes. Each has one spelling, so that `usd` and `USD ` count against the same budgets. Also their shapes in
// responses.

import { addIssue, amount, describe, isObject, record, refine, type Shape, text } from '../shape.ts'
import type { Decimal } from './decimal.ts'

export const currencyForm = 'a currency code of 2 to 12 letters and digits, such as USD'

const form = /^[A-Z0-9]{2,12}$/

/** Undefined if the text is no currency code. */
export const normalizeCurrency = (text: string): string | undefined => {
  if (form.test(text)) return text
  const code = text.normalize('NFKC').trim().toUpperCase()
  return form.test(code) ? code : undefined
}

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
