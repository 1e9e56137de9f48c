// The table of batches: saved plans, how they are found, and what is recorded about them.

import { describe, expect, onTestFinished, test } from 'vitest'
import { type Batch, defaultHeader } from '../../../src/journal/batches/batch.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { deleteOrders } from '../../../src/journal/tables/list.ts'
import { journalKinds, testIdentity } from '../journals.ts'
import { type BatchDesk, createBatchDesk, createOwner, createRow, owner } from './batch-desk.ts'
import { openBatchDesk, openSavedBatch } from './open-desk.ts'

const otherId = 'bat_fedcba9876543210'

/** Starts the batch with the number 1. */
const start = async ({ batches }: BatchDesk, at: number, maxTotal = '100'): Promise<boolean> => {
  const batch = await batches.getBatch(1)
  if (batch === undefined) throw new Error('the batch was not saved')
  return batches.recordStart(batch, { maxTotal, at })
}

describe.each(journalKinds)('on $name', (kind) => {
  describe('saveBatch', () => {
    test('saves the plan with its rows and cards', async () => {
      const { journal, address, close } = await kind.openShared()
      onTestFinished(close)
      await createBatchDesk(journal).save()
      const another = await kind.openAt(address)
      onTestFinished(another.close)
      const { batches } = createBatchDesk(another)
      expect(await batches.getBatch(1)).toMatchObject({
        ...{ number: 1, account: 1, profile: 'shop', origin: 'https://orders.example' },
        ...{ id: 'bat_0123456789abcdef', demand: 'demand', name: 'gifts', wallet: 'USD', columns: ['name'] },
        header: defaultHeader(['name']),
        ...{ lastSlot: 2, plannedAt: 100, changedAt: 100, maxTotal: '1000000' },
        by: expect.objectContaining({ user: testIdentity.osUser, host: testIdentity.host }),
      })
      expect(await batches.listBatchRows(1)).toEqual([
        { ...createRow('GAME-US', 3, { cells: ['Ada'] }), row: 0 },
        { ...createRow('COFFEE', 1, { line: 3, quote: '2.5' }), row: 1 },
      ])
      expect(await batches.listBatchCards(1)).toEqual([
        { card: 0, row: 0, slot: 1, state: 'wanted' },
        { card: 1, row: 0, slot: 1, state: 'wanted' },
        { card: 2, row: 0, slot: 2, state: 'wanted' },
        { card: 3, row: 1, slot: 2, state: 'wanted' },
      ])
    })

    test('saves nothing of a plan that fails halfway', async () => {
      const { save, batches } = await openBatchDesk(kind)
      const slotOf = (card: number): number => {
        if (card === 0) return 1
        throw new Error('the card has no slot')
      }
      await expect(save({ slotOf })).rejects.toThrow('the card has no slot')
      expect([
        await batches.getBatch(1),
        await batches.listBatchRows(1),
        await batches.listBatchCards(1),
      ]).toEqual([undefined, [], []])
    })

    test('returns the batch that already has the name', async () => {
      const { save, batches } = await openSavedBatch(kind)
      expect(await save({ at: 200 })).toEqual({ batch: await batches.getBatch(1), isNew: false })
      expect(await save({ id: otherId })).toMatchObject({ batch: { number: 1 }, isNew: false })
      expect(await save({ name: 'GIFTS', id: otherId })).toMatchObject({
        batch: { name: 'gifts' },
        isNew: false,
      })
      expect(await batches.listNewestBatches({ limit: 10 })).toHaveLength(1)
    })

    test('replaces a different plan of the name, with all its rows and cards', async () => {
      const { save, batches } = await openSavedBatch(kind)
      const changed = { id: otherId, rows: [createRow('RIDE', 1)], lastSlot: 1, slotOf: () => 1 }
      expect(await save(changed, true)).toMatchObject({ batch: { number: 2, id: otherId }, isNew: true })
      expect([
        await batches.getBatch(1),
        await batches.listBatchRows(1),
        await batches.listBatchCards(1),
      ]).toEqual([undefined, [], []])
      expect(await batches.listBatchCards(2)).toHaveLength(1)
    })

    test('does not replace the same plan', async () => {
      const { save } = await openSavedBatch(kind)
      expect(await save({ at: 200 }, true)).toMatchObject({
        batch: { number: 1, plannedAt: 100 },
        isNew: false,
      })
    })

    test.each<[string, (desk: BatchDesk) => Promise<unknown>]>([
      ['has just been started', async () => {}],
      ['was cancelled', ({ batches }) => batches.recordCancel(1, 200)],
      ['has an order that is being created', (desk) => desk.start(1)],
      ['has an order that can be confirmed', (desk) => desk.place(1, 'o1')],
      ['has an order that may be paid', (desk) => desk.place(1, 'o1').then(() => desk.confirm('o1'))],
    ])('does not replace a plan that %s', async (_title, change) => {
      const desk = await openSavedBatch(kind)
      await start(desk, 200)
      await change(desk)
      expect(await desk.save({ id: otherId }, true)).toMatchObject({ batch: { number: 1 }, isNew: false })
    })

    test('cancels a started plan that has only void orders, and gives its name to the new one', async () => {
      const desk = await openSavedBatch(kind)
      await start(desk, 200)
      const begun = await desk.start(1)
      await desk.journal.calls.endCreate(begun, { outcome: 'refused', status: 400 }, 1_100)
      expect(await desk.save({ id: otherId, at: 300 })).toMatchObject({ batch: { number: 1 }, isNew: false })
      const saved = await desk.save({ id: otherId, at: 300 }, true)
      expect(saved).toMatchObject({ batch: { number: 2, name: 'gifts' }, isNew: true, hasCancelled: true })
      expect(await desk.batches.getBatch(1)).toMatchObject({ cancelledAt: 300, name: 'gifts' })
      expect(await desk.beginCreate(1)).toEqual({ kind: 'cancelled' })
      expect(await desk.batches.findBatches(owner.account, 'gifts')).toMatchObject([{ number: 2 }])
      await desk.batches.recordCancel(2, 400)
      expect(await desk.save({ id: 'bat_1', at: 500 }, true)).toMatchObject({
        batch: { number: 2 },
        isNew: false,
      })
    })

    test('keeps the names of two accounts apart', async () => {
      const { save, batches } = await openBatchDesk(kind)
      const [one, other] = [createOwner('one'), createOwner('other')]
      expect(await save(one)).toMatchObject({ batch: { number: 1 }, isNew: true })
      expect(await save(other)).toMatchObject({ batch: { number: 2 }, isNew: true })
      expect(await batches.findBatches(one.account, 'gifts')).toMatchObject([{ number: 1 }])
      // An account without a name may be any of them.
      expect(await save()).toMatchObject({ isNew: false })
    })
  })

  describe('findBatches', () => {
    test.each([
      ['its name', 'gifts'],
      ['its id', 'bat_0123456789abcdef'],
    ])('finds a batch by %s', async (_title, text) => {
      const { save, batches } = await openSavedBatch(kind)
      await save({ name: 'other', id: otherId })
      expect(await batches.findBatches(owner.account, text)).toMatchObject([{ number: 1 }])
    })

    test('finds all batches of an id, the newest first', async () => {
      const { save, batches } = await openSavedBatch(kind)
      await save({ name: 'again' })
      const found = await batches.findBatches(owner.account, 'bat_0123456789abcdef')
      expect(found.map(({ name }) => name)).toEqual(['again', 'gifts'])
    })

    test('prefers a name to an id', async () => {
      const { save, batches } = await openSavedBatch(kind)
      await save({ name: 'bat_0123456789abcdef', id: otherId })
      expect(await batches.findBatches(owner.account, 'bat_0123456789abcdef')).toMatchObject([{ number: 2 }])
    })

    test.each(['Gifts', 'gift', '', 'bat_0123456789abcde', '%'])('does not find %j', async (text) => {
      const { batches } = await openSavedBatch(kind)
      expect(await batches.findBatches(owner.account, text)).toEqual([])
    })

    test('does not find a batch of a different account, but findOnAnyAccount does', async () => {
      const { batches } = await openSavedBatch(kind)
      const elsewhere = { address: 'elsewhere.example' }
      expect(await batches.findBatches(elsewhere, 'gifts')).toEqual([])
      expect(await batches.findLastBatch(elsewhere)).toBeUndefined()
      expect(await batches.findBatchesOnAnyAccount('GIFTS')).toMatchObject([{ number: 1 }])
      expect(await batches.findBatchesOnAnyAccount('bat_0123456789abcdef')).toMatchObject([{ number: 1 }])
    })
  })

  test('listBatches lists the newest first, of all profiles or of one', async () => {
    const { save, batches } = await openSavedBatch(kind)
    await save({ name: 'two', profile: 'work' })
    await save({ name: 'three' })
    const list = async (filter: { profile?: string; limit: number }) =>
      (await batches.listNewestBatches(filter)).map(({ name }) => name)
    expect(await list({ limit: 2 })).toEqual(['three', 'two'])
    expect(await list({ profile: 'shop', limit: 9 })).toEqual(['three', 'gifts'])
    expect((await batches.findLastBatch(owner.account))?.name).toBe('three')
  })

  test('findSameDemand finds other batches that buy the same and were started since then', async () => {
    const { save, batches } = await openSavedBatch(kind)
    for (const [index, name] of ['early', 'late', 'never', 'different'].entries()) {
      const { batch } = await save({ name, ...(name === 'different' ? { demand: 'else' } : {}) })
      if (name !== 'never') await batches.recordStart(batch, { maxTotal: '100', at: 1_000 * (index + 1) })
    }
    const [mine] = await batches.findBatches(owner.account, 'gifts')
    if (mine === undefined) throw new Error('not found')
    await batches.recordStart(mine, { maxTotal: '100', at: 9_000 })
    expect((await batches.findSameDemand(mine, 1_001)).map(({ name }) => name)).toEqual(['late'])
    expect((await batches.findSameDemand(mine, 1_000)).map(({ name }) => name)).toEqual(['late', 'early'])
  })

  test('findSameDemand finds a cancelled batch only if it may have spent', async () => {
    const { save, batches, place, confirm, createClaim } = await openSavedBatch(kind)
    for (const name of ['free', 'spent']) {
      const { batch } = await save({ name })
      await batches.recordStart(batch, { maxTotal: '100', at: 1_000 })
      await place(1, name, { claim: await createClaim(1, batch.number) })
      if (name === 'spent') await confirm(name)
      await batches.recordCancel(batch.number, 3_000)
    }
    const [mine] = await batches.findBatches(owner.account, 'gifts')
    if (mine === undefined) throw new Error('not found')
    expect((await batches.findSameDemand(mine, 0)).map(({ name }) => name)).toEqual(['spent'])
  })

  describe('a started batch', () => {
    test('has its cap, and the time of its first start', async () => {
      const desk = await openSavedBatch(kind)
      expect(await start(desk, 200)).toBe(true)
      expect(await start(desk, 300, '150.50')).toBe(true)
      expect(await desk.batches.getBatch(1)).toMatchObject({
        ...{ maxTotal: '150.50', startedAt: 200, changedAt: 300 },
      })
    })

    test('is stopped, and goes on after a new start', async () => {
      const desk = await openSavedBatch(kind)
      const { batches } = desk
      await start(desk, 200)
      await batches.recordStop(1, 'funds', 300)
      expect(await batches.getBatch(1)).toMatchObject({ stopped: 'funds', changedAt: 300 })
      await start(desk, 400)
      expect((await batches.getBatch(1))?.stopped).toBeUndefined()
    })

    test('cannot be started once it is cancelled or replaced', async () => {
      const desk = await openSavedBatch(kind)
      const { batches, save } = desk
      await batches.recordCancel(1, 200)
      await batches.recordCancel(1, 300)
      expect(await start(desk, 400)).toBe(false)
      expect(await batches.getBatch(1)).toMatchObject({ cancelledAt: 200 })
      expect((await batches.getBatch(1))?.startedAt).toBeUndefined()
      const { batch } = await save({ name: 'other' })
      await save({ name: 'other', id: otherId }, true)
      expect(await batches.recordStart(batch, { maxTotal: '100', at: 400 })).toBe(false)
    })

    test('keeps who cancelled it first', async () => {
      const { journal, address, close } = await kind.openShared()
      onTestFinished(close)
      const other = await kind.openAt(address, () => ({ osUser: 'other', host: 'desk' }))
      onTestFinished(other.close)
      const { save, batches } = createBatchDesk(journal)
      await save()
      await batches.recordCancel(1, 200)
      await createBatchDesk(other).batches.recordCancel(1, 300)
      expect((await batches.getBatch(1))?.cancelledBy).toMatchObject({ user: testIdentity.osUser })
    })

    test('is not started if the check of other batches with the same demand throws', async () => {
      const desk = await openSavedBatch(kind)
      const { batches } = desk
      const { batch } = await desk.save({ name: 'again' })
      const seen: string[][] = []
      const check = (same: readonly Batch[]): void => {
        seen.push(same.map(({ name }) => name))
        if (same.length > 0) throw new Error('it buys the same')
      }
      const startAgain = (since: number) =>
        batches.recordStart(batch, { maxTotal: '100', at: 300, refuseSame: { since, check } })
      await start(desk, 200)
      await expect(startAgain(200)).rejects.toThrow('it buys the same')
      expect((await batches.getBatch(batch.number))?.startedAt).toBeUndefined()
      expect(await startAgain(201)).toBe(true)
      expect(await batches.getBatch(batch.number)).toMatchObject({ startedAt: 300 })
      expect(seen).toEqual([['gifts'], []])
    })
  })

  test('a reset of the sandbox deletes its batches, and keeps those of other accounts', async () => {
    const { save, batches, journal, place, confirm } = await openSavedBatch(kind)
    await place(1, 'a')
    await journal.calls.endConfirm(await confirm('a'), { outcome: 'done' }, 3_000)
    const elsewhere = { origin: 'https://elsewhere.example', account: { address: 'elsewhere.example' } }
    await save(elsewhere)
    await deleteOrders(journal, owner.account)
    expect(await batches.getBatch(1)).toBeUndefined()
    expect([
      await batches.listBatchRows(1),
      await batches.listBatchCards(1),
      await listOrders(journal.read, { limit: 9 }),
    ]).toEqual([[], [], []])
    expect(
      [await batches.listBatchRows(2), await batches.listBatchCards(2)].map(({ length }) => length),
    ).toEqual([2, 4])
    expect(await save()).toMatchObject({ batch: { number: 3 }, isNew: true })
  })
})
