// A report's amounts are exactly those that have left the service's wallets.
import { expect, test } from 'vitest'
import { isAllRun } from '../support/cases.ts'
import { openWorld, overSocketUnhurried } from '../support/world.ts'

type Row = {
  readonly currency: string
  readonly charged: number
  readonly partialOrderCount: number
}
type Wallet = { readonly currency: string; readonly opening: number; readonly balance: number }

const wallets = isAllRun ? ['USD', 'EUR', 'GBP', 'JPY'] : ['USD', 'JPY']
/** With 0, 2 and 3 minor digits, fixed and chosen amounts. */
const products = [
  ...['GAME-US:25x2', 'MUSIC-KW:2.75', 'MUSIC-FR:10.99x3', 'MOBILE-KR:20000', 'FOOD-BR:20.35/range'],
  'TEST-FAIL:10',
]

const round = (amount: number): number => Math.round(amount * 100) / 100

test('a report shows what left the wallets, also after lost responses and refunds', async () => {
  const shop = await openWorld(overSocketUnhurried)
  for (const [at, product] of products.entries()) {
    for (const [index, wallet] of wallets.entries()) {
      if ((at + index) % 3 === 0) await shop.fault('confirm:reset-after')
      const bought = ['--product', product, '--product', 'SHOE-GB:10.37/range', '--wallet', wallet]
      await shop.must('create', ...bought, '--confirm')
    }
  }
  const { data } = await shop.calls.mock('GET', '/state')
  const left = (data.wallets as Wallet[])
    .filter(({ currency }) => wallets.includes(currency))
    .map(({ currency, opening, balance }) => [currency, round(opening - balance)])
  const report = async (key: string): Promise<Row[]> => (await shop.asks(['report', '--by', key])).data.rows
  const sumCharged = (rows: readonly Row[]) =>
    [...Map.groupBy(rows, ({ currency }) => currency)]
      .map(([currency, all]) => [currency, round(all.reduce((sum, { charged }) => sum + charged, 0))])
      .toSorted()
  expect(sumCharged(await report('profile'))).toEqual(left)
  expect(sumCharged(await report('product'))).toEqual(left)
  await shop.advance('2h')
  await shop.must('reconcile')
  const rows = await report('profile')
  expect(sumCharged(rows)).toEqual(left)
  expect(rows.map(({ partialOrderCount }) => partialOrderCount > 0)).toEqual(wallets.map(() => true))
})
