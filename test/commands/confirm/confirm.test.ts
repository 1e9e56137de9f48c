// confirm: what it prints, and what it refuses to spend on.
import { describe, expect, test } from 'vitest'
import { openWorld, order, overNetwork } from '../../support/world.ts'

const where = 'Using the environment: https://orders.example\n'

const created = async (product = 'GAME-US:25') => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order.with(2, product))
  return { shop, id, state: () => shop.calls.state(id) }
}

test('without a terminal, it does not ask, and prints the confirmed order', async () => {
  const { shop, id } = await created('GAME-US:25x2')
  const { exit, data, stderr } = await shop.asks(['confirm', id])
  expect({ exit, stderr, data }).toMatchObject({
    exit: 0,
    stderr: '',
    data: { uid: id, state: 'confirmed', invoice: { total: 50, status: 'paid' }, redeem: {} },
  })
})

test('it prints the order once', async () => {
  const { shop, id } = await created()
  const { stdout, stderr } = await shop.runIn(['confirm', id])
  expect(stdout.match(/^Order /gm)).toEqual(['Order '])
  expect(stderr).toBe(where)
})

test('the prompt estimates the expiry of an order from elsewhere', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.calls.created(['GAME-US'])
  const { stderr } = await shop.atTerminal(['confirm', id], { answers: [false] })
  expect(stderr).toMatch(
    /^Using the environment: .*\nOrder {6}sbx_\w{16}\n[\s\S]*\nTotal {6}25\.00 USD, unpaid[\s\S]*\nexpires in 10 min \(estimated\)\n/,
  )
})

test('a confirmed order is refused, unless --idempotent is set', async () => {
  const { shop, id } = await created()
  await shop.must('confirm', id)
  expect(await shop.runIn(['confirm', id])).toMatchObject({
    exit: 3,
    stdout: '',
    stderr:
      `${where}error: the order ${id} is already confirmed (confirmed)\n` +
      `try: orderctl get ${id}\nTo succeed in this case, use --idempotent.\n`,
  })
  const again = await shop.runIn(['confirm', id, '--idempotent'])
  expect([again.exit, again.stderr]).toEqual([
    0,
    expect.stringContaining('The order was already confirmed.\n'),
  ])
  expect(shop.bought()).toEqual([id])
})

test('the refusal of a final order names its state', async () => {
  const { shop, id } = await created('TEST-REJECT:10')
  await shop.runIn(['confirm', id, '--watch'])
  expect(await shop.asks(['confirm', id])).toMatchObject({
    exit: 3,
    error: { message: `the order ${id} is already confirmed (rejected)` },
  })
})

describe('nothing is spent', () => {
  test('above --max-total', async () => {
    const { shop, id, state } = await created()
    expect(await shop.asks(['confirm', id, '--max-total', '24.99'])).toMatchObject({
      exit: 3,
      error: {
        message: `the order ${id} costs 25.00 USD, more than --max-total 24.99; it was not confirmed`,
      },
    })
    expect(await state()).toBe('created')
    expect((await shop.runIn(['confirm', id, '--max-total', '25'])).exit).toBe(0)
  })

  test('if the order expires before --min-validity', async () => {
    const { shop, id, state } = await created()
    expect(await shop.asks(['confirm', id, '--min-validity', '11m'])).toMatchObject({
      exit: 3,
      error: {
        message: `the order ${id} expires in 10 min, sooner than --min-validity 11 min; it was not confirmed`,
        advice: 'Create it again, and confirm it earlier.',
      },
    })
    expect(await state()).toBe('created')
    expect((await shop.runIn(['confirm', id, '--min-validity', '9m'])).exit).toBe(0)
  })

  test('on an order that has expired', async () => {
    const { shop, id, state } = await created()
    shop.clock.pass(11 * 60_000)
    for (const flags of [[], ['--idempotent']])
      expect(await shop.asks(['confirm', id, ...flags])).toMatchObject({
        exit: 10,
        error: { code: 'expired' },
      })
    expect(await state()).toBe('created')
  })

  test('on an order that expires during the prompt', async () => {
    const { shop, id, state } = await created()
    const answers = [
      () => {
        shop.clock.pass(11 * 60_000)
        return true
      },
    ]
    const ran = await shop.runIn(['confirm', id], { terminals: ['stdin', 'stdout', 'stderr'], answers })
    expect(ran).toMatchObject({
      exit: 10,
      stderr: expect.stringContaining(
        `error: the order ${id} has expired; it was not confirmed\nIf it is still needed, order its products again.\n`,
      ),
    })
    expect(await state()).toBe('created')
  })

  test('on an order that the service does not have', async () => {
    const shop = await openWorld(overNetwork)
    expect(await shop.runIn(['confirm', 'ord_nobody'])).toMatchObject({
      exit: 3,
      stderr: `${where}error: order ord_nobody: the service refused: Not Found\nCheck the order id and the profile.\n`,
    })
    expect(shop.sent('confirm')).toBe(0)
  })
})

test('--watch waits until the order is final', async () => {
  const { shop, id } = await created('TEST-FAIL:10')
  const { exit, data } = await shop.asks(['confirm', id, '--watch', '--fields', 'uid,state'])
  expect({ exit, data }).toEqual({ exit: 7, data: { uid: id, state: 'failed' } })
})

test("a clock that is far from the service's is a warning, and the service's clock decides about the expiry", async () => {
  const { shop, id } = await created()
  const clock = { ...shop.clock, now: () => shop.clock.now() + 24 * 3_600_000 }
  expect(await shop.runIn(['confirm', id, '-q'], { clock })).toMatchObject({
    exit: 0,
    stderr:
      "warning: this machine's clock is 24 h ahead of the service's; orderctl uses the service's clock for expiry\n",
  })
})
