// create's questions where there is no catalogue: what this machine has ordered on the account is offered.
import path from 'node:path'
import { expect, test } from 'vitest'
import { overSocket } from '../support/customer.ts'
import { wizardDesk, wordsOf } from '../support/wizard-desk.ts'

const { open, creating } = wizardDesk(overSocket)

const place = 'place it'
const lines = (...products: string[]) => ['create', ...products.flatMap((each) => ['--product', each])]

test('what was ordered from here is offered, with its type and what it cost; the rest may be typed', async () => {
  const shop = await open()
  const bodies: unknown[] = []
  shop.arrived.on('create', ({ body }) => bodies.push(JSON.parse(body)))
  const first = await creating(
    [],
    ['COFFEE-US', '12.50', 'range', '2', false, 'EUR', 'ref-1', place, false],
    {},
    shop,
  )
  expect(first).toMatchObject({
    exit: 0,
    questions: expect.arrayContaining(['Amount of each', 'How many, 1 to 5 (1)']),
  })
  expect(wordsOf(first.command)).toEqual([
    ...lines('COFFEE-US:12.50x2/range'),
    ...['--wallet', 'EUR', '--reference', 'ref-1'],
  ])
  const second = await creating([], ['', '', '', false, '', 'ref-2', place, false], {}, shop)
  expect(second.questions.slice(0, 3)).toEqual(['Product', 'Amount of each (12.5)', 'How many, 1 to 5 (1)'])
  const productList = [{ sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 }]
  expect(bodies).toEqual([
    { productList: [{ ...productList[0], quantity: 2 }], wallet: 'EUR', reference: 'ref-1' },
    { productList, wallet: 'EUR', reference: 'ref-2' },
  ])
})

test('where the answer to create is lost, no command is said that would order again', async () => {
  const shop = await open()
  await shop.fault('create:reset-after')
  const answers = ['GAME-US', '25', 'fixed', '', false, 'USD', 'ref-1', place]
  expect(await creating([], answers, {}, shop)).toMatchObject({ exit: 6, command: '' })
})

test("the profile's own wallet is what Enter says", async () => {
  const shop = await open()
  const env = { ORDERCTL_CONFIG_DIR: path.join(shop.home, 'config') }
  const { ORDERCTL_BASE_URL = '', ORDERCTL_API_KEY = '' } = shop.environment
  const added = ['profile', 'add', 'shop', '--base-url', ORDERCTL_BASE_URL, '--wallet', 'GBP', '--key-stdin']
  expect(await shop.run(added, { env, input: ORDERCTL_API_KEY })).toMatchObject({ exit: 0 })
  const answers = ['GAME-US', '25', 'fixed', '', false, '', 'ref-1', place, false]
  const ran = await creating(['--profile', 'shop'], answers, { env }, shop)
  expect(ran).toMatchObject({ exit: 0, sent: [{ wallet: 'GBP' }] })
  expect(wordsOf(ran.command)).toEqual([
    ...lines('GAME-US:25'),
    ...['--wallet', 'GBP', '--reference', 'ref-1', '--profile', 'shop'],
  ])
})
