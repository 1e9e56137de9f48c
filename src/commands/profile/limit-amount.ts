// Checks the amount of a limit.
import { getMinorDigits } from '../../contract/decimal.ts'

export const amountPattern = '(?:0|[1-9]\\d{0,14})(?:\\.\\d{1,9})?'

/** What is allowed instead, if the currency does not have so many decimals. */
export const findDecimalsProblem = (amount: string, currency: string): string | undefined => {
  const digits = getMinorDigits(currency)
  return (amount.split('.')[1]?.length ?? 0) > digits
    ? `an amount with ${digits === 0 ? 'no' : `at most ${digits}`} decimals for ${currency}`
    : undefined
}
