// On PostgreSQL, a role with its own SQL cannot change the plan of a batch, its delivered cards, or the slot of an order.

import { expect, test } from 'vitest'
import { recordOrder } from '../../../src/journal/orders/observations.ts'
import { openTeam } from '../../support/postgres/team.ts'
import { update } from '../order-desk.ts'
import { createBatchDesk, createRow } from './batch-desk.ts'

/** Bob has planned the batch 1, and placed an order of slot 1, which is confirmed. The card 0 is delivered. */
const openPlanned = async () => {
  const team = await openTeam('bob')
  const [ana, bob] = await Promise.all(
    ['ana', 'bob'].map(async (role) => createBatchDesk(await team.openAs(role))),
  )
  if (ana === undefined || bob === undefined) throw new Error('two roles')
  await bob.save()
  await bob.place(1, 'o1', { reference: 'gifts-0001' })
  await recordOrder(bob.journal, 1, update('confirmed', { at: 1_500 }))
  await bob.batches.settleSlot(1, 1, () => [{ card: 0, state: 'delivered', hash: 'hash' }])
  const read = async () => [
    await ana.batches.getBatch(1),
    await ana.batches.listBatchRows(1),
    await ana.batches.listBatchCards(1),
    await ana.batches.listSlotOrders(1, 1),
  ]
  return { ...team, ana, bob, read, before: await read() }
}

const row = "(1, 9, 9, 'RIDE', 'fixed', '500', 1, '[]')"
const insertRow = `INSERT INTO batch_rows (batch, row, line, sku, product_type, quote, quantity, cells) VALUES ${row}`
const insertCard = "INSERT INTO batch_cards (batch, card, row, slot, state) VALUES (1, 9, 0, 2, 'wanted')"

const plan = 'account, profile, origin, demand, name, name_fold, wallet, columns, header, last_slot'
const replacePlan = `WITH gone AS (DELETE FROM batches WHERE number = 1 RETURNING *)
  INSERT INTO batches (number, id, planned_at, changed_at, ${plan}) OVERRIDING SYSTEM VALUE
  SELECT number, 'another', planned_at, changed_at, ${plan} FROM gone`

const changes: readonly (readonly [sql: string, said: string])[] = [
  ["UPDATE batch_rows SET sku = 'RIDE', quote = '500'", 'permission denied'],
  ['UPDATE batch_rows SET quantity = quantity + 1', 'permission denied'],
  ['DELETE FROM batch_rows WHERE row = 1', 'permission denied'],
  ['DELETE FROM batch_cards WHERE card = 3', 'permission denied'],
  ['TRUNCATE batch_rows', 'permission denied'],
  ['UPDATE seen_cards SET is_first = 1', 'permission denied'],
  ['DELETE FROM seen_cards', 'permission denied'],
  ["UPDATE accounts SET card_key = 'another'", 'permission denied'],
  ['ALTER TABLE batch_rows DISABLE TRIGGER ALL', 'must be owner'],
  [insertRow, 'cannot add rows or cards to a saved plan'],
  [insertCard, 'cannot add rows or cards to a saved plan'],
  [
    `BEGIN; UPDATE batches SET changed_at = 1; ${insertRow}; COMMIT`,
    'cannot add rows or cards to a saved plan',
  ],
  [`CREATE TEMP TABLE added (batch BIGINT); ${insertRow}`, 'cannot add rows or cards to a saved plan'],
  [
    `CREATE TEMP TABLE batches AS SELECT 1::bigint AS number,
       concat_ws(' ', pg_current_xact_id(), extract(epoch FROM transaction_timestamp())) AS planned_in; ${insertRow}`,
    'cannot add rows or cards to a saved plan',
  ],
  ['UPDATE batch_cards SET row = 1', 'cannot change the row of a card'],
  ['UPDATE batch_cards SET card = card + 10', 'cannot change the row of a card'],
  ["UPDATE batch_cards SET state = 'wanted', hash = NULL WHERE card = 0", 'cannot change a delivered card'],
  ['UPDATE batch_cards SET slot = 2', 'cannot change a delivered card'],
  ...['id', 'demand', 'wallet', 'planned_in', 'name'].map(
    (column) => [`UPDATE batches SET ${column} = 'another'`, 'cannot change a saved plan'] as const,
  ),
  ['UPDATE batches SET account = account + 1', 'cannot change a saved plan'],
  ['UPDATE orders SET batch = NULL', 'cannot change the batch of an order'],
  ['UPDATE orders SET slot = 2', 'cannot change the slot of an order'],
  ["UPDATE orders SET request = '{}'", 'cannot change what an order was placed with'],
  ["UPDATE orders SET reference_fold = 'other'", 'cannot change what an order was placed with'],
  ['DELETE FROM orders', 'permission denied'],
  [
    "UPDATE orders SET standing = 'void', void_reason = 'expired', confirmed_at = NULL",
    'cannot change the standing of a confirmed order',
  ],
  ['UPDATE orders SET confirmed_at = NULL', 'confirmed_since'],
  ["UPDATE orders SET total = '1e99999'", 'orders_total_check'],
  ['DELETE FROM batches', 'foreign key constraint'],
  [replacePlan, 'foreign key constraint'],
]

test('a role with its own SQL changes nothing of a plan', async () => {
  const { runAs, read, before } = await openPlanned()
  for (const [sql, said] of changes) await expect(runAs('bob', sql), sql).rejects.toThrow(said)
  // Neither does the owner of the tables by mistake.
  await expect(runAs('ana', 'UPDATE batch_rows SET quantity = 9')).rejects.toThrow(
    'cannot change a row of a saved plan',
  )
  expect(await read()).toEqual(before)
})

test('such a role can plan, replace a plan, and change what a run changes', async () => {
  const { bob, ana } = await openPlanned()
  const { batches } = bob
  const name = 'other'
  const other = { id: 'bat_fedcba9876543210', rows: [createRow('RIDE', 2)], lastSlot: 1, slotOf: () => 1 }
  const first = await bob.save({ name })
  const { batch, isNew } = await bob.save({ ...other, name }, true)
  expect([isNew, batch.number === first.batch.number]).toEqual([true, false])
  expect((await ana.batches.listBatchRows(batch.number)).map(({ sku }) => sku)).toEqual(['RIDE'])
  expect(await ana.batches.listBatchCards(first.batch.number)).toEqual([])
  await batches.recordStart(batch, { maxTotal: '100', at: 200 })
  await bob.split(1, 300, (cards) => cards.map((_, index) => index), batch.number)
  await batches.failCards({ batch: batch.number, slot: 2, at: 300 }, () => true, 'no stock')
  await batches.retryFailed(batch.number, (cards) => cards.map(() => 0))
  expect((await ana.batches.listBatchCards(batch.number)).map(({ slot, state }) => [slot, state])).toEqual([
    [1, 'wanted'],
    [3, 'wanted'],
  ])
  await batches.recordCancel(batch.number, 400)
  await batches.cancelWanted(batch.number)
  expect(await ana.batches.countCardsByState(batch.number)).toMatchObject({ wanted: 0, cancelled: 2 })
})
