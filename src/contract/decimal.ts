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

export const decimalText = (value: Decimal): string => value.toFixed()

export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = zero
  for (const value of values) total = total.plus(value)
  return total
}

const digitsByCurrency = new Map<string, number>()

/** The currency's own minor units (JPY 0, KWD 3); 2 where nobody knows it. */
export const minorDigits = (currency: string): number => {
  let digits = digitsByCurrency.get(currency)
  if (digits === undefined) {
    digits = /^[A-Z]{3}$/.test(currency)
      ? (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
          .maximumFractionDigits ?? 2)
      : 2
    digitsByCurrency.set(currency, digits)
  }
  return digits
}

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
