// Changes of a batch and its cards that happen at once. Only PostgreSQL allows that.

import { describe, expect, test } from 'vitest'
import { recordApproval, resumeBatch } from '../../../src/journal/batches/approvals.ts'
import { createCalls, type StartedCall } from '../../../src/journal/orders/calls.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { getOrder, listCalls } from '../../../src/journal/orders/queries.ts'
import { bindTo } from '../journals.ts'
import { confirmIntent, intent } from '../order-desk.ts'
import { openTwoProcesses, runSql } from '../two-processes.ts'
import { type BatchDesk, createBatchDesk } from './batch-desk.ts'

const open = async () => {
  const { journal, during } = await openTwoProcesses()
  const desk = createBatchDesk(journal)
  await desk.save()
  return { ...desk, ...bindTo(journal, { approve: recordApproval, resumeBatch }), during }
}

const delivering = runSql(`UPDATE batch_cards SET state = 'delivered', hash = 'hash' WHERE card = 0`)
const cancelling = runSql('UPDATE batches SET cancelled_at = 5, cancelled_by = 1')

test('a delivery does not wait for the lock of its batch', async () => {
  const { batches, during, countCards } = await open()
  const { hasWaited } = await during(runSql('SELECT 1 FROM batches FOR NO KEY UPDATE'), () =>
    batches.changeSlotCards(1, 1, () => [{ card: 0, state: 'delivered' }]),
  )
  expect(hasWaited).toBe(false)
  expect(await countCards()).toEqual([3, 1, 0, 0])
})

test('a delivery waits for another change of its cards, and sees it', async () => {
  const { batches, during } = await open()
  const seen: string[] = []
  const { hasWaited } = await during(delivering, () =>
    batches.changeSlotCards(1, 1, (cards) => {
      seen.push(...cards.map(({ state }) => state))
      return []
    }),
  )
  expect(hasWaited).toBe(true)
  expect(seen).toEqual(['delivered', 'wanted'])
})

test('a card that is delivered meanwhile is not wanted again', async () => {
  const { batches, during, listSlots } = await open()
  await batches.changeSlotCards(1, 1, () =>
    [0, 1].map((card) => ({ card, state: 'failed', error: 'no stock' })),
  )
  const { result } = await during(delivering, () => batches.retryFailed(1, (cards) => cards.map(() => 0)))
  expect(result).toBe(1)
  expect(await listSlots()).toEqual([1, 3, 2, 2])
})

test('a confirm that waits for its batch sees what was confirmed meanwhile', async () => {
  const { allow, place, beginConfirm, during } = await open()
  await allow('64')
  await place(1, 'o1', { total: '40' })
  await place(2, 'o2')
  const { result, hasWaited } = await during(
    ({ write }) => createCalls(write).beginConfirm(confirmIntent('o1', { total: '40' })),
    () => beginConfirm('o2'),
  )
  expect(hasWaited).toBe(true)
  expect(result).toMatchObject({ kind: 'over-cap' })
})

test('a plan that another process starts meanwhile is not replaced', async () => {
  const { batches, save, during } = await open()
  const { result, hasWaited } = await during(runSql('UPDATE batches SET started_at = 5'), () =>
    save({ id: 'bat_fedcba9876543210' }, true),
  )
  expect(hasWaited).toBe(true)
  expect(result).toMatchObject({ batch: { number: 1, startedAt: 5 }, isNew: false })
  expect(await batches.listBatchRows(1)).toHaveLength(2)
})

describe('while another process creates an order of a slot', () => {
  const openCreating = async () => {
    const opened = await open()
    const claim = await opened.createClaim(1)
    const request = '{"productList":[{"sku":"GAME-US","productType":"fixed","quote":25,"quantity":2}]}'
    const during = (work: () => Promise<unknown>) =>
      opened.during(
        ({ write }) => createCalls(write).beginCreate(intent({ claim, request, reference: 'first' })),
        work,
      )
    return { ...opened, during }
  }

  test('a create of the slot waits, and is refused', async () => {
    const { beginCreate, during } = await openCreating()
    const { result, hasWaited } = await during(() => beginCreate(1))
    expect(hasWaited).toBe(true)
    expect(result).toMatchObject({ kind: 'slot-taken', by: { reference: 'first' } })
  })

  test.each<[string, (desk: BatchDesk) => Promise<unknown>]>([
    [
      'are given up',
      ({ batches }) => batches.failCards({ batch: 1, slot: 1, at: 2_000 }, () => true, 'not found'),
    ],
    ['move to another slot', ({ split }) => split(1, 2_000, () => [0, 1])],
  ])('if its cards %s, it is not confirmed, and does not hold the slot', async (_title, change) => {
    const opened = await openCreating()
    const { journal, beginConfirm, createResponse, during } = opened
    const { hasWaited } = await during(() => change(opened))
    expect(hasWaited).toBe(false)
    const [order] = await listOrders(journal.read, { limit: 1 })
    const [call] = await listCalls(journal.read, order?.number ?? 0)
    const begun = { order: order?.number ?? 0, call: call?.number ?? 0 } as StartedCall
    await journal.calls.endCreate(begun, createResponse('a'), 1_100)
    expect(await beginConfirm('a')).toEqual({ kind: 'changed' })
    expect(await getOrder(journal.read, begun.order)).toMatchObject({
      standing: 'void',
      voidReason: 'unwanted',
    })
  })
})

test('orders of two slots are created at once', async () => {
  const { createClaim, beginCreate, during } = await open()
  const claim = await createClaim(1)
  const { result, hasWaited } = await during(
    ({ write }) => createCalls(write).beginCreate(intent({ claim, reference: 'first' })),
    () => beginCreate(2),
  )
  expect(hasWaited).toBe(false)
  expect(result).toMatchObject({ kind: 'started' })
})

describe('while another process cancels the batch', () => {
  test('an approval waits, and is refused', async () => {
    const { approve, during } = await open()
    const { result, hasWaited } = await during(cancelling, () =>
      approve(1, { planId: 'bat_0123456789abcdef', cap: '500', forMs: 1_000, isGenuine: () => true }),
    )
    expect([hasWaited, result]).toEqual([true, { kind: 'changed' }])
  })

  test('its failed cards are not wanted again', async () => {
    const { batches, countCards, during } = await open()
    await batches.changeSlotCards(1, 1, () => [{ card: 0, state: 'failed', error: 'no stock' }])
    const { result, hasWaited } = await during(cancelling, () =>
      batches.retryFailed(1, (cards) => cards.map(() => 0)),
    )
    expect([hasWaited, result]).toEqual([true, 0])
    expect(await countCards()).toEqual([3, 0, 1, 0])
  })
})

test('a batch that stopped for its approval is resumed by the cap that another process sets meanwhile', async () => {
  const { batches, resumeBatch, during } = await open()
  await batches.recordStop(1, 'approval', 200)
  const caps: string[] = []
  const { hasWaited } = await during(runSql(`UPDATE batches SET max_total = '500'`), () =>
    resumeBatch(1, (_, cap) => caps.push(cap) > 9),
  )
  expect([hasWaited, caps]).toEqual([true, ['500']])
})

test('of two equal batches that start at once, one is started', async () => {
  const { batches, save } = await open()
  const refuseSame = {
    since: 0,
    check: (same: readonly unknown[]): void => {
      if (same.length > 0) throw new Error('an equal batch was started')
    },
  }
  for (let round = 1; round <= 5; round += 1) {
    const saved = await Promise.all(
      ['one', 'other'].map((name) => save({ name: `${name}-${round}`, demand: `demand ${round}` })),
    )
    const starts = await Promise.allSettled(
      saved.map(({ batch }) => batches.recordStart(batch, { maxTotal: '100', at: 200, refuseSame })),
    )
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  }
})
