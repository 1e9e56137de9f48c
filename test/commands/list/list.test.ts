// list: the orders of the journal, newest first, and its filters.
import { describe, expect, test } from 'vitest'
import { openWorld, order, overNetwork, type World } from '../../support/world.ts'

/** A confirmed order, a refused order and a created order, a second apart. */
const filled = async () => {
  const shop = await openWorld(overNetwork)
  const first = await shop.id(...order, '--confirm')
  shop.clock.pass(1_000)
  await shop.runIn(['create', '--product', 'NOBODY:1', '--wallet', 'EUR', '--reference', 'po-2'])
  shop.clock.pass(1_000)
  const words = ['create', '--product', 'GAME-JP:3000', '--wallet', 'JPY', '--reference', 'po-3']
  return { shop, first, last: await shop.id(...words) }
}

const listed = async (shop: World, ...flags: string[]): Promise<Record<string, unknown>[]> =>
  JSON.parse(await shop.must('list', '--json', ...flags))

test('is a table, newest first, and makes no call', async () => {
  const { shop } = await filled()
  const { exit, stdout, stderr } = await shop.runIn(['list'])
  expect({
    exit,
    stderr,
    stdout: `\n${stdout.replace(/sbx_\w{16}/g, 'sbx_1234567890abcdef')}`,
  }).toMatchInlineSnapshot(`
    {
      "exit": 0,
      "stderr": "1 attempt that never became an order is hidden. Show it: orderctl list --all
    ",
      "stdout": "
    ORDER                 REFERENCE  STATE        PRODUCTS              TOTAL  AGE  PROFILE
    ───────────────────────────────────────────────────────────────────────────────────────────
    sbx_1234567890abcdef  po-3       ○ created    1 × GAME-JP 3000  2,970 JPY  0 s  environment
    sbx_1234567890abcdef  po-1       … confirmed  1 × GAME-US 25    25.00 USD  2 s  environment
    ",
    }
  `)
  // The one before the confirm, and the one after it.
  expect(shop.sent('get')).toBe(2)
})

test('prints every field with --json', async () => {
  const { shop, last } = await filled()
  const [newest] = await listed(shop)
  expect(newest).toEqual({
    id: last,
    reference: 'po-3',
    ...{ state: 'created', standing: 'pending', serviceState: null, result: null },
    ...{ money: 'unspent', progress: 'waiting' },
    profile: 'environment',
    origin: 'https://orders.example',
    wallet: 'JPY',
    total: 2970,
    products: [{ sku: 'GAME-JP', productType: 'fixed', quote: 3000, quantity: 1 }],
    placedAt: '2026-03-01T12:00:02.000Z',
    confirmedAt: null,
    changedAt: '2026-03-01T12:00:02.000Z',
    expiresAt: '2026-03-01T12:10:02.000Z',
    batch: null,
    by: { role: null, user: 'tester', host: 'desk', writtenBy: null },
    placedWith: null,
    stale: false,
  })
})

test.each([
  ['--state refused', 'po-2'],
  ['--unfinished', 'po-3 po-1'],
  ['--reference po-1', 'po-1'],
  ['--all', 'po-3 po-2 po-1'],
  ['--since 0', 'po-3'],
  ['--since 1s', 'po-3'],
  ['--since 2w', 'po-3 po-1'],
  ['--since 2026-03-01', 'po-3 po-1'],
  ['--since 2026-03-01T12:00:01Z', 'po-3'],
  ['--since 9999-12-31T23:00Z', ''],
  ['--limit 1', 'po-3'],
  ['--profile sandbox', ''],
])('%s lists %j', async (flags, references) => {
  const { shop } = await filled()
  const orders = await listed(shop, ...flags.split(' '))
  expect(orders.map(({ reference }) => reference).join(' ')).toBe(references)
})

test('--refresh reads the orders that are not final', async () => {
  const { shop, first } = await filled()
  await shop.calls.mock('POST', '/clock', { advance: '5s' })
  expect(await listed(shop, '--reference', 'po-1')).toMatchObject([{ state: 'confirmed' }])
  expect(await listed(shop, '--reference', 'po-1', '--refresh')).toMatchObject([
    { id: first, state: 'successful' },
  ])
})

test('--refresh lists the orders of an account that is not set, and warns', async () => {
  const { shop, first, last } = await filled()
  const env = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const { exit, stdout, stderr } = await shop.runIn(['list', '--refresh', '-q'], { env })
  expect({ exit, stdout }).toEqual({ exit: 4, stdout: `${last}\n${first}\n` })
  expect(stderr).toMatch(/^warning: the orders of environment were not refreshed: /)
})

test('a field that no order has is an error, even without orders', async () => {
  const shop = await openWorld(overNetwork)
  expect(await shop.asks(['list', '--fields', 'state,orderId'])).toMatchObject({
    exit: 2,
    error: {
      message: "--fields: no field 'orderId'",
      advice: expect.stringContaining('Choose from: id, ref'),
    },
  })
})

test('says that no order matches', async () => {
  const shop = await openWorld(overNetwork)
  expect(await shop.runIn(['list'])).toMatchObject({ exit: 0, stdout: '', stderr: 'No matching orders\n' })
  expect(await listed(shop)).toEqual([])
})

describe('sandbox and real orders never stand in one table', () => {
  const openBoth = async () => {
    const shop = await openWorld(overNetwork)
    const real = await shop.id(...order)
    const unset = { ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
    const { stdout } = await shop.run([...order, '--profile', 'sandbox', '-q'], { env: unset })
    return { shop, real, trial: stdout.trim(), unset }
  }

  test('the account in use decides, and a note names the other', async () => {
    const { shop, real, trial, unset } = await openBoth()
    const listed = await shop.run(['list'])
    expect(listed.stdout).toContain(real)
    expect(listed.stdout).not.toContain(trial)
    expect(listed.stderr).toBe('Sandbox orders are not listed. Show them: orderctl list --profile sandbox\n')
    const env = { ...unset, ORDERCTL_PROFILE: 'sandbox' }
    const tried = await shop.run(['list'], { env })
    expect(tried.stdout).toContain(trial)
    expect(tried.stdout).not.toContain(real)
    expect(tried.stderr).toBe(
      'Orders of environment are not listed. Show them: orderctl list --profile environment\n',
    )
    expect(await shop.must('list', '-q', '--profile', 'sandbox')).toBe(`${trial}\n`)
  })

  test('without a profile in use, no order of the sandbox is listed', async () => {
    const { shop, real, unset } = await openBoth()
    expect(await shop.run(['list', '-q'], { env: unset })).toEqual({
      exit: 0,
      stdout: `${real}\n`,
      stderr: '',
    })
  })
})

test('--until includes its day', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  const today = new Date(shop.clock.now()).toISOString().slice(0, 10)
  const yesterday = new Date(shop.clock.now() - 86_400_000).toISOString().slice(0, 10)
  const env = { TZ: 'UTC' }
  expect(await shop.run(['list', '-q', '--until', today], { env })).toMatchObject({ stdout: `${id}\n` })
  expect(await shop.run(['list', '-q', '--until', yesterday], { env })).toMatchObject({ stdout: '' })
})

test('--csv has a line for each order, with every column', async () => {
  const { shop, first } = await filled()
  const { exit, stdout } = await shop.run(['list', '--csv', '--state', 'confirmed'])
  expect(exit).toBe(0)
  const [head, line, end] = stdout.split('\r\n')
  expect(head?.replaceAll('"', '')).toBe(
    'order,reference,state,products,amount,currency,person,placed,confirmed,profile',
  )
  const day = '\\d{4}-\\d\\d-\\d\\dT[^"]+Z'
  expect(line).toMatch(
    new RegExp(
      `^"${first}","po-1","confirmed","1 × GAME-US 25","25","USD","[^"]+","${day}","${day}","environment"$`,
    ),
  )
  expect(end).toBe('')
})
