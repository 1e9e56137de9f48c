// Exchange rates that move each hour, and orders that keep theirs.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { type Decimal, decimal, roundTo, sum } from '../../src/contract/money/decimal.ts'
import { createResponse } from '../../src/contract/schemas.ts'
import { builtInCatalogue, type Rate } from '../../src/service/catalogue.ts'
import { moveRate } from '../../src/service/pricing.ts'
import { line, openService, ways } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'

const { rates } = builtInCatalogue()
const hourMs = 3_600_000
const minuteMs = 60_000

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

type Service = Awaited<ReturnType<typeof openService>>

const readMarketRate = async (service: Service): Promise<Decimal> => {
  const { text } = await service.mock('GET', '/rates')
  const found = (readJson(text) as Rate[]).find(
    ({ baseCurrency, targetCurrency }) => baseCurrency === 'EUR' && targetCurrency === 'USD',
  )
  if (found === undefined) throw new Error(text)
  return decimal(String(found.rate))
}

/** Creates an order of 2 x 20 EUR and a fee of 2.5 %, from the wallet USD. */
const createOrder = async (service: Service) => {
  const { text } = await service.create([line('GAME-DE', { quantity: 2 })])
  return readValid(createResponse, readJson(text)).data
}

/** The total that a client gets if it computes the total again instead of reading it. */
const reprice = (rate: Decimal): Decimal => roundTo('USD', decimal('41').times(rate))

describe.each(ways)('an order %s', (_name, way) => {
  test('keeps its rates and its total if the market moves before it is confirmed', async () => {
    await using service = await openService({ way })
    await createOrder(service)
    service.clock.advance(55 * minuteMs)
    const order = await createOrder(service)
    const atCreation = await readMarketRate(service)
    expect(String(reprice(atCreation))).toBe(String(order.invoice.total))

    service.clock.advance(6 * minuteMs)
    const now = await readMarketRate(service)
    const repriced = reprice(now)
    expect(String(repriced)).not.toBe(String(order.invoice.total))

    const before = decimal(String(await service.balance('USD')))
    expect((await service.confirm(order.id)).status).toBe(200)
    const charged = before.minus(decimal(String(await service.balance('USD'))))
    expect(String(charged)).toBe(String(order.invoice.total))

    const { data } = await service.get(order.id)
    expect(data.exchangeRates).toMatchObject([{ rate: Number(atCreation.toFixed()) }])
    expect(data.invoice.total).toBe(Number(order.invoice.total.toFixed()))

    const next = await createOrder(service)
    expect(next.exchangeRates?.map(({ rate }) => String(rate))).toEqual([String(now)])
    expect(String(next.invoice.total)).toBe(String(repriced))
    for (const { items } of next.invoice.records)
      expect(
        String(
          sum(items.filter(({ effect }) => effect.currency === 'EUR').map(({ effect }) => effect.amount)),
        ),
      ).toBe('0')
  })

  test('has the rates of the catalogue at any time if rates are fixed', async () => {
    await using service = await openService({ way, rates: 'fixed' })
    const first = await createOrder(service)
    service.clock.advance(5 * hourMs)
    expect((await createOrder(service)).invoice.total).toEqual(first.invoice.total)
    expect(String(await readMarketRate(service))).toBe('1.0842')
  })

  test('is the first of a new market after a reset', async () => {
    await using service = await openService({ way })
    await createOrder(service)
    await service.mock('POST', '/clock', { advance: '90m' })
    expect(String(await readMarketRate(service))).not.toBe('1.0842')
    await service.mock('POST', '/reset')
    expect(String(await readMarketRate(service))).toBe('1.0842')
  })
})
