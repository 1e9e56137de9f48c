// The orders of a batch where orders are listed and named: list --batch and batch:NAME.

import { describe, expect, test } from 'vitest'
import { sandboxOwner } from '../../../src/app/journal/place.ts'
import { recordExpiry } from '../../../src/journal/orders/observations.ts'
import { findOrderById } from '../../../src/journal/orders/queries.ts'
import { line } from '../../support/embedded.ts'
import { openWorld } from '../../support/world.ts'
import { fillJournal, ownerAs, rowsOf } from './filled-journal.ts'

/** Two batches of the same name on two accounts, and an order of no batch. */
const filled = async () => {
  const shop = await openWorld()
  await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'single')
  const { add, journal } = await fillJournal(shop.home)
  const gifts = await add({ name: 'Gifts', rows: rowsOf(4), maxTotal: '500', id: 'bat_1' })
  await gifts.deliver(1, 2)
  await gifts.buy(3, 'unknown')
  const other = await add({
    name: 'Gifts',
    rows: rowsOf(2),
    maxTotal: '500',
    owner: ownerAs('shop'),
    id: 'bat_2',
  })
  await other.deliver(1)
  return { shop, add, journal, gifts, other }
}

describe('list --batch', () => {
  const references = async (shop: Awaited<ReturnType<typeof openWorld>>, ...flags: string[]) =>
    JSON.parse(await shop.must('list', '--json', '--batch', ...flags)).map(
      ({ reference, profile }: { reference: string; profile: string }) => `${profile} ${reference}`,
    )

  test('lists only the orders of the batch, newest first', async () => {
    const { shop } = await filled()
    const [one, two, three] = [1, 2, 3].map((slot) => `sandbox Gifts-000${slot}`)
    expect(await references(shop, 'bat_1')).toEqual([three, two, one])
    expect(await references(shop, 'Gifts', '--profile', 'sandbox')).toEqual([three, two, one])
    expect(await references(shop, 'Gifts')).toEqual(['shop Gifts-0001'])
    expect(await references(shop, '@last')).toEqual(['shop Gifts-0001'])
    expect(await references(shop, '@last', '--profile', 'sandbox')).toEqual([three, two, one])
    expect(await references(shop, 'bat_1', '--unfinished')).toEqual([three])
    expect(await references(shop, 'bat_1', '--limit', '1')).toEqual([three])
    expect(await references(shop, 'bat_1', '--state', 'unknown')).toEqual([three])
  })
})

test('list and reconcile print the name of the batch with --json', async () => {
  const { shop } = await filled()
  const words = ['list', '--json', '--profile', 'sandbox']
  const all: { reference: string; batch: string | null }[] = JSON.parse(await shop.must(...words))
  expect(all.map(({ reference, batch }) => [reference, batch]).toSorted()).toEqual([
    ['Gifts-0001', 'Gifts'],
    ['Gifts-0002', 'Gifts'],
    ['Gifts-0003', 'Gifts'],
    ['single', null],
  ])
  const { stdout } = await shop.run(['reconcile', '--json', '--profile', 'sandbox'])
  const reconciled: typeof all = JSON.parse(stdout)
  expect(reconciled.map(({ batch }) => batch).toSorted()).toEqual(['Gifts', null])
})

describe('batch:NAME', () => {
  /** A batch of real orders in the sandbox. */
  const placed = async (count: number, rows = count) => {
    const shop = await openWorld()
    const { add, journal } = await fillJournal(shop.home)
    const batch = await add({ rows: rowsOf(rows), maxTotal: '500' })
    const ids: string[] = []
    for (let slot = 1; slot <= count; slot += 1) {
      const reference = `orders-000${slot}`
      const orderId = await shop.calls.confirmed([line('GAME-US', { quote: 25 })], { reference })
      await batch.buy(slot, 'confirmed', { orderId })
      ids.push(orderId)
    }
    await shop.advance('5s')
    return { shop, ids, add, journal, ...batch }
  }

  test('leaves out attempts that were replaced', async () => {
    const { shop, add, journal } = await placed(1)
    const batch = await add({ name: 'again', rows: rowsOf(2), maxTotal: '500' })
    await batch.buy(1, 'refused')
    const replaced = await findOrderById(journal.read, sandboxOwner, await batch.buy(1, 'created'))
    if (replaced !== undefined) await recordExpiry(journal, replaced, [], Date.now())
    const orderId = await shop.calls.confirmed([line('GAME-US', { quote: 25 })], { reference: 'again-0002' })
    await batch.buy(2, 'failed', { orderId })
    expect(await shop.must('get', 'batch:again', '-q')).toBe(`${orderId}\n`)
  })

  test('reconcile asks for the unsettled orders only', async () => {
    const { shop, add, ids, deliver } = await placed(2, 3)
    await deliver(3)
    const settled = await add({ name: 'settled', rows: rowsOf(1), maxTotal: '500' })
    await settled.deliver(1)
    const { exit, stdout } = await shop.run(['reconcile', 'batch:orders', '-q'])
    expect(exit).toBe(0)
    expect(stdout.trim().split('\n').toSorted()).toEqual(ids.toSorted())
    const { stderr } = await shop.run(['reconcile', 'batch:settled'])
    expect(stderr).toContain('Every order of batch:settled is settled.\n')
    expect(await shop.run(['reconcile', 'batch:orders', '--settle', 'spent', '--reason', 'x'])).toMatchObject(
      {
        exit: 2,
        stderr: 'error: batch:orders matches 3 orders\nUse the id of one order.\n',
      },
    )
  })
})
