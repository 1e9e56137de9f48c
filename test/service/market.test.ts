// Exchange rates that move each hour, and orders that keep theirs.
import { describe, expect, test } from 'vitest'
import { builtInCatalogue, type Rate } from '../../src/service/catalogue.ts'
import { moveRate } from '../../src/service/pricing.ts'
import { openService, ways } from '../support/embedded.ts'
import { testHistories } from './histories.ts'

const { rates } = builtInCatalogue()
const hourMs = 3_600_000

const findRatio = (rate: Rate, hour: number, seed = 'a'): number =>
  Number(moveRate(rate, hour * hourMs, seed).rate.toFixed()) / Number(rate.rate.toFixed())

describe('a rate', () => {
  test('is that of the catalogue for one hour', () => {
    expect(rates.map((rate) => moveRate(rate, hourMs - 1, 'a'))).toEqual(rates)
    expect(rates.map((rate) => moveRate(rate, -hourMs, 'a'))).toEqual(rates)
  })

  test.each(['a', 'b', 'demo'])(
    'changes each hour by more than 1 %, and stays within 4 % (seed %s)',
    (seed) => {
      for (const rate of rates) {
        const ratios = Array.from({ length: 60 }, (_, hour) => findRatio(rate, hour, seed))
        for (const [hour, ratio] of ratios.entries()) {
          expect(Math.abs(ratio - 1)).toBeLessThan(0.04)
          expect(Math.abs(ratio - (ratios[hour - 1] ?? 0))).toBeGreaterThan(0.01)
        }
        expect(new Set(ratios.slice(0, 29)).size).toBe(29)
      }
    },
  )

  test('has at most six digits, and depends only on the seed, the pair and the time', () => {
    const [rate] = rates as [Rate]
    const moved = moveRate(rate, 5 * hourMs, 'a')
    expect(moved.rate.c.length).toBeLessThanOrEqual(6)
    expect(moveRate(rate, 6 * hourMs - 1, 'a')).toEqual(moved)
    const seeds = Array.from({ length: 20 }, (_, seed) => findRatio(rate, 5, String(seed)))
    expect(new Set(seeds).size).toBeGreaterThan(5)
  })

  test('rises if its inverse falls', () => {
    const findPair = (base: string, target: string) =>
      rates.find(
        ({ baseCurrency, targetCurrency }) => baseCurrency === base && targetCurrency === target,
      ) as Rate
    for (let hour = 1; hour < 29; hour += 1)
      expect(findRatio(findPair('EUR', 'USD'), hour) > 1).toBe(findRatio(findPair('USD', 'EUR'), hour) < 1)
  })
})

// An order of 2 x 20 EUR with a fee of 2.5 % costs 41 EUR.
describe.each(ways)('an order %s', (_name, way) => {
  testHistories(
    `
== keeps its rates and its total if the market moves before it is confirmed
  create GAME-DE x2; advance 55m; market EUR USD → 1.0842; create GAME-DE x2; get 2 invoice.total → 44.45
  advance 6m; market EUR USD → 1.0571; balance USD → 1000000; confirm 2 → 200; balance USD → 999955.55
  get 2 exchangeRates.0.rate → 1.0842; get 2 invoice.total → 44.45
  create GAME-DE x2; get 3 exchangeRates.0.rate → 1.0571; get 3 invoice.total → 43.34
== is the first of a new market after a reset
  create GAME-DE; clock 90m; market EUR USD → 1.0571; reset; market EUR USD → 1.0842
`,
    () => openService({ way }),
    (service) => ({
      market: async (pair) => {
        const { data } = await service.mock('GET', '/rates')
        return data.find((each: Rate) => `${each.baseCurrency} ${each.targetCurrency}` === pair).rate
      },
    }),
  )

  testHistories(
    `
== has the rates of the catalogue at any time if rates are fixed
  create GAME-DE x2; get 1 invoice.total → 44.45
  advance 5h; create GAME-DE x2; get 2 invoice.total → 44.45
`,
    () => openService({ way, rates: 'fixed' }),
  )
})
