// Amounts as people read them: `1,234.50 USD`. Exact: no float, no digit rounded away.
import { type Decimal, formatDecimal, getMinorDigits, zero } from '../../contract/decimal.ts'
import { safeText } from '../terminal/safe-text.ts'

// The same on every machine: '1.234' must not mean two things to the two ends of a ticket. By hand: to make one
// Intl.NumberFormat takes longer than all the rest of a command.
const grouped = (value: Decimal, leastDigits: number): string => {
  const text = formatDecimal(value)
  const [whole = '', given = ''] = text.replace('-', '').split('.')
  const digits = given.padEnd(leastDigits, '0')
  // No minus before nothing.
  const sign = value.lt(zero) ? '-' : ''
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${digits === '' ? '' : `.${digits}`}`
}

/** By the currency's own minor units, the code last so that columns align. */
export const moneyText = (amount: Decimal, currency: string): string =>
  `${grouped(amount, getMinorDigits(currency))} ${safeText(currency)}`

/** A plain number: a rate, a percentage. */
export const numberText = (value: Decimal): string => grouped(value, 0)
