// batch approve, batch list --waiting and batch run --wait-approval, with two database roles.
import { describe, expect, test } from 'vitest'
import { createNetwork } from '../../../src/client/network.ts'
import type { Clock } from '../../../src/contract/clock.ts'
import { realClock, type Situation } from '../../support/in-process.ts'
import { openTeamShop } from '../../support/postgres/team-shop.ts'
import { openWorld } from '../../support/world.ts'

/** The batch `gifts` costs 375 USD in 3 orders. */
const rows = [{ sku: 'GAME-US', quote: 25, quantity: 15 }]
const runFlags = ['--wallet', 'USD', '--max-total', '500', '--parallel', '1']

const withoutMinutes = (text: string): string => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')

/** Ana and bob use one account. Batches above 100 USD need an approval. */
const openShop = async () => {
  const shop = await openTeamShop('bob', 'carol')
  const save = (list: readonly object[] = rows): string => shop.file(JSON.stringify(list), 'gifts.json')
  await shop.must('ana', 'profile', 'limits', '--approve-above', '100USD')
  return { ...shop, save }
}

const run = ['batch', 'run', 'gifts.json', ...runFlags]

/** Each call to a path that contains `path` is sent after `act`. */
const openNetworkThat =
  (path: string, act: () => Promise<unknown>): NonNullable<Situation['openNetwork']> =>
  async (options) => {
    const network = createNetwork(options)
    const transport = async (request: Parameters<typeof network>[0], ...more: []) => {
      if (request.path.includes(path)) await act()
      return network(request, ...more)
    }
    return Object.assign(transport, { close: network.close })
  }

test('a batch above the limit waits until another role approves it', async () => {
  const shop = await openShop()
  const { as, json, must, approve } = shop
  shop.save()
  const refused = await as('bob', run)
  expect([refused.exit, refused.said]).toEqual([
    12,
    'error: the batch gifts needs an approval, because its cap of 500.00 USD is above 100.00 USD; nothing was sent\nAny database role except bob can approve it: orderctl batch approve gifts --plan bat_ID --max-total 500. Then run it again: orderctl batch run gifts --max-total 500\n',
  ])
  expect(await shop.asked()).toBe('')

  const [waiting] = (await json('ana', ['batch', 'list', '--waiting'])).data
  expect(waiting).toMatchObject({
    ...{ name: 'gifts', state: 'planned', cards: { ordered: 15 } },
    approval: { state: 'waiting', maxTotal: 500, askedBy: 'bob', approvedBy: null, until: null },
  })
  expect(await must('carol', 'batch', 'list', '--waiting')).toMatch(/gifts +15 +500\.00 USD .*now|ago/)
  expect((await as('bob', ['batch', 'show', 'gifts'])).said).toBe(
    'The batch waits for another database role: orderctl batch approve gifts --plan bat_ID --max-total 500\n',
  )

  for (const env of [{}, { USER: 'somebody-else', LOGNAME: 'somebody-else' }]) {
    const own = await as('bob', ['batch', 'approve', 'gifts'], { env })
    expect([own.exit, own.said]).toEqual([
      12,
      'error: the database role bob planned the batch gifts, so it cannot approve it\nA different database role can approve it: orderctl batch approve gifts\n',
    ])
  }

  const approved = await approve('ana', 'gifts', '500', '--for', '4h')
  expect(approved.exit).toBe(0)
  expect(approved.said.replace(/\d{4}-.* UTC, .*/, 'TIME')).toMatchInlineSnapshot(`
    "LINE  SKU      QUOTE  CARDS
    ───────────────────────────
       1  GAME-US     25     15

    PRODUCT  TYPE   QUOTE  CARDS  SUM
    ─────────────────────────────────
    GAME-US  fixed     25     15  375

    Batch          gifts
    Id             bat_ID
    State          planned
    Rows           1
    Cards          15
    Orders         3
    Face value     375 (currency not known)
    Wallet         USD
    Cap            500.00 USD
    Planned by     bob
    Requested by   bob, TIME
    Requested cap  500.00 USD

    Exchange rates, fees and discounts are not known before the orders are created.

    Buy the batch: orderctl batch run gifts --max-total 500
    "
  `)
  expect((await json('bob', ['batch', 'show', 'gifts'])).data.approval).toMatchObject({
    ...{ state: 'approved', maxTotal: 500, askedBy: 'bob', approvedBy: 'ana', approvedMaxTotal: 500 },
  })
  expect((await as('ana', ['batch', 'list', '--waiting'])).said).toBe('No batch waits for an approval\n')

  const higher = await json('bob', ['batch', 'run', 'gifts', '--max-total', '501'])
  expect([higher.exit, higher.error.code]).toEqual([12, 'not-approved'])
  expect(await shop.asked()).toBe('')
  // Anybody may run it, up to the approved cap.
  const bought = await json('carol', run)
  expect(bought.data.approval).toMatchObject({
    ...{ state: 'approved', maxTotal: 500, approvedBy: 'ana', approvedMaxTotal: 500 },
    until: expect.stringMatching(/^\d{4}-/),
  })
  expect([bought.exit, bought.data.state, bought.data.spent]).toEqual([0, 'successful', 375])
  const again = await approve('ana', 'gifts', '900')
  expect([again.exit, again.said]).toEqual([
    2,
    'error: nothing to approve: the batch gifts is complete (successful)\ntry: orderctl batch show gifts\n',
  ])
})

test.each([
  ['another price', "UPDATE kept_rows SET quote = '50'"],
  ['another column', 'UPDATE kept_rows SET cells = \'["other"]\''],
  [
    'more cards of a row',
    'INSERT INTO kept_cards SELECT batch, card + 100, row, slot, state FROM kept_cards',
  ],
])('a plan that was forged with SQL under the same id is not approved: %s', async (_what, change) => {
  const shop = await openShop()
  shop.file('sku,quote,quantity,team\nGAME-US,25,15,Sales\n', 'gifts.csv')
  await shop.must('bob', 'batch', 'plan', 'gifts.csv', '--wallet', 'USD')
  const forge = (sql: string) =>
    shop.runAs(
      'bob',
      `CREATE TEMP TABLE kept AS SELECT * FROM batches; CREATE TEMP TABLE kept_rows AS SELECT * FROM batch_rows;
       CREATE TEMP TABLE kept_cards AS SELECT * FROM batch_cards; ${sql}; DELETE FROM batches;
       INSERT INTO batches SELECT * FROM kept; INSERT INTO batch_rows SELECT * FROM kept_rows;
       INSERT INTO batch_cards SELECT * FROM kept_cards`,
    )
  await forge(change)
  const { exit, said } = await shop.approve('ana', 'gifts', '500')
  expect(exit).toBe(3)
  expect(said).toContain(
    'error: the rows of the batch gifts do not match its id bat_ID; nothing was approved\n',
  )
  expect(await shop.runAs('ana', 'SELECT * FROM approvals')).toEqual([])
})

test('an edited plan and an expired approval need a new one', async () => {
  const shop = await openShop()
  const { json, must, approve } = shop
  shop.save()
  await must('bob', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  await approve('ana', 'gifts', '500')
  shop.save([{ sku: 'GAME-US', quote: 25, quantity: 20 }])
  await must('bob', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  expect((await json('bob', run)).exit).toBe(12)
  await approve('ana', 'gifts', '500')
  await shop.expireApprovals()
  const { exit, error } = await json('bob', run)
  expect([exit, withoutMinutes(error.message)]).toEqual([
    12,
    'the batch gifts needs a new approval, because the approval by ana expired at TIME; nothing was sent',
  ])
  expect((await json('bob', ['batch', 'show', 'gifts'])).data.approval.state).toBe('expired')
  expect((await json('ana', ['batch', 'list', '--waiting'])).data).toHaveLength(1)
  expect(await shop.asked()).toBe('')
})

/** A clock on which each wait between two looks for an approval ends at once, and calls the next function. */
const createClock = (...doing: (() => unknown)[]): Clock => {
  let ahead = 0
  return {
    ...realClock,
    monotonic: () => realClock.monotonic() + ahead,
    sleep: async (ms, signal) => {
      if (ms !== 3_000) return realClock.sleep(Math.max(0, ms), signal)
      ahead += ms
      await doing.shift()?.()
    },
  }
}

test('batch run --wait-approval starts when the batch is approved', async () => {
  const shop = await openShop()
  shop.save()
  const clock = createClock(
    () => {},
    () => shop.approve('ana', 'gifts', '500'),
  )
  const { exit, stderr } = await shop.as('bob', [...run, '--wait-approval', '2h'], { clock })
  expect(exit).toBe(0)
  expect(stderr).toContain(
    'Waiting up to 2 h for an approval.\nAnother database role approves the batch: orderctl batch approve gifts --plan bat_ID --max-total 500\nApproved by ana\n',
  )
})

test('batch run --wait-approval ends when the time is over, or the batch changes', async () => {
  const shop = await openShop()
  const { must, approve } = shop
  shop.save()
  const wait = (...doing: (() => unknown)[]) =>
    shop.json('bob', [...run, '--wait-approval', '7s'], { clock: createClock(...doing) })
  const late = await wait(() => approve('ana', 'gifts', '499'))
  expect([late.exit, late.error.message]).toEqual([
    12,
    'the batch gifts needs an approval, because its cap of 500.00 USD is above 100.00 USD; no one approved it within 7 s, and nothing was sent',
  ])
  const replaced = await wait(() => {
    shop.save([{ sku: 'GAME-US', quote: 25, quantity: 20 }])
    return must('ana', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  })
  expect([replaced.exit, replaced.error.message]).toEqual([
    3,
    'the plan of the batch gifts was replaced; nothing was sent',
  ])
  const cancelled = await wait(() => must('ana', 'batch', 'cancel', 'gifts'))
  expect([cancelled.exit, cancelled.error.message]).toEqual([
    3,
    'the batch gifts is cancelled; nothing was sent',
  ])
  expect(await shop.asked()).toBe('')
})

test('an approval that expires while the batch runs stops it', async () => {
  const shop = await openShop()
  const { as, json, approve } = shop
  shop.save()
  await as('bob', run)
  await approve('ana', 'gifts', '500')
  const unspent = await json('bob', run, { openNetwork: openNetworkThat('/create', shop.expireApprovals) })
  expect([unspent.exit, { ...unspent.error, message: withoutMinutes(unspent.error.message) }]).toEqual([
    12,
    {
      code: 'not-approved',
      fix: 'orderctl batch run gifts',
      advice: 'Run the batch again to ask for an approval.',
      message:
        'the approval of the batch gifts by ana expired at TIME; nothing was spent; 15 of 15 cards are still open',
      retryable: false,
    },
  ])
  expect((await as('bob', ['reconcile'])).stdout).toContain('Continue its batch: orderctl batch run gifts\n')
  expect((await as('bob', ['batch', 'show', 'gifts'])).said).toContain(
    'The approval has expired. Ask for another one: orderctl batch run gifts\n',
  )
  await approve('ana', 'gifts', '500')
  const { exit, data, error } = await json('bob', run, {
    openNetwork: openNetworkThat('/confirm', shop.expireApprovals),
  })
  expect({
    exit,
    data,
    message: withoutMinutes(error.message),
    fix: error.fix,
    advice: error.advice,
  }).toMatchObject({
    exit: 13,
    data: { state: 'stopped', stopped: 'approval', cards: { delivered: 5 } },
    message:
      'the approval of the batch gifts by ana expired at TIME; 125.00 of 500.00 USD spent; 10 of 15 cards are still open',
    fix: 'orderctl batch run gifts',
    advice: 'Run the batch again to ask for an approval.',
  })
  const again = await json('bob', ['batch', 'run', 'gifts'])
  expect([again.exit, again.error.code]).toEqual([12, 'not-approved'])
  const worker = ['batch', 'run', 'gifts', '--worker']
  expect((await json('carol', worker)).exit).toBe(13)
  await approve('ana', 'gifts', '500')
  expect((await as('bob', ['batch', 'show', 'gifts'])).said).toContain(
    'The batch may continue: orderctl batch run gifts\n',
  )
  // A worker needs no consent, but the renewed approval.
  expect((await json('carol', worker)).data).toMatchObject({ state: 'successful', spent: 375 })
})

test('an approval below the cap that was asked for is shown, and can be used', async () => {
  const shop = await openShop()
  const { as, must, json, approve } = shop
  shop.save()
  await as('bob', run)
  const withoutTimes = (text: string) =>
    text
      .replace(/\d{4}-\S+ \S+ UTC/g, 'TIME')
      .replaceAll('in 23 h', 'in 24 h')
      .replace(/TIME, (now|\d+ s ago)/g, 'TIME, AGO')
  const less = await approve('ana', 'gifts', '400')
  expect(withoutTimes(less.stdout)).toBe('Approved the batch gifts up to 400.00 USD until TIME\n')
  expect(less.said).toContain(
    'This is less than the cap of 500.00 USD that bob asked for.\nBuy the batch: orderctl batch run gifts --max-total 400\n',
  )
  const shown = await as('bob', ['batch', 'show', 'gifts'])
  expect(withoutTimes(shown.stdout.replaceAll(`${shop.name}_`, ''))).toContain(
    `Approval       ○ waiting
Approved       up to 400.00 USD by ana
Valid until    TIME, in 24 h
Requested cap  500.00 USD
Requested by   bob, TIME, AGO
Planned by     bob
Planned        TIME, `,
  )
  expect(shown.said).toBe(
    `The batch waits for another database role: orderctl batch approve gifts --plan bat_ID --max-total 500
Buy it with the approved cap: orderctl batch run gifts --max-total 400
`,
  )
  expect(await must('carol', 'batch', 'list', '--waiting')).toMatch(/^gifts +15 +500\.00 USD +400\.00 USD /m)
  const [{ approval }] = (await json('carol', ['batch', 'list', '--waiting'])).data
  expect(approval).toMatchObject({
    state: 'waiting',
    maxTotal: 500,
    approvedMaxTotal: 400,
    approvedBy: 'ana',
  })
  const smaller = await approve('carol', 'gifts', '300')
  expect(withoutTimes(smaller.said)).toContain(
    'The approval by ana up to 400.00 USD also stays valid until TIME.\n',
  )
  const above = await as('bob', ['batch', 'run', 'gifts', '--max-total', '500'])
  expect([above.exit, above.said]).toEqual([
    12,
    `error: the batch gifts needs an approval, because its cap of 500.00 USD is above 100.00 USD; nothing was sent
try: orderctl batch run gifts --max-total 400
ana approved up to 400.00 USD. For the higher cap, a different database role must approve it: orderctl batch approve gifts --plan bat_ID --max-total 500
`,
  ])
  expect((await json('bob', ['batch', 'run', 'gifts', '--max-total', '400'])).data).toMatchObject({
    state: 'successful',
  })
  const complete = (await json('bob', ['batch', 'show', 'gifts'])).data
  expect(complete.approval).toMatchObject({ state: 'approved', maxTotal: 400, approvedBy: 'ana' })
})

test('on a terminal, batch run says that it needs an approval before it asks for consent', async () => {
  const shop = await openShop()
  shop.save()
  const situation = { terminals: ['stdin', 'stdout', 'stderr'] as const, answers: ['500'] }
  const { exit, questions, said } = await shop.as('bob', run.slice(0, 5), situation)
  expect([exit, questions]).toEqual([12, ['Spend at most (USD)']])
  expect(said).toContain('error: the batch gifts needs an approval')
})

test('an equal batch of another role is named with the role, and not offered to be continued', async () => {
  const shop = await openShop()
  shop.save([{ sku: 'GAME-US', quote: 25, quantity: 1 }])
  await shop.must('bob', ...run.slice(0, 5), '--max-total', '50')
  const { exit, said } = await shop.as('carol', [...run.slice(0, 5), '--name', 'more', '--max-total', '50'])
  expect([exit, said]).toEqual([
    11,
    'error: the batch gifts of bob, started in the last 24 hours, buys the same products; nothing was sent\ntry: orderctl batch show gifts\nTo buy the products again, add --allow-duplicate.\n',
  ])
})

test('a single order above the limit is refused with the batch that buys the same', async () => {
  const shop = await openShop()
  const words = ['create', '--product', 'GAME-US:25x5', '--product', 'FILM-AU:20', '--wallet', 'USD']
  const { exit, error } = await shop.json('bob', [...words, '--confirm'])
  expect(exit).toBe(12)
  expect(error.message).toMatch(
    /^the order \S+ of 138\.15 USD needs an approval, because it is above 100\.00 USD; it was not confirmed$/,
  )
  expect(await shop.asked()).not.toContain('confirm')
  const [{ advice }] = (await shop.json('bob', ['reconcile'])).data
  expect(advice).toBe(
    'It needs an approval, which only a batch can have. If you do nothing, it expires and costs nothing.',
  )
  const command = /orderctl (batch run .*)$/.exec(error.fix)?.[1]?.split(' ') ?? []
  expect(command.slice(0, 8)).toEqual(
    'batch run --product GAME-US:25x5/fixed --product FILM-AU:20/fixed --wallet USD'.split(' '),
  )
  const ran = await shop.json('bob', command)
  expect([ran.exit, ran.error.code]).toEqual([12, 'not-approved'])
  const [{ name, cards }] = (await shop.json('ana', ['batch', 'list', '--waiting'])).data
  expect(cards.ordered).toBe(6)
  await shop.approve('ana', name, '200')
})

test('on a terminal, batch approve prompts', async () => {
  const shop = await openShop()
  shop.save()
  await shop.as('bob', run)
  const approve = ['batch', 'approve', 'gifts']
  const terminals = ['stdin', 'stdout', 'stderr'] as const
  const refused = await shop.as('ana', approve, { terminals, answers: [false] })
  expect([refused.exit, refused.questions]).toEqual([
    130,
    ['Approve the batch gifts up to 500.00 USD for 24 h?'],
  ])
  for (const situation of [
    { terminals, env: { CI: '1' } },
    { terminals: ['stdin'] as const },
    {},
  ] satisfies Situation[]) {
    const { exit, said } = await shop.as('ana', [...approve, '--yes'], situation)
    expect([exit, said.slice(said.indexOf('error:')).replaceAll(/\s+/g, ' ')]).toEqual([
      2,
      'error: without a prompt, batch approve needs --plan and --max-total; nothing was approved try: orderctl batch show gifts --rows If this plan is right: orderctl batch approve gifts --plan bat_ID --max-total 500 ',
    ])
    expect(said).toMatch(/^GAME-US +fixed +25 +15 +375$/m)
  }
  expect((await shop.json('ana', ['batch', 'list', '--waiting'])).data).toHaveLength(1)
  expect((await shop.as('ana', approve, { terminals, answers: [true] })).exit).toBe(0)
  expect((await shop.json('ana', ['batch', 'list', '--waiting'])).data).toEqual([])
})

/** Ana plans 100 cards instead of 15 under the same name. */
const replacePlan = async (shop: Awaited<ReturnType<typeof openShop>>): Promise<void> => {
  shop.save([{ sku: 'GAME-US', quote: 25, quantity: 100 }])
  await shop.must('ana', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
}

describe('a plan that was replaced after the approver has read it', () => {
  test.each([false, true])('is not approved in a script, JSON: %s', async (isJson) => {
    const shop = await openShop()
    shop.save()
    await shop.as('bob', run)
    const { data } = await shop.json('carol', ['batch', 'show', 'gifts'])
    await replacePlan(shop)
    const words = ['batch', 'approve', 'gifts', '--plan', data.id, '--max-total', '500', '--yes']
    const { exit, said } = await shop.as('carol', isJson ? [...words, '--json'] : words)
    expect(exit).toBe(3)
    expect(said).toContain('the batch gifts has another plan than bat_ID; nothing was approved')
    // The command is named only with the plan that it approves.
    if (isJson)
      expect(JSON.parse(said).error).toMatchObject({
        fix: 'orderctl batch show gifts --rows',
        advice: 'Read the plan first.',
      })
    else
      expect(said).toMatch(
        /^GAME-US .* 100 +2,500$[\s\S]*^If this plan is right: orderctl batch approve gifts --plan bat_ID --max-total 500$/m,
      )
    expect(await shop.runAs('ana', 'SELECT * FROM approvals')).toEqual([])
  })

  test('is shown on a terminal, and approved only after another prompt', async () => {
    const shop = await openShop()
    shop.save()
    await shop.as('bob', run)
    const approve = ['batch', 'approve', 'gifts', '--max-total', '500']
    const terminals = ['stdin', 'stdout', 'stderr'] as const
    const yes = async () => {
      await replacePlan(shop)
      return true
    }
    const refused = await shop.as('carol', approve, { terminals, answers: [yes, false] })
    const question = 'Approve the batch gifts up to 500.00 USD for 24 h?'
    expect([refused.exit, refused.questions]).toEqual([130, [question, question]])
    const [before, after] = refused.said.split('The batch gifts has changed\n')
    expect([before, after]).toEqual([
      expect.stringMatching(/^GAME-US .* 15 +375$/m),
      expect.stringMatching(/^GAME-US .* 100 +2,500$/m),
    ])
    expect(await shop.runAs('ana', 'SELECT * FROM approvals')).toEqual([])
    const cancel = async () => {
      await shop.must('ana', 'batch', 'cancel', 'gifts')
      return true
    }
    const cancelled = await shop.as('carol', approve, { terminals, answers: [cancel] })
    expect([cancelled.exit, cancelled.said]).toEqual([
      3,
      expect.stringContaining('error: the batch gifts is cancelled'),
    ])
  })
})

test('an approver sees the first rows with the columns of the file, and the sum of each product', async () => {
  const shop = await openShop()
  const lines = Array.from(
    { length: 21 },
    (_, row) => `GAME-US,25,2,Person ${row}\nFILM-AU,20,1,Other ${row}\n`,
  )
  shop.file(`sku,quote,quantity,recipient\n${lines.join('')}`, 'gifts.csv')
  await shop.as('bob', ['batch', 'run', 'gifts.csv', ...runFlags.with(3, '2000')])
  const { said } = await shop.as('ana', ['batch', 'approve', 'gifts'])
  const shown = said.slice(0, said.indexOf('Batch ')).split('\n')
  // The third to the nineteenth row.
  expect(shown.toSpliced(4, 17, '…').join('\n')).toMatchInlineSnapshot(`
    "LINE  SKU      QUOTE  CARDS  recipient
    ──────────────────────────────────────
       2  GAME-US     25      2  Person 0
       3  FILM-AU     20      1  Other 0
    …
      21  FILM-AU     20      1  Other 9
    Showing 20 of 42 rows. See all: orderctl batch show gifts --rows

    PRODUCT  TYPE   QUOTE  CARDS    SUM
    ───────────────────────────────────
    GAME-US  fixed     25     42  1,050
    FILM-AU  fixed     20     21    420

    "
  `)
})

test('what cannot be approved is refused, and says why', async () => {
  const shop = await openShop()
  shop.save()
  await shop.must('bob', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
  const fail = async (...words: string[]) => {
    const { exit, said } = await shop.as('ana', ['batch', 'approve', ...words])
    return [exit, said.slice(said.indexOf('error:'))]
  }
  expect(await fail('gifts')).toEqual([
    2,
    'error: --max-total is missing: no one has asked for a cap of the batch gifts yet\nAdd --max-total and the cap to approve.\n',
  ])
  expect(await fail('gifts', '--max-total', '100')).toEqual([
    2,
    'error: the batch gifts needs no approval for a cap of 100.00 USD\ntry: orderctl batch run gifts --max-total 100\n',
  ])
  await shop.as('bob', run)
  expect(await fail('gifts', '--max-total', '501')).toEqual([
    3,
    'error: no one has asked for a cap of 501.00 USD of the batch gifts, but for 500.00 USD; nothing was approved\ntry: orderctl batch show gifts --rows\nIf this plan is right: orderctl batch approve gifts --plan bat_ID --max-total 500\n',
  ])
  await shop.must('bob', 'batch', 'cancel', 'gifts')
  expect(await fail('gifts', '--max-total', '500')).toEqual([
    3,
    'error: the batch gifts is cancelled; nothing was sent\nPut the rows that were not delivered into a file, and run it with another --name.\n',
  ])
})

test('the journal of one machine has no approvals', async () => {
  const shop = await openWorld()
  shop.file(JSON.stringify(rows), 'gifts.json')
  await shop.must('batch', 'plan', 'gifts.json', '--wallet', 'USD')
  const approve = await shop.run(['batch', 'approve', 'gifts', '--max-total', '500'])
  expect([approve.exit, approve.stderr]).toEqual([
    2,
    'error: the batch gifts is in the journal of this machine, which has no approvals\nApprovals need a journal that a team shares. Set ORDERCTL_JOURNAL=postgres://user@host/database.\n',
  ])
  expect(await shop.run(['batch', 'list', '--waiting'])).toEqual({
    ...{ exit: 0, stdout: '', stderr: 'No batch waits for an approval\n' },
  })
})

test('if the approval expires during the prompt, no later run buys the failed cards again', async () => {
  const shop = await openTeamShop('bob', 'carol')
  const { as, approve, json, must, expireApprovals } = shop
  shop.file(JSON.stringify([{ sku: 'TEST-FAIL', quote: 10, quantity: 2 }]), 'gifts.json')
  const first = await as('bob', ['batch', 'run', 'gifts.json', '--wallet', 'USD', '--max-total', '100'])
  expect(first.exit).toBe(7)
  await must('ana', 'profile', 'limits', '--approve-above', '100USD')
  await approve('ana', 'gifts', '500')
  const asked = await shop.asked()
  const retry = ['batch', 'run', 'gifts', '--retry-failed', '--max-total', '500']
  const consent = () => expireApprovals().then(() => true)
  const expired = await as('bob', retry, { terminals: ['stdin', 'stdout', 'stderr'], answers: [consent] })
  expect(expired.exit).toBe(12)
  expect(expired.said.replaceAll('\n', ' ')).toContain('because the approval by ana expired at')
  expect((await json('bob', ['batch', 'show', 'gifts'])).data).toMatchObject({ state: 'failed' })
  expect((await as('carol', ['batch', 'run', 'gifts', '--max-total', '100'])).exit).toBe(7)
  expect((await shop.asked()).slice(asked.length)).not.toMatch(/create|confirm/)
})
