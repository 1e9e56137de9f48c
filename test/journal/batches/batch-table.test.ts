// The table of batches: saved plans, how they are found, and what is recorded about them.

import { describe, expect, test } from 'vitest'
import { defaultHeader } from '../../../src/journal/batches/batch.ts'
import { openScratch } from '../../support/scratch.ts'
import { createOwner, createRow, openBatchDesk, openSavedBatch, owner } from './batch-desk.ts'

const otherId = 'bat_fedcba9876543210'

describe('saveBatch', () => {
  test('saves the plan with its rows and cards', () => {
    using scratch = openScratch()
    const desk = openSavedBatch(scratch.file)
    desk.journal.close()
    const { batches } = openBatchDesk(scratch.file)
    expect(batches.getBatch(1)).toEqual({
      ...{ number: 1, account: 1, profile: 'shop', origin: 'https://orders.example' },
      ...{ id: 'bat_0123456789abcdef', demand: 'demand', name: 'gifts', wallet: 'USD', columns: ['name'] },
      header: defaultHeader(['name']),
      ...{ cardKey: 'key', lastSlot: 2, plannedAt: 100, changedAt: 100 },
    })
    expect(batches.listRows(1)).toEqual([
      { ...createRow('GAME-US', 3, { cells: ['Ada'] }), row: 0 },
      { ...createRow('COFFEE', 1, { line: 3, quote: '2.5' }), row: 1 },
    ])
    expect(batches.listCards(1)).toEqual([
      { card: 0, row: 0, slot: 1, state: 'wanted' },
      { card: 1, row: 0, slot: 1, state: 'wanted' },
      { card: 2, row: 0, slot: 2, state: 'wanted' },
      { card: 3, row: 1, slot: 2, state: 'wanted' },
    ])
  })

  test('saves nothing of a plan that fails halfway', () => {
    const { save, batches } = openBatchDesk()
    const rows = function* () {
      yield createRow('GAME-US', 1)
      throw new Error('the file cannot be read')
    }
    expect(() => save({ rows: rows() })).toThrow('the file cannot be read')
    expect([batches.getBatch(1), batches.listRows(1), batches.listCards(1)]).toEqual([undefined, [], []])
  })

  test('returns the batch that already has the name', () => {
    const { save, batches } = openSavedBatch()
    expect(save({ at: 200 })).toEqual({ batch: batches.getBatch(1), isNew: false })
    expect(save({ id: otherId })).toMatchObject({ batch: { number: 1 }, isNew: false })
    expect(save({ name: 'GIFTS', id: otherId })).toMatchObject({ batch: { name: 'gifts' }, isNew: false })
    expect(batches.listBatches({ limit: 10 })).toHaveLength(1)
  })

  test('replaces another plan of the name, with all its rows and cards', () => {
    const { save, batches } = openSavedBatch()
    const changed = { id: otherId, rows: [createRow('RIDE', 1)], lastSlot: 1, slotOf: () => 1 }
    expect(save(changed, true)).toMatchObject({ batch: { number: 2, id: otherId }, isNew: true })
    expect([batches.getBatch(1), batches.listRows(1), batches.listCards(1)]).toEqual([undefined, [], []])
    expect(batches.listCards(2)).toHaveLength(1)
  })

  test('does not replace the same plan', () => {
    const { save } = openSavedBatch()
    expect(save({ at: 200 }, true)).toMatchObject({ batch: { number: 1, plannedAt: 100 }, isNew: false })
  })

  test.each([
    ['started', ({ batches }) => void batches.startBatch(1, '100', 200)],
    ['cancelled', ({ batches }) => batches.cancelBatch(1, 200)],
  ] satisfies [string, (desk: ReturnType<typeof openSavedBatch>) => void][])(
    'does not replace a plan that was %s',
    (_title, change) => {
      const desk = openSavedBatch()
      change(desk)
      expect(desk.save({ id: otherId }, true)).toMatchObject({ batch: { number: 1 }, isNew: false })
    },
  )

  test('keeps the names of two accounts apart', () => {
    const { save, batches } = openBatchDesk()
    const [one, other] = [createOwner('one'), createOwner('other')]
    expect(save(one)).toMatchObject({ batch: { number: 1 }, isNew: true })
    expect(save(other)).toMatchObject({ batch: { number: 2 }, isNew: true })
    expect(batches.findBatches(one.account, 'gifts')).toMatchObject([{ number: 1 }])
    // An account without a name may be any of them.
    expect(save()).toMatchObject({ isNew: false })
  })
})

describe('findBatches', () => {
  test.each([
    ['its name', 'gifts'],
    ['its id', 'bat_0123456789abcdef'],
  ])('finds a batch by %s', (_title, text) => {
    const { save, batches } = openSavedBatch()
    save({ name: 'other', id: otherId })
    expect(batches.findBatches(owner.account, text)).toMatchObject([{ number: 1 }])
  })

  test('finds all batches of an id, the newest first', () => {
    const { save, batches } = openSavedBatch()
    save({ name: 'again' })
    const found = batches.findBatches(owner.account, 'bat_0123456789abcdef')
    expect(found.map(({ name }) => name)).toEqual(['again', 'gifts'])
  })

  test('prefers a name to an id', () => {
    const { save, batches } = openSavedBatch()
    save({ name: 'bat_0123456789abcdef', id: otherId })
    expect(batches.findBatches(owner.account, 'bat_0123456789abcdef')).toMatchObject([{ number: 2 }])
  })

  test.each(['Gifts', 'gift', '', 'bat_0123456789abcde', '%'])('does not find %j', (text) => {
    const { batches } = openSavedBatch()
    expect(batches.findBatches(owner.account, text)).toEqual([])
  })

  test('does not find a batch of another account, but findOnAnyAccount does', () => {
    const { batches } = openSavedBatch()
    const elsewhere = { address: 'elsewhere.example' }
    expect(batches.findBatches(elsewhere, 'gifts')).toEqual([])
    expect(batches.findLastBatch(elsewhere)).toBeUndefined()
    expect(batches.findOnAnyAccount('GIFTS')).toMatchObject([{ number: 1 }])
    expect(batches.findOnAnyAccount('bat_0123456789abcdef')).toMatchObject([{ number: 1 }])
  })
})

test('listBatches lists the newest first, of all profiles or of one', () => {
  const { save, batches } = openSavedBatch()
  save({ name: 'two', profile: 'work' })
  save({ name: 'three' })
  const list = (filter: { profile?: string; limit: number }) =>
    batches.listBatches(filter).map(({ name }) => name)
  expect(list({ limit: 2 })).toEqual(['three', 'two'])
  expect(list({ profile: 'shop', limit: 9 })).toEqual(['three', 'gifts'])
  expect(batches.findLastBatch(owner.account)?.name).toBe('three')
})

test('findSameDemand finds other batches that buy the same and were started since then', () => {
  const { save, batches } = openSavedBatch()
  for (const [index, name] of ['early', 'late', 'never', 'different'].entries()) {
    const { batch } = save({ name, ...(name === 'different' ? { demand: 'else' } : {}) })
    if (name !== 'never') batches.startBatch(batch.number, '100', 1_000 * (index + 1))
  }
  const [mine] = batches.findBatches(owner.account, 'gifts')
  if (mine === undefined) throw new Error('not found')
  batches.startBatch(mine.number, '100', 9_000)
  expect(batches.findSameDemand(mine, 1_001).map(({ name }) => name)).toEqual(['late'])
  expect(batches.findSameDemand(mine, 1_000).map(({ name }) => name)).toEqual(['late', 'early'])
})

describe('a started batch', () => {
  test('has its cap, and the time of its first start', () => {
    const { batches } = openSavedBatch()
    expect(batches.startBatch(1, '100', 200)).toBe(true)
    expect(batches.startBatch(1, '150.50', 300)).toBe(true)
    expect(batches.getBatch(1)).toMatchObject({ maxTotal: '150.50', startedAt: 200, changedAt: 300 })
  })

  test('is stopped, and goes on after a new start', () => {
    const { batches } = openSavedBatch()
    batches.startBatch(1, '100', 200)
    batches.stopBatch(1, 'funds', 300)
    expect(batches.getBatch(1)).toMatchObject({ stopped: 'funds', changedAt: 300 })
    batches.startBatch(1, '100', 400)
    expect(batches.getBatch(1)).not.toHaveProperty('stopped')
  })

  test('cannot be started once it is cancelled or replaced', () => {
    const { batches, save } = openSavedBatch()
    batches.cancelBatch(1, 200)
    batches.cancelBatch(1, 300)
    expect(batches.startBatch(1, '100', 400)).toBe(false)
    expect(batches.getBatch(1)).toMatchObject({ cancelledAt: 200 })
    expect(batches.getBatch(1)).not.toHaveProperty('startedAt')
    save({ name: 'other' })
    save({ name: 'other', id: otherId }, true)
    expect(batches.startBatch(2, '100', 400)).toBe(false)
  })
})

test('a reset of the sandbox deletes its batches, and keeps those of other accounts', () => {
  const { save, batches, journal, place, confirm } = openSavedBatch()
  place(1, 'a')
  journal.endConfirm(confirm('a'), { outcome: 'done' }, 3_000)
  const elsewhere = { origin: 'https://elsewhere.example', account: { address: 'elsewhere.example' } }
  save(elsewhere)
  journal.deleteOrders(owner.account)
  expect(batches.getBatch(1)).toBeUndefined()
  expect([batches.listRows(1), batches.listCards(1), journal.listOrders({ limit: 9 })]).toEqual([[], [], []])
  expect([batches.listRows(2), batches.listCards(2)].map(({ length }) => length)).toEqual([2, 4])
  expect(save()).toMatchObject({ batch: { number: 3 }, isNew: true })
})
