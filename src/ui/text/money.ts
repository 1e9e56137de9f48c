// Formats amounts and numbers for screens.
import { type Decimal, formatAmount, getMinorDigits, groupDigits } from '../../contract/decimal.ts'
import { sanitize } from '../terminal/sanitize.ts'

/** With the currency's minor units, but without the currency. */
export const formatBareMoney = (amount: Decimal, currency: string): string =>
  groupDigits(amount, getMinorDigits(currency))

/** The currency comes last so that columns align. */
export const formatMoney = (amount: Decimal, currency: string): string =>
  formatAmount(amount, sanitize(currency))

/** For rates and percentages. */
export const formatNumber = (value: Decimal): string => groupDigits(value, 0)
