// How a command finds the order that an argument names: by its id, @last, or ref:REFERENCE.
import { describe, expect, test } from 'vitest'
import { on, openWorld, order, overNetwork, respond } from '../support/world.ts'

const other = order.with(6, 'po-2')

test('@last and ref: name an order in every command that takes an id', async () => {
  const shop = await openWorld(overNetwork)
  const first = await shop.id(...order)
  const last = await shop.id(...other)
  expect(await shop.id('get', '@last', 'ref:po-1')).toBe(`${last}\n${first}`)
  expect(await shop.id('confirm', 'ref:po-1')).toBe(first)
  expect(await shop.id('watch', 'ref:po-1')).toBe(first)
  expect(await shop.must('redeem', 'ref:po-1', '--only', 'code', '--reveal')).toMatch(/^[\w-]+\n$/)
})

test('spaces and line breaks around an argument are ignored', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...other)
  for (const words of [
    ['get', ` ${id}\n`],
    ['reconcile', `${id} `],
    ['get', ' ref:po-2 '],
  ])
    expect(await shop.id(...words)).toBe(id)
})

describe('an error', () => {
  test.each([
    ['@last', 'you placed no orders in this journal for the profile environment', 'orderctl list'],
    [
      'ref:nobody',
      "no order with reference 'nobody' in this journal for the profile environment",
      'orderctl list',
    ],
  ])('%s in an empty journal', async (text, message, fix) => {
    const shop = await openWorld(overNetwork)
    expect(await shop.asks(['get', text])).toMatchObject({ exit: 2, error: { message, fix } })
  })

  test('a reference of several orders', async () => {
    const shop = await openWorld(overNetwork)
    const first = await shop.id(...order)
    const second = await shop.id(...order, '--allow-duplicate')
    expect(await shop.asks(['get', 'ref:po-1'])).toMatchObject({
      exit: 2,
      error: {
        message: `ref:po-1 matches 2 orders: ${second} (created), ${first} (created)`,
      },
    })
  })

  test('a reference without ref:', async () => {
    const shop = await openWorld(overNetwork)
    await shop.must(...order.with(6, 'team lunch'))
    const { exit, stderr } = await shop.runIn(['redeem', 'team lunch'])
    expect([exit, stderr.split('\n')[0]]).toEqual([
      3,
      "warning: team lunch is the reference of an order, not its id. To name the order: 'ref:team lunch'",
    ])
    expect(await shop.asks(['reconcile', 'team lunch'])).toMatchObject({
      exit: 2,
      error: { advice: "To use its reference: 'ref:team lunch'" },
    })
  })

  test('an order of another account', async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    const { exit, stderr } = await shop.runIn(['get', id, '--profile', 'sandbox'])
    expect([exit, stderr.split('\n')[0]]).toEqual([
      3,
      `warning: the order ${id} was placed with the profile environment, at https://orders.example, not with sandbox, at sandbox:; orderctl asks sandbox: now`,
    ])
  })
})

describe('in a script, @last is never an older order', () => {
  test.each([
    [
      'if the response to the last create was lost',
      'reset',
      'the order id of @last is unknown, because the response to create was lost',
      'orderctl list',
    ],
    [
      'if the last create was refused',
      'refused',
      'the last order (reference po-2) was never created: refused',
      'orderctl list',
    ],
  ])('%s', async (_why, how, message, fix) => {
    const shop = await openWorld(overNetwork)
    await shop.id(...order)
    shop.through(
      on('create', async () => {
        if (how === 'reset') throw new Error('connection reset')
        return respond(500, 'Requested item is out of stock')
      }),
    )
    await shop.runIn(other)
    expect(await shop.asks(['confirm', '@last', '--yes'])).toMatchObject({ exit: 2, error: { message, fix } })
    expect(shop.sent('confirm')).toBe(0)
  })
})

test('the prompt of confirm shows which order @last is, so attempts without an order are skipped', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  shop.through(on('create', async () => respond(500, 'Requested item is out of stock')))
  await shop.runIn(other)
  const ran = await shop.atTerminal(['confirm', '@last'], { answers: [true] })
  expect(ran).toMatchObject({ exit: 0, questions: ['Confirm the order and spend 25.00 USD?'] })
  expect(ran.stderr).toContain(id)
  expect(shop.bought()).toEqual([id])
})
