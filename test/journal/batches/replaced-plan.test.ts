// One process starts a plan while another replaces it: only one of them succeeds.
import { describe, expect, onTestFinished, test } from 'vitest'
import { findJournalKind, journalKinds } from '../journals.ts'
import { createBatchDesk, createRow } from './batch-desk.ts'

const other = { id: 'bat_fedcba9876543210', rows: [createRow('RIDE', 1)], lastSlot: 1, slotOf: () => 1 }

const open = async (kind: (typeof journalKinds)[number]) => {
  const { journal, address, query, close } = await kind.openShared()
  onTestFinished(close)
  const another = await kind.openAt(address)
  onTestFinished(another.close)
  return { one: createBatchDesk(journal), other: createBatchDesk(another), query }
}

describe.each(journalKinds)('on $name', (kind) => {
  test('at once', async () => {
    const desks = await open(kind)
    for (let round = 1; round <= 20; round++) {
      const name = `gifts-${round}`
      const { batch } = await desks.one.save({ name })
      const [isStarted, saved] = await Promise.all([
        desks.one.batches.startBatch(batch, { maxTotal: '100', at: 200 }),
        desks.other.save({ ...other, name }, true),
      ])
      expect(saved.isNew).toBe(!isStarted)
      const [found, ...more] = await desks.one.batches.findOnAnyAccount(name)
      expect(more).toEqual([])
      expect(found).toMatchObject(isStarted ? { id: batch.id, startedAt: 200 } : { id: other.id })
      const rows = await desks.one.batches.listRows(found?.number ?? 0)
      expect(rows.map(({ sku }) => sku)).toEqual(isStarted ? ['GAME-US', 'COFFEE'] : ['RIDE'])
    }
  })
})

test('a start that is committed while the other process waits for the lock holds', async () => {
  const desks = await open(findJournalKind('PostgreSQL'))
  const { batch } = await desks.one.save()
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: hasLocked, resolve: lock } = Promise.withResolvers<void>()
  const starting = desks.one.journal
    .openTables(({ runTransaction }) => ({
      startSlowly: () =>
        runTransaction(async ({ statements }) => {
          await statements.run('UPDATE batches SET started_at = 200 WHERE number = $number', {
            number: batch.number,
          })
          lock()
          await mayCommit
        }),
    }))
    .startSlowly()
  await hasLocked
  const saving = desks.other.save(other, true)
  const isWaiting = async (): Promise<boolean> =>
    (await desks.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'batches'"))
      .length > 0
  while (!(await isWaiting()));
  commit()
  await starting
  expect(await saving).toMatchObject({ isNew: false, batch: { id: batch.id, startedAt: 200 } })
  expect(await desks.one.batches.listRows(batch.number)).toHaveLength(2)
})
