// Exact decimals: an amount is never a float. What counts against limits are integers of millionths, rounded up, so that
// rounding never exceeds a limit.

import Big from 'big.js'

// In strict mode, big.js accepts text but no floats.
const Decimal = Big()
Decimal.strict = true
Decimal.RM = Big.roundHalfUp

export type Decimal = Big

export const zero: Decimal = new Decimal('0')

/** Of an amount that is written in full. The journal checks it with a constraint. */
const maxLength = 60

/** Returns undefined if the text is not a number, or too long for an amount. */
export const parseDecimal = (text: string): Decimal | undefined => {
  if (text.length > maxLength || !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text)) return undefined
  const value = new Decimal(text)
  if (!/e/i.test(text)) return value
  // 1e999 is valid JSON, but written in full it would use too much memory.
  return Math.abs(value.e) < maxLength && value.toFixed().length <= maxLength ? value : undefined
}

/** For numbers in orderctl's own code and data. */
export const decimal = (text: string): Decimal => {
  const value = parseDecimal(text)
  if (value === undefined) throw new RangeError(`not a decimal: ${text}`)
  return value
}

export const isDecimal = (value: unknown): value is Decimal => value instanceof Decimal

// TypeScript's library types do not have it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

// big.js would write itself as a quoted string. A replacer for JSON.stringify would cost five times as much.
Object.defineProperty(Decimal.prototype, 'toJSON', {
  value: function (this: Decimal) {
    return rawJSON(this.toFixed())
  },
})

export const formatDecimal = (value: Decimal): string => value.toFixed()

// Ignores the locale: '1.234' must mean the same to everyone who reads a ticket. Not Intl.NumberFormat: creating one
// takes longer than the rest of a command.
export const groupDigits = (value: Decimal, minDigits: number): string => {
  const text = formatDecimal(value)
  const [whole = '', given = ''] = text.replace('-', '').split('.')
  const digits = given.padEnd(minDigits, '0')
  // A negative zero has no sign.
  const sign = value.lt(zero) ? '-' : ''
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${digits === '' ? '' : `.${digits}`}`
}

/** For people: `1,234.50 USD`, with all minor digits of the currency. Exact: no floats, no rounding. */
export const formatAmount = (value: Decimal, currency: string): string =>
  `${groupDigits(value, getMinorDigits(currency))} ${currency}`

export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = zero
  for (const value of values) total = total.plus(value)
  return total
}

// The currencies of ISO 4217 (2026) that do not have 2 digits. Intl is not used, because its first use of each currency
// takes a millisecond. Also, stored minor units must not change their meaning with the Node version.
const otherDigits = new Map<string, number>()
for (const [digits, currencies] of [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const) {
  for (const currency of currencies.split(' ')) otherDigits.set(currency, digits)
}

/** The currency's number of minor digits (JPY 0, KWD 3); 2 if the currency is unknown. */
export const getMinorDigits = (currency: string): number => otherDigits.get(currency) ?? 2

/** Limits have at most six decimals. */
export const roundUpToLimit = (value: Decimal): Decimal => value.round(6, Big.roundUp)

export const roundTo = (currency: string, value: Decimal): Decimal => value.round(getMinorDigits(currency))

/** For databases, which have integers but no decimals. */
export const toMinor = (currency: string, value: Decimal): number => {
  const minor = Number(value.times(new Decimal(`1e${getMinorDigits(currency)}`)).toFixed())
  if (!Number.isSafeInteger(minor))
    throw new RangeError(`not a whole number of minor units: ${value.toFixed()} ${currency}`)
  return minor
}

export const fromMinor = (currency: string, minor: number): Decimal =>
  new Decimal(`${minor}e-${getMinorDigits(currency)}`)

const decimals = 6

/** Larger amounts count as much. It fits into an integer of 64 bits, and no limit is that high. */
export const uncountable = 9n * 10n ** 18n
export const countableForm = 'below 9,000,000,000,000'

/** Undefined if the text is no amount that is written in full. */
export const toMillionths = (amount: string): bigint | undefined => {
  const [, whole, fraction = ''] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(amount) ?? []
  if (whole === undefined) return undefined
  const exact = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  const roundedUp = /[1-9]/.test(fraction.slice(decimals)) ? exact + 1n : exact
  return roundedUp < uncountable ? roundedUp : uncountable
}

/** Whether a limit can be this amount: it has at most six decimals. */
export const isLimit = (amount: string): boolean =>
  (toMillionths(amount) ?? uncountable) < uncountable && (amount.split('.')[1] ?? '').length <= decimals

/** An exact amount, so that the amounts that count against it can be added up as integers. */
export const parseLimit = (text: string): Decimal | undefined => {
  const limit = parseDecimal(text)
  return limit !== undefined && isLimit(formatDecimal(limit)) ? limit : undefined
}

/** As an exact amount. */
export const formatMillionths = (millionths: bigint): string => {
  const digits = String(millionths).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`)
}
