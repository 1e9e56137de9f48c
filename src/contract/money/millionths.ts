// What counts against limits: integers of millionths. Amounts are rounded up, so that rounding never exceeds a limit.
// This file does not import decimal.ts, because it would load big.js with every journal.

const decimals = 6

/** Larger amounts count as much. It fits into an integer of 64 bits, and no limit is that high. */
export const tooLarge = 9n * 10n ** 18n
export const countableForm = 'below 9,000,000,000,000'

/** Undefined if the text is no amount that is written in full. */
export const toMillionths = (amount: string): bigint | undefined => {
  const [, whole, fraction = ''] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(amount) ?? []
  if (whole === undefined) return undefined
  const exact = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  const roundedUp = /[1-9]/.test(fraction.slice(decimals)) ? exact + 1n : exact
  return roundedUp < tooLarge ? roundedUp : tooLarge
}

/** Whether a limit can be this amount: it has at most six decimals. */
export const isLimit = (amount: string): boolean =>
  (toMillionths(amount) ?? tooLarge) < tooLarge && (amount.split('.')[1] ?? '').length <= decimals

/** As an exact amount. */
export const formatMillionths = (millionths: bigint): string => {
  const digits = String(millionths).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`)
}
