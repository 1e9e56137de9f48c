// profile limits: budgets that are set, shown and removed, and what they prevent.
import { describe, expect, test } from 'vitest'
import { openWorld, overSocketUnhurried, type Way } from '../../support/world.ts'

const open = async (way: Way = {}) => {
  const shop = await openWorld(way)
  const limits = (...words: string[]) => shop.run(['profile', 'limits', ...words])
  const readBudgets = async (...words: string[]) =>
    JSON.parse(await shop.must('profile', 'limits', ...words, '--json')).budgets
  const buy = (reference: string, ...words: string[]) =>
    shop.run([
      ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
      ...words,
    ])
  return { ...shop, limits, readBudgets, buy }
}

const utcMidnight = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/)
const budget = (fields: object) => ({
  ...{ per: 'day', currency: 'USD', amount: 60, spent: 0, left: 60 },
  ...{
    until: utcMidnight,
    role: null,
    account: null,
    setBy: expect.any(String),
    writtenBy: null,
    setAt: expect.any(String),
  },
  ...fields,
})

describe('profile limits', () => {
  test('shows that there is no budget, without a journal', async () => {
    const { limits, readBudgets } = await open()
    expect(await limits()).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'sandbox has no budget. To set one: orderctl profile limits sandbox --budget 500USD/day\n',
    })
    expect(await readBudgets('sandbox')).toEqual([])
  })

  test('sets, replaces, shows and removes budgets, and sends nothing', async () => {
    const { limits, readBudgets, asked } = await open()
    const set = await limits(...'--budget 500USD/month --budget 99.50EUR/order --budget 60USD/day'.split(' '))
    expect(set.stderr).toBe(
      'The budget of sandbox is now 500.00 USD per month\n' +
        'The budget of sandbox is now 99.50 EUR per order\n' +
        'The budget of sandbox is now 60.00 USD per day\n',
    )
    const lines = set.stdout.split('\n').map((each) => each.trim().replace(/\s{2,}/g, ' | '))
    const until = expect.stringMatching(
      /^60\.00 USD per day \| 0\.00 USD \| 60\.00 USD \| \d{4}-\d\d-\d\d 00:00 UTC$/,
    )
    expect(lines[0]).toBe('BUDGET | SPENT | LEFT | UNTIL')
    expect(lines.slice(2, 4)).toEqual(['99.50 EUR per order | – | 99.50 EUR | –', until])
    expect(set.stdout).toMatch(
      /\n\n99\.50 EUR per order: set by \w+, \d{4}-\d\d-\d\d \d\d:\d\d UTC\n60\.00 USD per day: /,
    )
    await limits('--budget', '1000USD/month')
    expect(await readBudgets()).toEqual([
      budget({ per: 'order', currency: 'EUR', amount: 99.5, spent: null, left: 99.5, until: null }),
      budget({}),
      budget({ per: 'month', amount: 1000, left: 1000 }),
    ])
    const removed = await limits('--remove-budget', 'month', '--remove-budget', 'EUR/order')
    expect(removed.stderr).toBe(
      'The budget of sandbox of 1,000.00 USD per month was removed\n' +
        'The budget of sandbox of 99.50 EUR per order was removed\n',
    )
    expect(await readBudgets()).toEqual([budget({})])
    expect(await asked()).toBe('')
  })

  test('a wrong removal leaves everything as it was', async () => {
    const { limits, readBudgets } = await open()
    await limits('--budget', '60USD/day')
    expect((await limits('--remove-budget', 'day', '--remove-budget', 'week')).exit).toBe(2)
    expect((await limits('--budget', '5USD/order', '--remove-budget', 'week')).exit).toBe(2)
    expect(await readBudgets()).toEqual([budget({})])
  })

  test('warns about a budget in another currency than the wallet of the profile', async () => {
    const { run } = await open()
    const add = ['profile', 'add', 'shop', '--base-url', 'https://orders.example.com', '--wallet', 'EUR']
    await run([...add, '--key-stdin', '--use'], { input: 'a-key-0123456789' })
    const { stderr } = await run(['profile', 'limits', 'shop', '--budget', '5USD/day'])
    expect(stderr).toContain(
      'warning: shop pays from EUR by default. This budget only limits orders that are paid from USD.\n',
    )
    expect((await run(['profile', 'limits', '--budget', '5EUR/day'])).stderr).not.toContain('warning')
  })

  test('an account shares its budgets between its profiles, and a declared one has its own', async () => {
    const { run, must } = await open()
    const profiles: [string, ...string[]][] = [
      ['shop'],
      ['same'],
      ['eu', '--account', 'eu'],
      ['us', '--account', 'us'],
    ]
    for (const [name, ...more] of profiles) {
      const words = ['profile', 'add', name, '--base-url', 'https://orders.example.com', '--key-stdin']
      await run([...words, ...more], { input: 'a-key-0123456789' })
    }
    await must('profile', 'limits', 'shop', '--budget', '60USD/day')
    await must('profile', 'limits', 'eu', '--budget', '40USD/day')
    const read = async (name: string) =>
      JSON.parse(await must('profile', 'limits', name, '--json')).budgets.map(
        (each: { amount: number; account: string | null }) => [each.amount, each.account],
      )
    const [whole, eu] = [
      [60, null],
      [40, 'eu'],
    ]
    expect(await read('same')).toEqual([whole, eu])
    expect((await read('eu')).toSorted()).toEqual([eu, whole])
    expect(await read('us')).toEqual([whole])
    expect(await must('profile', 'limits', 'eu')).toMatch(/UNTIL +ACCOUNT\n/)
    const refused = await run(['profile', 'limits', 'us', '--remove-budget', 'day'])
    expect(refused).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('belongs to the account without a name at this address'),
    })
    await must('profile', 'limits', 'same', '--remove-budget', 'day')
    expect(await read('shop')).toEqual([eu])
  })

  test('a budget that is lowered below what is spent has nothing left', async () => {
    const shop = await open()
    await shop.must('profile', 'limits', '--budget', '30USD/day')
    await shop.buy('a', '--confirm')
    await shop.must('profile', 'limits', '--budget', '10USD/day')
    expect(await shop.readBudgets()).toEqual([budget({ amount: 10, spent: 25, left: 0 })])
  })
})

describe('a budget', () => {
  test('refuses confirm and create --confirm with exit 12, and does not limit create', async () => {
    const { must, run, buy, calls } = await open(overSocketUnhurried)
    await must('profile', 'limits', '--budget', '60USD/day')
    expect((await buy('a', '--confirm')).exit).toBe(0)
    expect((await buy('b', '--confirm')).exit).toBe(0)
    const refused = await buy('c', '--confirm', '--json')
    expect([refused.exit, refused.stdout]).toEqual([12, ''])
    expect(refused.stderr).toContain('orderctl profile limits environment')
    expect(JSON.parse(refused.stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
      code: 'not-approved',
      message: expect.stringMatching(
        /60\.00 USD per day: 10\.00 USD is left until .* 00:00 UTC; it was not confirmed$/,
      ),
      budget: { per: 'day', currency: 'USD', amount: 60, left: 10, until: utcMidnight },
      retryable: false,
    })
    const created = await buy('d', '--json')
    expect(created.exit).toBe(0)
    const confirmed = await run(['confirm', JSON.parse(created.stdout).id, '--yes'])
    expect([confirmed.exit, confirmed.stdout]).toEqual([12, ''])
    const { orders } = (await calls.mock('GET', '/state')).data
    const states = orders.map(({ state }: { state: string }) => state === 'created')
    expect(states.toSorted()).toEqual([false, false, true, true])
  })
})

describe('the budget of a day', () => {
  test('stops the wizard, too', async () => {
    const shop = await openWorld()
    await shop.must('profile', 'limits', '--budget', '24USD/day')
    const words = ['create', '--product', 'GAME-US:25']
    const answers = ['USD', 'Enter', true]
    const { exit, stderr } = await shop.atTerminal(words, { answers })
    expect(stderr).toContain('24.00 USD is left until')
    expect(exit).toBe(12)
  })

  test('is free again after the sandbox was reset, and stays set', async () => {
    const shop = await openWorld()
    await shop.must('profile', 'limits', '--budget', '25USD/day')
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--confirm', '--reference']
    expect((await shop.run([...words, 'a'])).exit).toBe(0)
    await shop.must('sandbox', 'reset')
    expect((await shop.run([...words, 'b'])).exit).toBe(0)
    expect((await shop.run([...words, 'c'])).exit).toBe(12)
  })
})
