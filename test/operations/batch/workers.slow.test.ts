// Several workers of one batch on one journal.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { journalKinds } from '../../journal/journals.ts'
import { openWorkers } from './open-workers.ts'

const slotCount = 24
const slots = Array.from({ length: slotCount }, (_, index) => index + 1)

describe.each(journalKinds)('on $name', (kind) => {
  test('share the orders, and none does the work of another', async () => {
    const { work, listBought, query } = await openWorkers(kind, slotCount)
    const ran = await Promise.all([work(), work(), work()])
    expect(ran.map(({ end }) => end)).toEqual(ran.map(() => ({ kind: 'ended' })))
    const begun = ran.map((each) => each.begun)
    expect(begun.flat().toSorted()).toEqual([
      ...slots.map(() => 'confirm started'),
      ...slots.map(() => 'create started'),
    ])
    expect(begun.filter((each) => each.length > 0).length).toBeGreaterThan(1)
    expect(await listBought()).toEqual(slots)
    expect(await query('SELECT 1 FROM slot_leases')).toEqual([])
    expect(await query('SELECT 1 FROM batch_workers WHERE ended_at IS NULL')).toEqual([])
  })

  test('a worker that has lost its slots sends nothing for them, and goes on with others', async () => {
    const { work, listBought, query } = await openWorkers(kind, slotCount)
    let confirms = 0
    const first = work({
      before: async (operation) => {
        confirms += operation === 'confirm' ? 1 : 0
        if (confirms === 3) await query('UPDATE slot_leases SET until = 1')
      },
    })
    const ran = await Promise.all([first, work()])
    expect(ran.map(({ end }) => end)).toEqual(ran.map(() => ({ kind: 'ended' })))
    expect(ran[0].begun).toContain('confirm lost')
    expect(await listBought()).toEqual(slots)
  })

  test('wait for the slots of a worker that may still run, until its leases expire', async () => {
    const { work, batches, batch, listBought, query } = await openWorkers(kind, 2)
    await batches.addOpenSlots(batch.number)
    const dead = await batches.registerWorker(batch.number, 2)
    await batches.claimSlots({ batch: batch.number, worker: dead }, { count: 1, leaseMs: 60_000 })
    const working = work()
    while ((await listBought()).length === 0) await nextTurn()
    expect(await batches.hasSlotsLeft({ batch: batch.number, worker: dead + 1 }, [])).toBe(true)
    await query('UPDATE slot_leases SET until = 1 WHERE worker = $dead', { dead })
    expect((await working).end).toEqual({ kind: 'ended' })
    expect(await listBought()).toEqual([1, 2])
  })
})
