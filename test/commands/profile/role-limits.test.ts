// profile limits --role: limits of one database role in a shared journal, and the commands that obey them.
import { expect, test } from 'vitest'
import { openTeamShop, type TeamShop } from '../../support/postgres/team-shop.ts'

/** Ana owns the tables. Mia is an intern. */
const openShop = async (...flags: string[]) => {
  const shop = await openTeamShop('mia', 'ben')
  const mia = ['--role', shop.nameOf('mia')]
  if (flags.length > 0) await shop.must('ana', 'profile', 'limits', ...mia, ...flags)
  return { ...shop, mia, limits: (...words: string[]) => shop.as('ana', ['profile', 'limits', ...words]) }
}

const order = (reference: string, product = 'GAME-US:25'): string[] => [
  ...['create', '--product', product, '--wallet', 'USD', '--reference', reference],
]

const withoutTimes = (text: string): string =>
  text.replaceAll(/orderctl_test_\w+_/g, '').replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')

/** Two orders of 5 cards. */
const saveBatch = (shop: TeamShop): string =>
  shop.file(JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 10 }]), 'gifts.json')

const run = ['batch', 'run', 'gifts.json', '--wallet', 'USD', '--max-total', '500', '--parallel', '1']

test('limits of a role are set, shown and removed, beside those of the account', async () => {
  const { limits, must, mia, json } = await openShop()
  const set = await limits(...mia, '--budget', '100USD/day', '--approve-above', '50USD', '--prepare-only')
  expect(withoutTimes(set.stderr)).toBe(
    'The budget of environment for the role mia is now 100.00 USD per day\nBatches of environment above 50.00 USD now need an approval when run by the role mia\nThe role mia may prepare orders of environment, but not confirm them\n',
  )
  await must('ana', 'profile', 'limits', '--budget', '500USD/day', '--approve-above', '400USD')
  const shown = withoutTimes((await limits()).stdout).replaceAll(/ +\n/g, '\n')
  expect(shown).toMatchInlineSnapshot(`
    "role: all
    budget: 500.00 USD per day
    spent: 0.00 USD
    left: 500.00 USD
    until: TIME

    role: mia
    budget: 100.00 USD per day
    spent: 0.00 USD
    left: 100.00 USD
    until: TIME

    500.00 USD per day: set by ana, TIME
    100.00 USD per day for mia: set by ana, TIME
    Batches above 400.00 USD need an approval (set by ana, TIME)
    Batches above 50.00 USD need an approval when run by the role mia (set by ana, TIME)
    The role mia may prepare orders, but not confirm them (set by ana, TIME)
    "
  `)
  expect(withoutTimes((await limits(...mia)).stdout)).not.toContain('500.00')
  const { data } = await json('mia', ['profile', 'limits', ...mia])
  expect(data).toMatchObject({
    budgets: [{ per: 'day', currency: 'USD', amount: 100, spent: 0, left: 100, role: 'mia', setBy: 'ana' }],
    approvals: [{ currency: 'USD', above: 50, role: 'mia' }],
    prepareOnly: [{ role: 'mia', account: null, setBy: 'ana', setAt: expect.any(String) }],
  })
  const removal = [...mia, '--remove-budget', 'day', '--remove-approval', 'USD', '--remove-prepare-only']
  expect(withoutTimes((await limits(...removal)).stderr)).toBe(
    'The budget of environment for the role mia of 100.00 USD per day was removed\nBatches of environment in USD no longer need an approval when run by the role mia\nThe role mia may confirm orders of environment again\nenvironment has no budget for the role mia. To set one: orderctl profile limits environment --role mia --budget 500USD/day\n',
  )
  expect((await json('ana', ['profile', 'limits'])).data).toMatchObject({
    ...{ budgets: [{ amount: 500, role: null }], approvals: [{ above: 400, role: null }], prepareOnly: [] },
  })
  const again = await limits(...mia, '--remove-prepare-only')
  expect([again.exit, withoutTimes(again.stderr)]).toEqual([
    2,
    'error: environment has no prepare-only limit for the role mia; nothing was changed\ntry: orderctl profile limits environment\n',
  ])
})

test('only a role that may change limits changes those of a role, and the role must exist', async () => {
  const { as, mia, limits } = await openShop('--prepare-only')
  const own = await as('mia', ['profile', 'limits', ...mia, '--remove-prepare-only'])
  expect([own.exit, own.said]).toEqual([9, expect.stringContaining('mia may not change limits')])
  const unknown = await limits('--role', 'Interns', '--budget', '100USD/day')
  expect([unknown.exit, unknown.said]).toEqual([
    2,
    'error: the server has no role Interns; nothing was changed\nA limit applies to one role that logs in, not to the members of a role.\n',
  ])
})

test("at its role's budget, a confirm ends with 12 and names the role, and colleagues go on", async () => {
  const { json, must, as, asked } = await openShop('--budget', '30USD/day')
  await must('mia', ...order('r1'), '--confirm')
  const { exit, error } = await json('mia', [...order('r2'), '--confirm'])
  expect(exit).toBe(12)
  expect(error).toMatchObject({
    code: 'not-approved',
    role: expect.stringMatching(/mia$/),
    message: expect.stringMatching(
      /^the order \S+ of 25\.00 USD is over the budget of environment for the database role \S*mia, 30\.00 USD per day: 5\.00 USD is left until .* UTC; it was not confirmed$/,
    ),
    budget: { per: 'day', amount: 30, left: 5 },
  })
  const { exit: colleague } = await as('ben', ['confirm', 'ref:r2'])
  expect(colleague).toBe(0)
  expect((await asked()).match(/confirm/g)).toHaveLength(2)
})

test('a batch stops at the budget of the role that runs it, and a colleague continues it', async () => {
  const shop = await openShop('--budget', '150USD/day')
  saveBatch(shop)
  const stopped = await shop.json('mia', run)
  expect([stopped.exit, stopped.error.message]).toEqual([
    13,
    expect.stringMatching(
      /^this run spent 125\.00 USD, then stopped: .* for the database role .*5 of 10 cards/,
    ),
  ])
  expect(stopped.data).toMatchObject({ stopped: null, spent: 125 })
  const worker = await shop.json('ben', ['batch', 'run', 'gifts', '--worker'])
  expect([worker.exit, worker.data.spent]).toEqual([0, 250])
})

test('a role that may only prepare creates and plans, and confirms nothing', async () => {
  const shop = await openShop('--prepare-only')
  const { as, must, asked } = shop
  const created = await as('mia', [...order('r1'), '--confirm'])
  expect([created.exit, created.said.replace(/sbx_\w+/g, 'ID').replace(/in \d+ min/, 'in TIME')]).toEqual([
    12,
    'created ID (reference r1): 25.00 USD from the USD wallet, expires in TIME\nerror: the database role mia may prepare orders, but not confirm them; the order ID was not confirmed\nA colleague with a different role can buy it: orderctl confirm ID\n',
  ])
  const others = 'A colleague with a different role'
  expect((await as('mia', order('r2'), { terminals: ['stderr'] })).said).toContain(`${others} confirms it: `)
  expect(await must('mia', 'reconcile', 'ref:r1')).toContain(`${others} confirms it: orderctl confirm`)
  expect((await as('mia', ['get', 'ref:r1'], { terminals: ['stderr'] })).said).toContain(
    `${others} confirms it: `,
  )
  saveBatch(shop)
  const planned = await as('mia', ['batch', 'plan', 'gifts.json', '--wallet', 'USD'])
  expect(planned.said).toContain(`${others} buys the batch: orderctl batch run gifts`)
  const refused = await as('mia', run)
  expect([refused.exit, refused.said]).toEqual([
    12,
    expect.stringMatching(
      /error: the database role mia may prepare orders, but not confirm them; nothing was sent\nA colleague with a different role can buy it: orderctl batch run gifts\n$/,
    ),
  ])
  await must('ben', 'confirm', 'ref:r1')
  expect((await as('ben', ['batch', 'run', 'gifts', '--max-total', '130'])).exit).toBe(13)
  const worker = await as('mia', ['batch', 'run', 'gifts', '--worker'])
  expect([worker.exit, worker.said]).toEqual([12, expect.stringContaining('mia may prepare orders')])
  expect((await asked()).match(/confirm/g)).toHaveLength(2)
})

test("the role's own approval limit holds for a colleague's batch, which the role cannot approve", async () => {
  const shop = await openShop('--approve-above', '100USD')
  const { as, must, approve, json } = shop
  saveBatch(shop)
  await must('ben', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  const own = await approve('mia', 'gifts', '500')
  expect([own.exit, own.said]).toEqual([
    12,
    'error: the database role mia has limits of its own, so it cannot approve the batch gifts\nA different database role can approve it: orderctl batch approve gifts\n',
  ])
  const refused = await as('mia', ['batch', 'run', 'gifts', '--max-total', '500'])
  expect([refused.exit, refused.said]).toEqual([
    12,
    expect.stringMatching(
      /^error: the batch gifts needs an approval, because its cap of 500\.00 USD is above 100/,
    ),
  ])
  expect((await json('ana', ['batch', 'list', '--waiting'])).data).toMatchObject([{ name: 'gifts' }])
  expect((await approve('ana', 'gifts', '500')).exit).toBe(0)
  await must('mia', 'batch', 'run', 'gifts', '--max-total', '500')
  const single = [...order('big', 'GAME-US:25x5'), '--confirm']
  const refusedOrder = await as('mia', single)
  expect([refusedOrder.exit, refusedOrder.said]).toEqual([12, expect.stringContaining('needs an approval')])
  expect(await must('mia', 'reconcile', 'ref:big')).toContain('It needs an approval')
  expect(await must('ben', 'reconcile', 'ref:big')).toContain('Confirm it: orderctl confirm')
  await must('ben', 'confirm', 'ref:big')
})

test('a role that may only prepare copies no journal with confirmed orders, and is told who can', async () => {
  const { as, home, must } = await openShop('--prepare-only')
  const local = { env: { ORDERCTL_JOURNAL: undefined } }
  expect((await as('mia', [...order('r1'), '--confirm'], local)).exit).toBe(0)
  const copied = await as('mia', ['journal', 'copy', '--from', `${home}/mia/journal.db`])
  expect([copied.exit, copied.said]).toEqual([
    12,
    'error: the limit prepare-only of the role mia does not allow this\nA colleague with a different role can run this command.\n',
  ])
  expect(await must('ben', 'journal', 'copy', '--from', `${home}/mia/journal.db`)).toContain('Copied 1 order')
})
