// get: one document for one order, one a line for several.
import { describe, expect, test } from 'vitest'
import { openWorld, order, overNetwork } from '../../support/world.ts'

test('prints the order as the service responds with it, and what that means', async () => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  const { data } = await shop.calls.get(id)
  expect(data).toMatchObject({ uid: id, state: 'created', invoice: { total: 25 }, reference: 'po-1' })
  expect(await shop.asks(['get', id])).toEqual({
    ...{ exit: 0, stderr: '' },
    data: { id, ...data, money: 'unspent', progress: 'waiting', cards: [] },
  })
})

test('prints several orders as one JSON object a line, in the given sequence', async () => {
  const shop = await openWorld(overNetwork)
  const one = await shop.id(...order)
  const two = await shop.id(...order.with(2, 'GAME-US:25x3').with(6, 'po-2'))
  const words = ['get', two, one]
  expect(await shop.must(...words, '--json', '--fields', 'uid,invoice.total')).toBe(
    `{"uid":"${two}","invoice":{"total":75}}\n{"uid":"${one}","invoice":{"total":25}}\n`,
  )
  expect(await shop.id(...words)).toBe(`${two}\n${one}`)
})

describe('on a terminal, the next command follows an order that is not confirmed', () => {
  test.each([
    [
      'confirm',
      0,
      (id: string) =>
        `Confirm it: orderctl confirm ${id}. If you do nothing, it expires and costs nothing.\n`,
    ],
    ['expired', 12, (id: string) => `Order again: orderctl create --again ${id}\n`],
  ])('%s', async (_case, minutes, line) => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    shop.clock.pass(minutes * 60_000)
    expect(await shop.atTerminal(['get', id])).toMatchObject({ exit: 0, stderr: line(id) })
    expect(await shop.runIn(['get', id])).toMatchObject({ exit: 0, stderr: '' })
  })
})
