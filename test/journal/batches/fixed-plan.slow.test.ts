// Triggers refuse what nothing may change: the plan of a batch, its delivered cards, the slot of an order, and that an order
// is confirmed. On PostgreSQL, a role with its own SQL can do even less.
import { expect, onTestFinished, test } from 'vitest'
import { recordFact } from '../../../src/journal/orders/write-order.ts'
import { openTeam } from '../../support/postgres/team.ts'
import { everyJournalKind } from '../journals.ts'
import { callsOf, update } from '../order-desk.ts'
import { type BatchDesk, createBatchDesk, createRow } from './batch-desk.ts'

/** Plans the batch 1 and buys both slots. The card 0 is delivered, and no `get` has shown the second order. */
const buy = async (desk: BatchDesk): Promise<void> => {
  await desk.save()
  await desk.place(1, 'o1', { reference: 'gifts-0001' })
  await recordFact(desk.journal, 1, { kind: 'seen', ...update('confirmed', { at: 1_500 }) })
  await desk.batches.changeSlotCards(1, 1, async () => [{ card: 0, state: 'delivered', hash: 'hash' }])
  await desk.place(2, 'o2', { reference: 'gifts-0002' })
  await callsOf(desk.journal).endConfirm(await desk.confirm('o2'), { outcome: 'done' }, 2_100)
}

const readAll = async ({ batches }: BatchDesk) => [
  await batches.getBatch(1),
  await batches.listBatchRows(1),
  await batches.listBatchCards(1),
  await batches.listSlotOrders(1, 1),
  await batches.listSlotOrders(1, 2),
]

const openPlanned = async () => {
  const team = await openTeam('bob')
  const [ana, bob] = await Promise.all(
    ['ana', 'bob'].map(async (role) => createBatchDesk(await team.openAs(role))),
  )
  if (ana === undefined || bob === undefined) throw new Error('two roles')
  await buy(bob)
  return { ...team, ana, bob }
}

const row = "(1, 9, 9, 'RIDE', 'fixed', '500', 1, '[]')"
const insertRow = `INSERT INTO batch_rows (batch, row, line, sku, product_type, quote, quantity, cells) VALUES ${row}`
const insertCard = "INSERT INTO batch_cards (batch, card, row, slot, state) VALUES (1, 9, 0, 2, 'wanted')"

const plan = 'account, profile, origin, demand, name, name_fold, wallet, columns, header, last_slot'
const replacePlan = `WITH gone AS (DELETE FROM batches WHERE number = 1 RETURNING *)
  INSERT INTO batches (number, id, planned_at, changed_at, ${plan}) OVERRIDING SYSTEM VALUE
  SELECT number, 'another', planned_at, changed_at, ${plan} FROM gone`

type Change = readonly [sql: string, said: string]

const rowChanges = [
  "UPDATE batch_rows SET sku = 'RIDE', quote = '500'",
  'UPDATE batch_rows SET quantity = quantity + 1',
]

const changes: readonly Change[] = [
  [insertRow, 'cannot add rows or cards to a saved plan'],
  [insertCard, 'cannot add rows or cards to a saved plan'],
  ['UPDATE batch_cards SET row = 1 WHERE card > 0', 'cannot change the row of a card'],
  ['UPDATE batch_cards SET card = card + 10 WHERE card > 0', 'cannot change the row of a card'],
  ["UPDATE batch_cards SET state = 'wanted', hash = NULL WHERE card = 0", 'cannot change a delivered card'],
  ['UPDATE batch_cards SET slot = 2', 'cannot change a delivered card'],
  ...['id', 'demand', 'wallet', 'name'].map(
    (column): Change => [`UPDATE batches SET ${column} = 'another'`, 'cannot change a saved plan'],
  ),
  ['UPDATE batches SET account = account + 1', 'cannot change a saved plan'],
  ['UPDATE orders SET batch = NULL', 'cannot change a placed order'],
  ['UPDATE orders SET slot = 2', 'cannot change a placed order'],
  ["UPDATE orders SET order_id = 'o2'", 'cannot change the id of an order'],
  ["UPDATE orders SET request = '{}'", 'cannot change a placed order'],
  ["UPDATE orders SET reference_fold = 'other'", 'cannot change a placed order'],
  ['UPDATE orders SET reference_shown = 0', 'cannot change reference_shown of an order'],
  ...['profile', 'origin'].map(
    (column): Change => [`UPDATE orders SET ${column} = 'x'`, 'cannot change a placed order'],
  ),
  ['UPDATE orders SET duplicate = 1', 'cannot change a placed order'],
  ['UPDATE orders SET placed_at = 1', 'cannot change a placed order'],
  ...["id = id || 'x'", 'number = number + 100', "operation = 'confirm'", 'started_at = 1', 'until = 1'].map(
    (change): Change => [`UPDATE calls SET ${change}`, 'cannot change a recorded call'],
  ),
  ...["accepted = '[]'", "profile_name = 'x'", "service_state = 'x'", 'order_number = 2'].map(
    (change): Change => [
      `UPDATE calls SET ${change} WHERE order_number = 1`,
      'cannot change a recorded call',
    ],
  ),
  ['UPDATE calls SET settled = NULL', 'cannot change the outcome of a settled call'],
  ...['expired', 'not-spent'].flatMap((reason) =>
    ['o1', 'o2'].map(
      (orderId): Change => [
        `UPDATE orders SET standing = 'void', void_reason = '${reason}', confirmed_at = NULL, reserved_at = NULL
         WHERE order_id = '${orderId}'`,
        'cannot change the standing of a confirmed order',
      ],
    ),
  ),
  ...['holds', 'live', 'committed', 'unproven', 'finished', 'attempt'].map(
    (column): Change => [`UPDATE orders SET ${column} = NULL`, `column "${column}"`],
  ),
  ['UPDATE orders SET confirmed_at = NULL', 'confirmed_since'],
  ["UPDATE orders SET total = '1e99999'", 'orders_total_check'],
]

const changesByRoles: readonly Change[] = [
  ...rowChanges.map((sql): Change => [sql, 'permission denied']),
  ['DELETE FROM batch_rows WHERE row = 1', 'permission denied'],
  ['DELETE FROM batch_cards WHERE card = 3', 'permission denied'],
  ['TRUNCATE batch_rows', 'permission denied'],
  ['UPDATE seen_cards SET is_first = 1', 'permission denied'],
  ['DELETE FROM seen_cards', 'permission denied'],
  ["UPDATE accounts SET card_key = 'another'", 'permission denied'],
  ['ALTER TABLE batch_rows DISABLE TRIGGER ALL', 'must be owner'],
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
  ["UPDATE batches SET planned_in = 'another'", 'cannot change a saved plan'],
  ['DELETE FROM orders', 'permission denied'],
  ['DELETE FROM batches', 'foreign key constraint'],
  [replacePlan, 'foreign key constraint'],
]

test.each(everyJournalKind)(
  'on $name, no statement changes a plan that was started, or un-confirms an order',
  async ({ openShared }) => {
    const { journal, query, close } = await openShared()
    onTestFinished(close)
    const desk = createBatchDesk(journal)
    await buy(desk)
    const before = await readAll(desk)
    for (const sql of rowChanges)
      await expect(query(sql), sql).rejects.toThrow('cannot change a row of a saved plan')
    for (const [sql, said] of changes) await expect(query(sql), sql).rejects.toThrow(said)
    expect(await readAll(desk)).toEqual(before)
  },
)

test('a role with its own SQL changes nothing of a plan', async () => {
  const { runAs, ana } = await openPlanned()
  const before = await readAll(ana)
  for (const [sql, said] of [...changes, ...changesByRoles])
    await expect(runAs('bob', sql), sql).rejects.toThrow(said)
  expect(await readAll(ana)).toEqual(before)
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
  await batches.retryFailed(batch.number, (cards) => cards.map(() => 0), new Map())
  expect((await ana.batches.listBatchCards(batch.number)).map(({ slot, state }) => [slot, state])).toEqual([
    [1, 'wanted'],
    [3, 'wanted'],
  ])
  await batches.recordCancel(batch.number, 400)
  await batches.cancelWanted(batch.number)
  expect(await ana.batches.countCardsByState(batch.number)).toMatchObject({ wanted: 0, cancelled: 2 })
})
