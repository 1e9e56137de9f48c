// Exact decimals: an amount is never a float, from the wire to the screen.
import Big from 'big.js'

// Strict: a float cannot slip in, only text can.
const Decimal = Big()
Decimal.strict = true
Decimal.RM = Big.roundHalfUp

export type Decimal = Big

export const zero: Decimal = new Decimal('0')

const maxTextLength = 60
const maxExponent = 30

/** The decimal that a number's text stands for, or undefined where it is no sane amount. */
export const parseDecimal = (text: string): Decimal | undefined => {
  if (text.length > maxTextLength || !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text))
    return undefined
  const value = new Decimal(text)
  // 1e999 is legal JSON; written out it would fill the memory.
  return Math.abs(value.e) > maxExponent ? undefined : value
}

/** For numbers that stand in our own code and data. */
export const decimal = (text: string): Decimal => {
  const value = parseDecimal(text)
  if (value === undefined) throw new RangeError(`not a decimal: ${text}`)
  return value
}

export const isDecimal = (value: unknown): value is Decimal => value instanceof Decimal

// The standard library's types do not know it yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

// big.js would write itself as a text in quotes. A replacer could mend that, at five times the cost.
Object.defineProperty(Decimal.prototype, 'toJSON', {
  value: function (this: Decimal) {
    return rawJSON(this.toFixed())
  },
})

export const decimalText = (value: Decimal): string => value.toFixed()

/** With all the digits of its currency: 25.00 USD. */
export const amountText = (value: Decimal, currency: string): string => {
  const text = decimalText(value)
  const digits = Math.max(minorDigits(currency), text.split('.')[1]?.length ?? 0)
  return `${value.toFixed(digits)} ${currency}`
}

export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = zero
  for (const value of values) total = total.plus(value)
  return total
}

// ISO 4217, as of 2026, where it is not 2. Not from Intl: what is stored in minor units must not change its
// meaning with the Node that reads it, and each first use there takes a millisecond.
const otherDigits = new Map<string, number>()
for (const [digits, currencies] of [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
] as const) {
  for (const currency of currencies.split(' ')) otherDigits.set(currency, digits)
}

/** The currency's own minor units (JPY 0, KWD 3); 2 where nobody knows it. */
export const minorDigits = (currency: string): number => otherDigits.get(currency) ?? 2

export const roundTo = (currency: string, value: Decimal): Decimal => value.round(minorDigits(currency))

/** A whole number of minor units, for a database that has integers and no decimals. */
export const toMinor = (currency: string, value: Decimal): number => {
  const minor = Number(value.times(new Decimal(`1e${minorDigits(currency)}`)).toFixed())
  if (!Number.isSafeInteger(minor))
    throw new RangeError(`not a whole number of minor units: ${value.toFixed()} ${currency}`)
  return minor
}

export const fromMinor = (currency: string, minor: number): Decimal =>
  new Decimal(`${minor}e-${minorDigits(currency)}`)
