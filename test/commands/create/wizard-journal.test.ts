// create's questions where there is no catalogue: what this machine has ordered on the account is offered.
import path from 'node:path'
import { expect, test } from 'vitest'
import { overSocket } from '../../support/world.ts'
import { wizardDesk, wordsOf } from './wizard-desk.ts'

const { open, creating } = wizardDesk(overSocket)

const place = 'Enter'
const lines = (...products: string[]) => ['create', ...products.flatMap((each) => ['--product', each])]

/** A profile of the shop, with a product file. */
const withProducts = async (...list: object[]) => {
  const shop = await open()
  const env = { ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config') }
  const { ORDERCTL_BASE_URL = '', ORDERCTL_API_KEY = '' } = shop.environment
  const file = shop.file(JSON.stringify({ products: list }), 'products.json')
  const flags = ['--base-url', ORDERCTL_BASE_URL, '--wallet', 'USD', '--key-stdin', '--products', file]
  const added = await shop.run(['profile', 'add', 'shop', ...flags], { env, input: ORDERCTL_API_KEY })
  expect(added).toMatchObject({ exit: 0 })
  const create = (...answers: Parameters<typeof creating>[1]) =>
    creating(
      ['--profile', 'shop', '--wallet', 'USD'],
      [...answers, false, 'ref-1', place, false],
      { env },
      shop,
    )
  return { shop, create }
}

const coffee = { sku: 'COFFEE-US', name: 'Coffee', productType: 'range', currency: 'USD', min: 6, max: 9.5 }
const game = { sku: 'GAME-US', productType: 'fixed', currency: 'USD', quote: 25 }

test('what was ordered before stands first, with its amount, at the prices of now', async () => {
  const { create, shop } = await withProducts(game, coffee)
  expect(await create('COFFEE-US', '7', '')).toMatchObject({ exit: 0 })
  shop.file(JSON.stringify({ products: [game, { ...coffee, max: 50 }] }), 'products.json')
  // The reference is taken: nothing is sent.
  const ran = await create('', '', '')
  expect(ran).toMatchObject({ exit: 11, calls: 'create' })
  expect(ran.questions[1]).toBe('Amount of each (6 to 50 USD) (7)')
})

test("the profile's own wallet is used if no other is known", async () => {
  const shop = await open()
  const env = { ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config') }
  const { ORDERCTL_BASE_URL = '', ORDERCTL_API_KEY = '' } = shop.environment
  const added = ['profile', 'add', 'shop', '--base-url', ORDERCTL_BASE_URL, '--wallet', 'GBP', '--key-stdin']
  expect(await shop.run(added, { env, input: ORDERCTL_API_KEY })).toMatchObject({ exit: 0 })
  const answers = ['GAME-US', '25', 'fixed', '', false, 'ref-1', place, false]
  const ran = await creating(['--profile', 'shop'], answers, { env }, shop)
  expect(ran).toMatchObject({ exit: 0, sent: [{ wallet: 'GBP' }] })
  expect(wordsOf(ran.command)).toEqual([
    ...lines('GAME-US:25'),
    ...['--wallet', 'GBP', '--reference', 'ref-1', '--profile', 'shop'],
  ])
})

test("the product's currency is suggested, and neither a wallet that failed nor one that was never charged", async () => {
  const shop = await open()
  const order = (wallet: string, reference: string) =>
    shop.run(['create', '--product', 'GAME-US:25', '--wallet', wallet, '--reference', reference])
  expect(await order('GBP', 'r-1')).toMatchObject({ exit: 0 })
  expect(await order('EUR', 'r-2')).toMatchObject({ exit: 0 })
  expect(await order('AUD', 'r-3')).toMatchObject({ exit: 3 })
  const unsent = ['create', '--product', 'GAME-US:25', '--wallet', 'CHF', '--reference', 'r-4']
  const [host, key] = [shop.environment.ORDERCTL_BASE_URL ?? '', shop.environment.ORDERCTL_API_KEY ?? '']
  expect(await shop.run(unsent, { env: { ORDERCTL_BASE_URL: 'http://127.0.0.1:9' } })).toMatchObject({
    exit: 5,
  })
  // The last order that exists was paid from EUR.
  const given = ['--product', 'GAME-US:25', '--reference', 'r-5']
  expect(await creating(given, ['', place, false], {}, shop)).toMatchObject({ exit: 0 })
  const { questions, sent } = await creating(
    given.with(-1, 'r-6'),
    ['AUD', place, '', place, false],
    {},
    shop,
  )
  expect(sent.map((each) => (each as { wallet: string }).wallet).slice(4)).toEqual(['EUR', 'AUD', 'EUR'])
  expect(questions.filter((each) => each.startsWith('Wallet'))).toHaveLength(2)
  // With a product file, the currency of the product is known.
  const env = { ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config') }
  const file = shop.file(JSON.stringify({ products: [{ ...game, currency: 'GBP' }] }), 'products.json')
  const flags = ['--base-url', host, '--wallet', 'EUR', '--key-stdin', '--products', file]
  expect(await shop.run(['profile', 'add', 'shop', ...flags], { env, input: key })).toMatchObject({ exit: 0 })
  const named = ['--profile', 'shop', '--product', 'GAME-US:25']
  for (const wallet of ['GBP', 'EUR']) await shop.run(['create', ...named, '--wallet', wallet], { env })
  const ran = await creating(
    ['--profile', 'shop'],
    ['GAME-US', '', false, '', 'r-7', place, false],
    { env },
    shop,
  )
  expect(ran.sent.at(-1)).toMatchObject({ wallet: 'GBP', reference: 'r-7' })
})
