// Approvals while a command waits or prompts. approve.slow.session has the rest.
import { expect, test } from 'vitest'
import { createNetwork } from '../../../src/client/network.ts'
import type { Clock } from '../../../src/contract/clock.ts'
import { realClock, type Situation } from '../../support/in-process.ts'
import { openTeamShop } from '../../support/postgres/team-shop.ts'

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

/** Ana plans 100 cards instead of 15 under the same name. */
const replacePlan = async (shop: Awaited<ReturnType<typeof openShop>>): Promise<void> => {
  shop.save([{ sku: 'GAME-US', quote: 25, quantity: 100 }])
  await shop.must('ana', 'batch', 'plan', 'gifts.json', '--wallet', 'USD')
}

test('a plan that was replaced after the approver has read it is approved only after another prompt', async () => {
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
