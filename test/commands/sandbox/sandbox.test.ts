// sandbox: the built-in service, which needs no account.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'

const order = ['create', '--product', 'GAME-US:25x2', '--wallet', 'USD', '--reference', 'ref-1']

test('shows products, wallets and the newest orders', async () => {
  const { must } = await openWorld()
  const id = (await must(...order, '-q')).trim()
  const screen = await must('sandbox')
  expect(screen).toMatch(/^Products\nSKU /)
  expect(screen).toContain(`\n${id}  ref-1      ○ created  50.00 USD\n`)
  const document = JSON.parse(await must('sandbox', '--json'))
  expect(document.orders).toMatchObject([{ id, reference: 'ref-1', state: 'created', total: 50 }])
  expect(document.wallets[0]).toEqual({ currency: 'AUD', opening: 10, balance: 10 })
  expect(document.products[0]).toMatchObject({ sku: 'GAME-US', quote: 25 })
})

test('charges its wallets; reset refunds them and deletes the orders, but not those of an account', async () => {
  const { must, does, run } = await openWorld()
  const dollars = async () =>
    JSON.parse(await must('sandbox', '--json')).wallets.find(
      ({ currency }: { currency: string }) => currency === 'USD',
    )
  const id = (await must(...order, '--confirm', '-q')).trim()
  expect(await dollars()).toEqual({ currency: 'USD', opening: 1_000_000, balance: 999_950 })
  expect((await run(['get', id])).exit).toBe(0)
  const elsewhere = { env: { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'key' } }
  expect((await run(order, elsewhere)).exit).toBe(5)
  expect(await does('sandbox', 'reset')).toEqual({ exit: 0, stdout: 'The sandbox was reset.\n', stderr: '' })
  expect(await dollars()).toEqual({ currency: 'USD', opening: 1_000_000, balance: 1_000_000 })
  expect((await run(['get', id, '--profile', 'sandbox'])).exit).toBe(3)
  const listed = JSON.parse(await must('list', '--all', '--json'))
  expect(listed.map(({ profile }: { profile: string }) => profile)).toEqual(['environment'])
})

test('advance moves its clock', async () => {
  const { does, must } = await openWorld()
  expect(await does('sandbox', 'advance', '11m')).toEqual({
    exit: 0,
    stdout: "The sandbox's clock is now at an ISO time.\n",
    stderr: '',
  })
  expect(JSON.parse(await must('sandbox', 'reset', '--json'))).toEqual({ reset: true })
  expect(JSON.parse(await must('sandbox', 'advance', '11m', '--json'))).toEqual({
    now: expect.stringMatching(/Z$/),
    clockOffsetMs: 660_000,
  })
})

test('a command that may spend says that it uses the sandbox', async () => {
  const { run } = await openWorld()
  const account = { env: { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'key' } }
  for (const ran of [
    await run(order),
    await run([...order, '--profile', 'sandbox', '--allow-duplicate'], account),
  ])
    expect(ran).toMatchObject({ exit: 0, stderr: 'Using the sandbox: no real money\n' })
})
