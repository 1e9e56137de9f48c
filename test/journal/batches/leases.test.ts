// The leases of slots, and the workers that hold them.
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatLines } from '../../../src/journal/batches/batch.ts'
import type { Batches } from '../../../src/journal/batches/batches.ts'
import { openBatches } from '../../../src/journal/batches/batches.ts'
import {
  everyJournalKind,
  type JournalKind,
  journalKinds,
  type SharedJournal,
  testIdentity,
} from '../journals.ts'
import { openTwoProcesses } from '../two-processes.ts'
import { createBatchDesk, createRow, owner } from './batch-desk.ts'

const leaseMs = 60_000
const slotCount = 20

const claim = (batches: Batches, worker: number, count: number, more: object = {}) =>
  batches.claimSlots({ batch: 1, worker }, { count, leaseMs, ...more })
const slotsOf = (held: readonly { readonly slot: number }[]): number[] => held.map(({ slot }) => slot)

/** Moves times into the past instead of waiting. */
const timesOf = ({ query }: SharedJournal) => ({
  expire: (worker: number) => query('UPDATE slot_leases SET until = 1 WHERE worker = $worker', { worker }),
  readUntil: async (slot: number): Promise<number> => {
    const [row] = await query('SELECT until FROM slot_leases WHERE slot = $slot', { slot })
    return Number(row?.until)
  },
})

/** A batch with one card in each slot, and two workers on connections of their own. */
const openOn = async (kind: JournalKind, slots = slotCount) => {
  const shared = await kind.openShared()
  onTestFinished(shared.close)
  const second = await kind.openAt(shared.address)
  onTestFinished(second.close)
  const desk = createBatchDesk(shared.journal)
  const others = openBatches(second)
  await desk.save({ rows: [createRow('GAME-US', slots)], lastSlot: slots, slotOf: (card) => card + 1 })
  await desk.batches.addOpenSlots(1)
  const one = await desk.batches.registerWorker(1, 100)
  const other = await others.registerWorker(1, 200)
  return { ...desk, ...timesOf(shared), query: shared.query, others, one, other }
}

const settle = (batches: Batches, slot: number) =>
  batches.settleSlot(1, slot, (cards) => cards.map(({ card }) => ({ card, state: 'delivered', hash: 'h' })))

const wants = async (batches: Batches, slot: number, worker: number, fence: number) => ({
  ...{ batch: 1, slot, lines: formatLines(await batches.readLines(1, slot)) },
  lease: { worker, fence, ms: leaseMs },
})

test.each(everyJournalKind)('on $name, a lease ends by the time of the database', async (kind) => {
  const { batches, others, one, other, expire } = await openOn(kind, 2)
  await claim(batches, one, 2)
  expect(await batches.renewLeases({ worker: one }, leaseMs)).toHaveLength(2)
  await expire(one)
  expect(await batches.renewLeases({ worker: one }, leaseMs)).toEqual([])
  expect(await claim(others, other, 1)).toEqual([{ slot: 1, fence: 2 }])
  // The rest of its own is free again, too.
  expect(await claim(batches, one, 2)).toEqual([{ slot: 2, fence: 2 }])
})

test.each(everyJournalKind)(
  'on $name, a worker that has lost its slot to another sends nothing for it',
  async (kind) => {
    const { batches, others, one, other, expire, beginCreate, place, beginConfirm } = await openOn(kind, 1)
    await claim(batches, one, 1)
    const given = await wants(batches, 1, one, 1)
    await expire(one)
    expect(await claim(others, other, 1)).toHaveLength(1)
    expect(await beginCreate(1, { claim: given })).toEqual({ kind: 'lost' })
    await place(1, 'a')
    expect(await beginConfirm('a', { claim: given })).toEqual({ kind: 'lost' })
  },
)

describe('while another process claims slots', () => {
  const openClaiming = async () => {
    const { journal, during } = await openTwoProcesses()
    const { batches, save } = createBatchDesk(journal)
    await save()
    const workers = [await batches.registerWorker(1, 100), await batches.registerWorker(1, 200)] as const
    return { batches, during, workers }
  }

  test('a claim does not wait, and gets other slots', async () => {
    const { batches, during, workers } = await openClaiming()
    await batches.addOpenSlots(1)
    const { result, hasWaited } = await during(
      (journal) => openBatches(journal).claimSlots({ batch: 1, worker: workers[0] }, { count: 1, leaseMs }),
      () => claim(batches, workers[1], 2),
    )
    expect([hasWaited, result]).toEqual([false, [{ slot: 2, fence: 1 }]])
  })

  test('rows for the same slots are made once', async () => {
    const { batches, during, workers } = await openClaiming()
    const { hasWaited } = await during(
      (journal) => openBatches(journal).addOpenSlots(1),
      () => batches.addOpenSlots(1),
    )
    expect(hasWaited).toBe(true)
    expect(slotsOf(await claim(batches, workers[0], 9))).toEqual([1, 2])
  })
})

describe.each(journalKinds)('on $name', (kind) => {
  const open = (slots?: number) => openOn(kind, slots)

  test('a lease that was recorded before the clock was set back is free', async () => {
    const { batches, others, one, other, query } = await open(1)
    await claim(batches, one, 1)
    await query('UPDATE slot_leases SET until = until + 3600000')
    expect(await claim(others, other, 1)).toEqual([{ slot: 1, fence: 2 }])
  })

  test('the slots of another batch are left alone', async () => {
    const { batches, others, save, one, other, query } = await open(2)
    await save({ name: 'other', rows: [createRow('GAME-US', 2)], slotOf: (card) => card + 1 })
    const listRows = async () =>
      (await query('SELECT batch, slot FROM slot_leases ORDER BY batch, slot')).map((row) =>
        Object.values(row).map(Number),
      )
    await batches.addOpenSlots(1)
    expect(await listRows()).toEqual([
      [1, 1],
      [1, 2],
    ])
    await batches.addOpenSlots(2)
    expect(await listRows()).toHaveLength(4)
    const worker = await batches.registerWorker(2, 300)
    const both = [
      { slot: 1, fence: 1 },
      { slot: 2, fence: 1 },
    ]
    expect(await claim(batches, one, 9)).toEqual(both)
    expect(await claim(others, other, 9)).toEqual([])
    expect(await batches.claimSlots({ batch: 2, worker }, { count: 9, leaseMs })).toEqual(both)
    await settle(batches, 1)
    await settle(batches, 2)
    expect(await batches.hasSlotsLeft({ batch: 1, worker: one }, [])).toBe(false)
    expect((await batches.listWorkers(1, leaseMs)).map(({ number }) => number)).not.toContain(worker)
  })

  test('each worker claims the next free slots', async () => {
    const { batches, others, one, other } = await open(5)
    expect(await claim(batches, one, 2)).toEqual([
      { slot: 1, fence: 1 },
      { slot: 2, fence: 1 },
    ])
    expect(slotsOf(await claim(others, other, 2, { except: [3] }))).toEqual([4, 5])
    expect(slotsOf(await claim(batches, one, 9))).toEqual([3])
    expect(await claim(others, other, 9)).toEqual([])
  })

  test('claims at the same time share the slots', async () => {
    const { batches, others, one, other } = await open()
    const claims = Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? claim(batches, one, 2) : claim(others, other, 2),
    )
    const held = slotsOf((await Promise.all(claims)).flat())
    expect(new Set(held).size).toBe(held.length)
    const rest = [...(await claim(batches, one, slotCount)), ...(await claim(others, other, slotCount))]
    expect([...held, ...slotsOf(rest)].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: slotCount }, (_, index) => index + 1),
    )
  })

  test('a released slot gets a higher number with the next claim', async () => {
    const { batches, others, one, other } = await open(2)
    await claim(batches, one, 2)
    await batches.releaseSlots({ batch: 1, worker: one }, [1])
    expect(await claim(others, other, 2)).toEqual([{ slot: 1, fence: 2 }])
    // The slots of others cannot be released.
    await batches.releaseSlots({ batch: 1, worker: one }, [1])
    expect(await claim(batches, one, 2, { release: [2], except: [2] })).toEqual([])
    expect(await claim(others, other, 2)).toEqual([{ slot: 2, fence: 2 }])
  })

  test('the row of a slot without wanted cards is deleted with its release, and another slot gets one', async () => {
    const { batches, others, one, other, query } = await open(2)
    await claim(batches, one, 2)
    await settle(batches, 1)
    await batches.releaseSlots({ batch: 1, worker: one }, [1, 2])
    await batches.addOpenSlots(1)
    expect((await query('SELECT slot FROM slot_leases')).map(({ slot }) => Number(slot))).toEqual([2])
    await batches.failCards({ batch: 1, slot: 2, at: 1 }, () => true, 'sold out')
    await batches.retryFailed(1, (cards) => cards.map(() => 0))
    await batches.addOpenSlots(1)
    expect(slotsOf(await claim(others, other, 9, { except: [2] }))).toEqual([3])
  })

  test('a renewal makes all leases of the worker last longer, and only those', async () => {
    const { batches, others, one, other, query, readUntil } = await open(2)
    await claim(batches, one, 1)
    await claim(others, other, 1)
    const before = await readUntil(2)
    await query('UPDATE slot_leases SET until = until - 50000 WHERE slot = 1')
    expect(await batches.renewLeases({ worker: one }, leaseMs)).toEqual([{ slot: 1, fence: 1 }])
    expect(await readUntil(1)).toBeGreaterThanOrEqual(before)
    expect(await readUntil(2)).toBe(before)
  })

  describe('an intent to send', () => {
    test('is recorded while the worker holds the slot, and its lease begins anew', async () => {
      const { batches, one, beginCreate, beginConfirm, journal, query, readUntil } = await open(1)
      await claim(batches, one, 1)
      const wanted = await wants(batches, 1, one, 1)
      const given = { ...wanted, lease: { ...wanted.lease, ms: leaseMs + 180_000 } }
      const full = (await readUntil(1)) + 180_000
      const begun = await beginCreate(1, { claim: given })
      if (begun.kind !== 'started') throw new Error(begun.kind)
      expect(await readUntil(1)).toBeGreaterThanOrEqual(full)
      const response = { orderId: 'a', total: '25', createdAt: 1_050, expiresAt: 601_000 }
      await journal.endCreate(begun, { outcome: 'done', ...response }, 1_100)
      await query('UPDATE slot_leases SET until = until - 180000')
      expect((await beginConfirm('a', { claim: given })).kind).toBe('started')
      expect(await readUntil(1)).toBeGreaterThanOrEqual(full)
    })

    test.each<[string, (opened: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
      ['the lease has expired', ({ expire, one }) => expire(one)],
      [
        'the worker has lost the slot and claimed it again',
        async ({ expire, one, batches }) => {
          await expire(one)
          expect(await claim(batches, one, 1)).toHaveLength(1)
        },
      ],
      ['the worker has ended', ({ batches, one }) => batches.endWorker(one)],
    ])('is refused if %s', async (_, lose) => {
      const opened = await open(1)
      const { batches, one, beginCreate, place, beginConfirm, journal } = opened
      await claim(batches, one, 1)
      const given = await wants(batches, 1, one, 1)
      await lose(opened)
      expect(await beginCreate(1, { claim: given })).toEqual({ kind: 'lost' })
      expect(await journal.listOrders({ limit: 9 })).toEqual([])
      const { order } = await place(1, 'a')
      expect(await beginConfirm('a', { claim: given })).toEqual({ kind: 'lost' })
      expect((await journal.listCalls(order)).map(({ operation }) => operation)).toEqual(['create'])
    })
  })

  test('an intent to send is refused with the lease of another slot, worker or batch', async () => {
    const { batches, save, others, one, other, beginCreate } = await open(2)
    await save({ name: 'other', rows: [createRow('GAME-US', 2)], slotOf: (card) => card + 1 })
    await batches.addOpenSlots(2)
    await batches.claimSlots(
      { batch: 2, worker: await batches.registerWorker(2, 300) },
      { count: 2, leaseMs },
    )
    await claim(batches, one, 1)
    const given = await wants(batches, 2, one, 1)
    expect(await beginCreate(2, { claim: given })).toEqual({ kind: 'lost' })
    await claim(others, other, 1)
    expect(await beginCreate(2, { claim: given })).toEqual({ kind: 'lost' })
    expect(await beginCreate(1, { claim: { ...given, batch: 2, slot: 1 } })).toEqual({ kind: 'lost' })
  })

  test('a worker waits while others work, and for slots that it has not given up', async () => {
    const { batches, others, one, other, expire } = await open(2)
    const has = (...givenUp: number[]) => batches.hasSlotsLeft({ batch: 1, worker: one }, givenUp)
    expect(await has()).toBe(true)
    expect([await has(1), await has(1, 2)]).toEqual([true, false])
    await claim(others, other, 1)
    expect(await has(1, 2)).toBe(true)
    await settle(others, 1)
    expect(await has(1, 2)).toBe(false)
    await claim(others, other, 1)
    await expire(other)
    expect([await has(1, 2), await has(1)]).toEqual([false, true])
    await claim(batches, one, 2)
    expect(await has(1, 2)).toBe(false)
  })

  test('the slots of a process that does not run any more are free', async () => {
    const { batches, others, one, other, query } = await open(3)
    if (kind.name === 'PostgreSQL')
      await query('ALTER TABLE batch_workers DISABLE TRIGGER workers_never_change')
    await claim(batches, one, 1)
    await claim(others, other, 1)
    const third = await batches.registerWorker(1, 300)
    const identify = (host: string) =>
      query(`INSERT INTO actors (os_user, host) VALUES ('ana', $host) RETURNING number`, { host })
    const [[here], [there]] = [await identify('here'), await identify('there')]
    const setActor = (worker: number, actor: unknown) =>
      query('UPDATE batch_workers SET actor = $actor WHERE number = $worker', {
        worker,
        actor: Number(actor),
      })
    await setActor(one, here?.number)
    await setActor(other, there?.number)
    await setActor(third, here?.number)
    await batches.releaseDeadWorkers(third, (process) => process === 100)
    expect(slotsOf(await claim(batches, third, 9, { except: [3] }))).toEqual([])
    await batches.releaseDeadWorkers(third, () => false)
    expect(await claim(batches, third, 9, { except: [3] })).toEqual([{ slot: 1, fence: 2 }])
  })

  test('the list has the workers that have not ended', async () => {
    const { batches, others, one, other, query } = await open(5)
    await claim(batches, one, 3)
    await settle(batches, 1)
    await query('UPDATE batch_workers SET seen_at = seen_at - 61000 WHERE number = $other', { other })
    const ended = await batches.registerWorker(1, 300)
    await claim(others, ended, 1)
    await batches.endWorker(ended)
    await batches.renewLeases({ worker: one }, leaseMs)
    expect(await batches.listWorkers(1, leaseMs)).toMatchObject([
      { ...worker(one, 100), isLost: false, slots: 2 },
      { ...worker(other, 200), isLost: true, slots: 0 },
    ])
    expect((await batches.listWorkers(1, leaseMs))[1]).not.toHaveProperty('until', expect.anything())
    await batches.renewLeases({ worker: other }, leaseMs)
    expect((await batches.listWorkers(1, leaseMs)).map(({ isLost }) => isLost)).toEqual([false, false])
    expect(slotsOf(await claim(others, other, 9))).toEqual([4, 5])
  })

  const worker = (number: number, processId: number) => ({
    ...{ number, processId, startedAt: expect.any(Number), seenAt: expect.any(Number) },
    by: {
      role: expect.toSatisfy((role) => role === null || typeof role === 'string'),
      user: testIdentity.osUser,
      host: testIdentity.host,
    },
  })

  test('the workers of an account are deleted with its batches', async () => {
    const { batches, one, journal, query } = await open(1)
    await claim(batches, one, 1)
    await journal.deleteOrders(owner.account)
    expect(await query('SELECT 1 FROM batch_workers')).toEqual([])
  })
})
