// Exact sums of many amounts. Integers are much faster than decimals, so only long amounts are decimals.
import { type Decimal, decimal, parseDecimal, zero } from '../money/decimal.ts'

/** Integers have this many decimals: more than any currency. */
export const chargeDecimals = 4

/** The value is `scaled`, with `chargeDecimals` decimals, plus `rest`. */
export type Amount = { readonly scaled: bigint; readonly rest: Decimal }

export const noAmount: Amount = { scaled: 0n, rest: zero }

const short = new RegExp(`^(-?\\d{1,11})(?:\\.(\\d{1,${chargeDecimals}}))?$`)

/** Undefined if the text is not an amount. */
export const parseAmount = (text: string, times: number): Amount | undefined => {
  const [, whole, fraction = ''] = short.exec(text) ?? []
  if (whole !== undefined) {
    const digits = whole + fraction.padEnd(chargeDecimals, '0')
    return { scaled: BigInt(digits) * BigInt(times), rest: zero }
  }
  const value = parseDecimal(text)
  return value && { scaled: 0n, rest: value.times(decimal(String(times))) }
}

export const addAmounts = (one: Amount, other: Amount): Amount => ({
  scaled: one.scaled + other.scaled,
  rest: other.rest === zero ? one.rest : one.rest.plus(other.rest),
})

export const subtractAmount = (one: Amount, other: Amount): Amount => ({
  scaled: one.scaled - other.scaled,
  rest: other.rest === zero ? one.rest : one.rest.minus(other.rest),
})

export const toDecimal = ({ scaled, rest }: Amount): Decimal =>
  decimal(`${scaled}e-${chargeDecimals}`).plus(rest)
