// Amounts as people read them: `1,234.50 USD`. Exact: no float, no digit rounded away.
import { type Decimal, decimalText, minorDigits } from '../contract/decimal.ts'
import { safeText } from './safe-text.ts'

const formats = new Map<string, Intl.NumberFormat>()

// The same on every machine: '1.234' must not mean two things to the two ends of a ticket.
const grouped = (value: Decimal, leastDigits: number): string => {
  const text = decimalText(value)
  const digits = Math.max(leastDigits, text.split('.')[1]?.length ?? 0)
  const key = `${leastDigits}/${digits}`
  const format =
    formats.get(key) ??
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: leastDigits,
      maximumFractionDigits: digits,
      // No minus before nothing.
      signDisplay: 'negative',
    })
  formats.set(key, format)
  // Given a text it formats the decimal itself.
  return format.format(text as Intl.StringNumericLiteral)
}

/** By the currency's own minor units, the code last so that columns align. */
export const moneyText = (amount: Decimal, currency: string): string =>
  `${grouped(amount, minorDigits(currency))} ${safeText(currency)}`

/** A plain number: a rate, a percentage. */
export const numberText = (value: Decimal): string => grouped(value, 0)
