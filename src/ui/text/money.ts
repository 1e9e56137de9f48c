// Formats amounts for people: `1,234.50 USD`. Exact: no floats, no rounding.
import { type Decimal, formatDecimal, getMinorDigits, zero } from '../../contract/decimal.ts'
import { sanitize } from '../terminal/sanitize.ts'

// Ignores the locale: '1.234' must mean the same to everyone who reads a ticket. Not Intl.NumberFormat: creating one
// takes longer than the rest of a command.
const groupDigits = (value: Decimal, minDigits: number): string => {
  const text = formatDecimal(value)
  const [whole = '', given = ''] = text.replace('-', '').split('.')
  const digits = given.padEnd(minDigits, '0')
  // A negative zero has no sign.
  const sign = value.lt(zero) ? '-' : ''
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${digits === '' ? '' : `.${digits}`}`
}

/** With the currency's minor units. The currency comes last so that columns align. */
export const formatMoney = (amount: Decimal, currency: string): string =>
  `${groupDigits(amount, getMinorDigits(currency))} ${sanitize(currency)}`

/** For rates and percentages. */
export const formatNumber = (value: Decimal): string => groupDigits(value, 0)
