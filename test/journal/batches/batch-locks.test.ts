// Changes of a batch and its cards that happen at once. Only PostgreSQL allows that.
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../src/postgres/open.ts'
import { findJournalKind, optionsOf } from '../journals.ts'
import { createBatchDesk } from './batch-desk.ts'

const open = async () => {
  const { journal, address, query, close } = await findJournalKind('PostgreSQL').openShared()
  const other = openPostgres(optionsOf(address))
  onTestFinished(async () => {
    await other.close()
    await close()
  })
  const desk = createBatchDesk(journal)
  await desk.save()

  const isWaiting = async (): Promise<boolean> => {
    const waiting = await query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    return waiting.length > 0
  }

  /** Runs a statement on another connection, and commits it when the work has ended or waits for it. */
  const during = async <Result>(sql: string, work: () => Promise<Result>) => {
    let hasEnded = false
    let hasWaited = false
    const { working } = await other.transaction(async ({ all }) => {
      await all(sql)
      const working = work().finally(() => {
        hasEnded = true
      })
      while (!hasEnded && !hasWaited) hasWaited = await isWaiting()
      return { working }
    })
    return { result: await working, hasWaited }
  }
  return { ...desk, during }
}

const delivering = `UPDATE batch_cards SET state = 'delivered', hash = 'hash' WHERE card = 0`

test('a delivery does not wait for the lock of its batch', async () => {
  const { batches, during, countCards } = await open()
  const { hasWaited } = await during('SELECT 1 FROM batches FOR NO KEY UPDATE', () =>
    batches.settleSlot(1, 1, () => [{ card: 0, state: 'delivered' }]),
  )
  expect(hasWaited).toBe(false)
  expect(await countCards()).toEqual([3, 1, 0, 0])
})

test('a delivery waits for another change of its cards, and sees it', async () => {
  const { batches, during } = await open()
  const seen: string[] = []
  const { hasWaited } = await during(delivering, () =>
    batches.settleSlot(1, 1, (cards) => {
      seen.push(...cards.map(({ state }) => state))
      return []
    }),
  )
  expect(hasWaited).toBe(true)
  expect(seen).toEqual(['delivered', 'wanted'])
})

test('a card that is delivered meanwhile is not wanted again', async () => {
  const { batches, during, listSlots } = await open()
  await batches.settleSlot(1, 1, () => [0, 1].map((card) => ({ card, state: 'failed', error: 'no stock' })))
  const { result } = await during(delivering, () => batches.retryFailed(1, (cards) => cards.map(() => 0)))
  expect(result).toBe(1)
  expect(await listSlots()).toEqual([1, 3, 2, 2])
})

test('a confirm that waits for its batch sees what was confirmed meanwhile', async () => {
  const { place, beginConfirm, during } = await open()
  await place(1, 'o1', { total: '40' })
  await place(2, 'o2')
  const confirming = `WITH locked AS (UPDATE batches SET changed_at = 1)
    UPDATE orders SET confirmed_at = 1, standing = 'confirmed' WHERE order_id = 'o1'`
  const { result, hasWaited } = await during(confirming, () =>
    beginConfirm('o2', { isWithinCap: ({ committed }) => committed.every(({ total }) => total !== '40') }),
  )
  expect(hasWaited).toBe(true)
  expect(result.kind).toBe('over-cap')
})

test('a plan that another process starts meanwhile is not replaced', async () => {
  const { batches, save, during } = await open()
  const { result, hasWaited } = await during('UPDATE batches SET started_at = 5', () =>
    save({ id: 'bat_fedcba9876543210' }, true),
  )
  expect(hasWaited).toBe(true)
  expect(result).toMatchObject({ batch: { number: 1, startedAt: 5 }, isNew: false })
  expect(await batches.listRows(1)).toHaveLength(2)
})

test('a create that waits for its batch sees an order that was created meanwhile', async () => {
  const { start, beginCreate, during } = await open()
  const other = await start(2)
  const creating = `WITH locked AS (UPDATE batches SET changed_at = 1)
    INSERT INTO orders (account, profile, origin, standing, order_id, placed_at, changed_at, batch, slot)
    SELECT account, profile, origin, 'created', 'o9', placed_at, changed_at, batch, 1 FROM orders
    WHERE number = ${other.order}`
  const { result, hasWaited } = await during(creating, () => beginCreate(1))
  expect(hasWaited).toBe(true)
  expect(result.kind).toBe('slot-taken')
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
      saved.map(({ batch }) => batches.startBatch(batch, { maxTotal: '100', at: 200, refuseSame })),
    )
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  }
})
