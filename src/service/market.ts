// Moves exchange rates each hour, so that a client that computes the price of an order itself gets a wrong one.
import { type Decimal, decimal } from '../contract/decimal.ts'
import type { Rate } from './catalogue.ts'
import { hashText } from './random.ts'

export const rateModes = ['moving', 'fixed'] as const
export type RateMode = (typeof rateModes)[number]

const hourMs = 3_600_000
// A prime number, so that the rate of a pair takes each level once before one repeats.
const levels = 29
// Two rates of consecutive hours differ by at least this number of levels, or 1.25 %.
const leastStep = 5
const one = decimal('1')
const levelSize = decimal('0.0025')
const significantDigits = 6

/** Returns the rate `elapsedMs` after the first order. It depends only on the time, the pair and the seed. */
export const moveRate = (rate: Rate, elapsedMs: number, seed: string): Rate => {
  const hour = Math.floor(Math.max(elapsedMs, 0) / hourMs)
  const level = findLevel(rate, hour, seed)
  if (level === 0) return rate
  return { ...rate, rate: applyLevel(rate.rate, level) }
}

const findLevel = ({ baseCurrency, targetCurrency }: Rate, hour: number, seed: string): number => {
  // A pair and its inverse move in opposite directions.
  const isOrdered = baseCurrency < targetCurrency
  const [first, second] = isOrdered ? [baseCurrency, targetCurrency] : [targetCurrency, baseCurrency]
  const step = leastStep + (hashText(`${seed}/rates/${first}/${second}`) % (levels - 2 * leastStep + 1))
  const level = ((hour % levels) * step) % levels
  const centred = level > levels / 2 ? level - levels : level
  return isOrdered ? centred : -centred
}

const applyLevel = (rate: Decimal, level: number): Decimal =>
  rate.times(one.plus(levelSize.times(decimal(String(level))))).prec(significantDigits)
