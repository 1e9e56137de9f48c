// create: an order that is too big for one order. The error names the batch that buys it.
import { expect, test } from 'vitest'
import { openWorld, overSocket } from '../../support/world.ts'

const limit = 'one order holds at most 5 products, 5 of each and 25 in all; nothing was sent'
const batch = 'orderctl batch run'

const refusal = (violations: readonly string[], then: string) => ({
  exit: 2,
  stdout: '',
  stderr: `error: ${limit}\n${violations.map((each) => `  ${each}\n`).join('')}${then}\n`,
})

const products = (count: number, quantity: number): string =>
  Array.from({ length: count }, (_, index) => `--product SKU-${index + 1}:25x${quantity}`).join(' ')

const lines = '--product is 6 lines; allowed: at most 5 SKUs in one order'
const units = '--product is 30 units in all; allowed: at most 25 units in one order'
const seven = '--product GAME-US:25x7, quantity is 7; allowed: a whole number from 1 to 5'

test.each([
  ['seven of one', '--product GAME-US:25x7', [seven], '--product GAME-US:25x7'],
  ['six products', products(6, 1), [lines], products(6, 1).replaceAll('x1', '')],
  ['thirty units', products(6, 5), [lines, units], products(6, 5)],
])('%s', async (_, words, violations, suggested) => {
  // The sandbox would refuse the SKUs, too.
  const shop = await openWorld(overSocket)
  const then = `try: ${batch} ${suggested} --wallet USD`
  expect(await shop.run(['create', ...words.split(' '), '--wallet', 'USD'])).toEqual(
    refusal(violations, then),
  )
})

test('other flags', async () => {
  const shop = await openWorld(overSocket)
  const words = '--wallet EUR --timeout 20s --confirm --max-total 200.0'.split(' ')
  const odd = ['--product', "it's:25x6/range", '--reference', 'for Ann']
  const violations = ["--product it's:25x6/range, quantity is 6; allowed: a whole number from 1 to 5"]
  const then = `try: ${batch} --product 'it'\\''s:25x6/range' --wallet EUR --name 'for Ann' --max-total 200`
  expect(await shop.run(['create', ...odd, ...words])).toEqual(refusal(violations, then))
})

test('an order file', async () => {
  const shop = await openWorld()
  const file = {
    productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 6 }],
    wallet: 'EUR',
    reference: 'r',
  }
  const violations = ['productList[0].quantity is 6; allowed: a whole number from 1 to 5']
  const then = `Put the products into a CSV file with the columns sku, quote and quantity, and buy it with batch run.`
  expect(await shop.run(['create', '-'], { input: JSON.stringify(file) })).toEqual(refusal(violations, then))
})

test('with another mistake, a batch would not help', async () => {
  const shop = await openWorld()
  const { stderr } = await shop.run(['create', '--product', 'GAME-US:25x7', '--wallet', 'U'])
  expect(stderr).toContain('error: the order is not valid; nothing was sent')
  expect(stderr).toContain('try: orderctl create --help')
})

test('the suggested command plans the same products', async () => {
  const shop = await openWorld()
  const { stderr } = await shop.run(['create', '--product', 'GAME-US:25x7', '--wallet', 'USD'])
  const words = /try: orderctl batch run (.*)$/m.exec(stderr)?.[1]?.split(' ') ?? []
  const { exit, stdout } = await shop.run(['batch', 'plan', ...words, '--json'])
  expect({ exit, plan: JSON.parse(stdout) }).toMatchObject({
    exit: 0,
    plan: { rows: 1, orders: 2, wallet: 'USD', cards: { ordered: 7 } },
  })
})
