// The journal on a real file: what is written around each call, what it refuses, and what it answers.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/errors.ts'
import type { ConfirmEnd, ConfirmIntent, CreateEnd, CreateIntent } from '../../src/journal/calls.ts'
import { isOpen } from '../../src/journal/entry.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openScratch } from '../support/scratch.ts'

const owner = { profile: 'shop', origin: 'https://orders.example' }
const intent = (fields: Partial<CreateIntent> = {}): CreateIntent => ({
  ...owner,
  reference: 'r',
  request: '{"productList":[]}',
  wallet: 'USD',
  allowDuplicate: false,
  at: 1_000,
  until: 46_000,
  ...fields,
})
const confirmIntent = (orderId: string, fields: Partial<ConfirmIntent> = {}): ConfirmIntent => ({
  ...owner,
  ...{ orderId, reference: 'r', wallet: 'USD', total: '25', at: 2_000, until: 47_000 },
  ...{ allowDuplicate: false, isAnother: false },
  ...fields,
})
const done = (orderId = 'o1'): CreateEnd => ({ outcome: 'done', orderId, total: '25', expiresAt: 601_000 })

const open = () => {
  const journal = openJournal(':memory:')
  const begin = (fields: Partial<CreateIntent> = {}) => {
    const begun = journal.beginCreate(intent(fields))
    if (begun.kind === 'taken') throw new Error(`taken by ${begun.by.number}`)
    return begun
  }
  const beginConfirm = (orderId: string, fields: Partial<ConfirmIntent> = {}) => {
    const begun = journal.beginConfirm(confirmIntent(orderId, fields))
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    return begun
  }
  return {
    ...journal,
    begin,
    placed: (orderId = 'o1', fields: Partial<CreateIntent> = {}) => {
      const begun = begin(fields)
      journal.endCreate(begun, done(orderId), 1_100)
      return begun
    },
    toConfirm: beginConfirm,
    confirmed: (orderId: string, end: ConfirmEnd) => journal.endConfirm(beginConfirm(orderId), end, 2_100),
    note: (orderId: string, state: string, at: number) =>
      journal.noteOrder({ ...owner, orderId }, { state, at }),
    standing: (orderId: string) => journal.find(owner, orderId)?.standing,
  }
}

describe('create', () => {
  test('is on disk as an open call before anything is sent', () => {
    const { begin, numbered, callsOf } = open()
    const { order } = begin()
    expect(numbered(order)).toEqual({
      ...owner,
      duplicate: 0,
      number: 1,
      reference: 'r',
      standing: 'unknown',
      request: '{"productList":[]}',
      wallet: 'USD',
      placedAt: 1_000,
      changedAt: 1_000,
    })
    expect(callsOf(order)).toEqual([
      { number: 1, orderNumber: 1, operation: 'create', outcome: 'sending', startedAt: 1_000, until: 46_000 },
    ])
  })

  test.each<[CreateEnd, object, object]>([
    [
      done(),
      { standing: 'created', orderId: 'o1', total: '25', expiresAt: 601_000 },
      { outcome: 'done', answeredAt: 1_100 },
    ],
    [
      { outcome: 'refused', status: 404, refusal: 'product-not-found' },
      { standing: 'refused' },
      { outcome: 'refused', status: 404, refusal: 'product-not-found' },
    ],
    [{ outcome: 'not-sent' }, { standing: 'not-sent' }, { outcome: 'not-sent' }],
    [{ outcome: 'unknown', status: 502 }, { standing: 'unknown' }, { outcome: 'unknown', status: 502 }],
    [{ outcome: 'unknown', orderId: 'o9' }, { standing: 'unknown', orderId: 'o9' }, { outcome: 'unknown' }],
  ])('ends as %j', (end, entry, call) => {
    const { begin, endCreate, numbered, callsOf } = open()
    const begun = begin()
    endCreate(begun, end, 1_100)
    expect(numbered(begun.order)).toMatchObject(entry)
    expect(callsOf(begun.order)).toMatchObject([call])
  })

  test('is refused where its reference is taken, but not that of another account', () => {
    const { begin, beginCreate, placed } = open()
    placed()
    expect(beginCreate(intent())).toMatchObject({ kind: 'taken', by: { orderId: 'o1' } })
    begin({ profile: 'other' })
    begin({ origin: 'https://elsewhere.example' })
    begin({ reference: 'R' })
    begin({ allowDuplicate: true })
  })

  test.each<[string, boolean, (journal: ReturnType<typeof open>) => void]>([
    ['refused', false, (j) => j.endCreate(j.begin(), { outcome: 'refused', status: 400 }, 1)],
    ['not sent', false, (j) => j.endCreate(j.begin(), { outcome: 'not-sent' }, 1)],
    ['unknown', true, (j) => j.endCreate(j.begin(), { outcome: 'unknown' }, 1)],
    ['under way', true, (j) => void j.begin()],
    ['created', true, (j) => void j.placed()],
    [
      'lapsed',
      false,
      (j) => {
        j.placed()
        j.confirmed('o1', { outcome: 'refused', status: 419, refusal: 'expired' })
      },
    ],
    ...(['failed', 'rejected'] as const).map(
      (state): [string, boolean, (j: ReturnType<typeof open>) => void] => [
        state,
        false,
        (j) => {
          j.placed()
          j.note('o1', state, 5)
        },
      ],
    ),
    ...(['confirmed', 'partial', 'successful', 'under-review'] as const).map(
      (state): [string, boolean, (j: ReturnType<typeof open>) => void] => [
        state,
        true,
        (j) => {
          j.placed()
          j.note('o1', state, 5)
        },
      ],
    ),
  ])('the reference of one that is %s is taken: %s', (_title, isTaken, make) => {
    const journal = open()
    make(journal)
    expect(journal.beginCreate(intent()).kind).toBe(isTaken ? 'taken' : 'begun')
  })
})

describe('confirm', () => {
  test('is on disk as an open call, also of an order that was created elsewhere', () => {
    const { toConfirm, find, callsOf } = open()
    const { order } = toConfirm('o7')
    expect(find(owner, 'o7')).toMatchObject({ standing: 'unknown', reference: 'r', total: '25' })
    expect(callsOf(order)).toMatchObject([{ operation: 'confirm', outcome: 'sending' }])
  })

  test.each<[ConfirmEnd, string]>([
    [{ outcome: 'done' }, 'confirmed'],
    [{ outcome: 'not-sent' }, 'created'],
    [{ outcome: 'refused', status: 400, refusal: 'insufficient-funds' }, 'created'],
    [{ outcome: 'refused', status: 419, refusal: 'expired' }, 'lapsed'],
    [{ outcome: 'unknown' }, 'unknown'],
  ])('ended as %j leaves the order %s', (end, standing) => {
    const { placed, confirmed, standing: of } = open()
    placed()
    confirmed('o1', end)
    expect(of('o1')).toBe(standing)
  })

  test.each<[string, ConfirmEnd | undefined]>([
    ['under way', undefined],
    ['unknown', { outcome: 'unknown' }],
  ])('is not begun again while one is %s', (_title, end) => {
    const { placed, toConfirm, endConfirm, beginConfirm } = open()
    placed()
    const begun = toConfirm('o1')
    if (end !== undefined) endConfirm(begun, end, 3)
    expect(beginConfirm(confirmIntent('o1', { at: 3, until: 4 }))).toMatchObject({
      kind: 'open',
      call: { startedAt: 2_000 },
    })
  })

  test('is not begun of an order that is known to be past it', () => {
    const { placed, note, beginConfirm, callsOf } = open()
    const { order } = placed()
    note('o1', 'processing', 2)
    expect(beginConfirm(confirmIntent('o1', { at: 3, until: 4 }))).toEqual({
      kind: 'past',
      standing: 'processing',
    })
    expect(callsOf(order)).toHaveLength(1)
  })

  test('two that are open at once are refused by the table itself', () => {
    using scratch = openScratch()
    openJournal(scratch.file).close()
    const database = new DatabaseSync(scratch.file)
    database.exec(
      `INSERT INTO orders (profile, origin, standing, placed_at, changed_at) VALUES ('p', 'o', 'unknown', 1, 1)`,
    )
    const insert = () =>
      database.exec(
        `INSERT INTO calls (order_number, operation, outcome, started_at, until) VALUES (1, 'confirm', 'sending', 1, 1)`,
      )
    insert()
    expect(insert).toThrow(/UNIQUE/)
    database.close()
  })
})

describe('one reference, one purchase', () => {
  test('an order taken for dead is not confirmed once another has its reference', () => {
    const journal = open()
    const first = journal.begin()
    const entry = journal.numbered(first.order)
    const call = journal.callsOf(first.order)[0]
    if (entry === undefined) throw new Error('lost')
    // As a clock that is put forward has it.
    journal.settle(entry, call, { settled: 'lapsed', standsAs: 'lapsed', at: 9 })
    journal.placed('o2')
    journal.endCreate(first, done('o1'), 10)
    expect(journal.beginConfirm(confirmIntent('o1'))).toMatchObject({
      kind: 'superseded',
      by: { orderId: 'o2' },
    })
    expect(journal.beginConfirm(confirmIntent('o2')).kind).toBe('begun')
    expect(journal.beginConfirm(confirmIntent('o1', { allowDuplicate: true })).kind).toBe('begun')
  })

  test('one that was meant to stand twice keeps neither from being confirmed', () => {
    const { placed, beginConfirm } = open()
    placed('o1')
    placed('o2', { allowDuplicate: true })
    expect(['o1', 'o2'].map((id) => beginConfirm(confirmIntent(id)).kind)).toEqual(['begun', 'begun'])
  })

  test('a named profile holds it wherever the profile is now', () => {
    const { placed, beginCreate } = open()
    placed()
    const moved = { origin: 'https://new.example' }
    expect(beginCreate(intent({ ...moved, isNamed: true })).kind).toBe('taken')
    expect(beginCreate(intent(moved)).kind).toBe('begun')
  })
})

describe('an id that is given again', () => {
  test('leaves the order that had it lapsed: it cannot be confirmed any more', () => {
    const { placed, numbered, standing } = open()
    const old = placed('o1')
    placed('o1', { reference: 'other' })
    expect(numbered(old.order)).toMatchObject({ standing: 'lapsed' })
    expect(standing('o1')).toBe('created')
  })

  test('is not confirmed while the first confirmation of it is open', () => {
    const { placed, toConfirm, beginConfirm, numbered } = open()
    const old = placed('o1')
    toConfirm('o1')
    placed('o1', { allowDuplicate: true })
    expect(numbered(old.order)).toMatchObject({ standing: 'unknown' })
    expect(beginConfirm(confirmIntent('o1'))).toMatchObject({ kind: 'open' })
  })

  test('is confirmed where the service has it new, and the journal an older one that is paid', () => {
    const { placed, note, beginConfirm, list } = open()
    placed('o1')
    note('o1', 'successful', 5)
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('past')
    expect(beginConfirm(confirmIntent('o1', { isAnother: true })).kind).toBe('begun')
    expect(list({ limit: 9 }).map(({ standing }) => standing)).toEqual(['unknown', 'successful'])
  })

  test('is not that of a number: those are never given again', () => {
    const { begin, forget, numbered } = open()
    const { order } = begin()
    forget(owner)
    expect(begin().order).toBeGreaterThan(order)
    expect(numbered(order)).toBeUndefined()
  })
})

test('what is settled is what was looked at, and nothing that came since', () => {
  const { placed, toConfirm, endConfirm, find, callsOf, settle, standing } = open()
  placed()
  const first = toConfirm('o1')
  const [seen, call] = [find(owner, 'o1'), callsOf(first.order).at(-1)]
  if (seen === undefined) throw new Error('lost')
  endConfirm(first, { outcome: 'not-sent' }, 3)
  const second = toConfirm('o1')
  for (const settled of ['no-effect', 'lapsed'] as const) {
    settle(seen, call, { settled, standsAs: 'created', at: 4 })
  }
  expect(standing('o1')).toBe('unknown')
  expect(callsOf(second.order).at(-1)).not.toHaveProperty('settled')
})

test('whatever goes wrong in it is a failure of the journal', () => {
  const { begin, callsOf } = open()
  const { order } = begin({ until: 2 ** 60 })
  expect(() => callsOf(order)).toThrow(
    expect.objectContaining({ kind: 'local-state', message: expect.stringContaining('could not be used') }),
  )
})

describe('what a get says', () => {
  test('settles what is open, where the order is past it', () => {
    const { placed, toConfirm, note, standing, callsOf } = open()
    placed()
    const { order } = toConfirm('o1')
    note('o1', 'created', 3_000)
    expect(standing('o1')).toBe('unknown')
    note('o1', 'processing', 4_000)
    expect(standing('o1')).toBe('processing')
    expect(callsOf(order)).toMatchObject([
      { outcome: 'done' },
      { outcome: 'sending', settled: 'took-effect', settledAt: 4_000 },
    ])
  })

  test('a late end of the call does not undo it', () => {
    const { placed, toConfirm, note, endConfirm, standing, callsOf } = open()
    placed()
    const begun = toConfirm('o1')
    note('o1', 'successful', 4_000)
    endConfirm(begun, { outcome: 'unknown' }, 5_000)
    expect(standing('o1')).toBe('successful')
    expect(callsOf(begun.order).some(isOpen)).toBe(false)
  })

  test('never goes back', () => {
    const { placed, note, standing } = open()
    placed()
    for (const state of ['processing', 'confirmed', 'created', 'successful', 'processing'])
      note('o1', state, 5)
    expect(standing('o1')).toBe('successful')
  })

  test('before the first confirmation is the name of the pending state, whatever it is', () => {
    const { placed, note, toConfirm, stateBefore, standing } = open()
    const { order } = placed()
    expect(stateBefore(order)).toBeUndefined()
    note('o1', 'pending', 1_500)
    toConfirm('o1')
    expect(standing('o1')).toBe('unknown')
    note('o1', 'under-review', 3_000)
    expect(stateBefore(order)).toBe('pending')
  })

  test('has the total where the journal has none', () => {
    const { begin, endCreate, noteOrder, find } = open()
    endCreate(begin(), { outcome: 'unknown', orderId: 'o1' }, 1)
    noteOrder({ ...owner, orderId: 'o1' }, { state: 'created', total: '7', at: 2 })
    expect(find(owner, 'o1')).toMatchObject({ standing: 'created', total: '7' })
  })

  test('of an order that was not placed from here is not kept', () => {
    const { note, list } = open()
    note('o1', 'successful', 1)
    expect(list({ limit: 10 })).toEqual([])
  })
})

describe('list', () => {
  const filled = () => {
    const journal = open()
    journal.placed('o1', { at: 1_000, reference: 'a' })
    journal.placed('o2', { at: 2_000, reference: 'b' })
    journal.placed('o3', { at: 3_000, reference: 'c', profile: 'other' })
    journal.note('o1', 'successful', 5)
    journal.endCreate(journal.begin({ at: 4_000, reference: 'd' }), { outcome: 'not-sent' }, 5)
    return journal
  }
  test.each([
    [{}, ['d', 'c', 'b', 'a']],
    [{ profile: 'shop' }, ['d', 'b', 'a']],
    [{ standing: 'created' }, ['c', 'b']],
    [{ reference: 'a' }, ['a']],
    [{ since: 3_000 }, ['d', 'c']],
    [{ unfinished: true }, ['c', 'b']],
    [{ unfinished: true, profile: 'shop' }, ['b']],
    [{ limit: 1 }, ['d']],
  ])('%j', (filter, references) => {
    const found = filled().list({ limit: 10, ...filter })
    expect(found.map(({ reference }) => reference)).toEqual(references)
  })

  test('the last order is the last that was placed from here, whatever came of it', () => {
    const { last, toConfirm } = filled()
    toConfirm('foreign')
    expect(last(owner)).toMatchObject({ reference: 'd', standing: 'not-sent' })
    expect(last({ ...owner, profile: 'nobody' })).toBeUndefined()
  })

  test('forgets the orders of one account alone', () => {
    const { forget, list } = filled()
    forget(owner)
    expect(list({ limit: 10 }).map(({ reference }) => reference)).toEqual(['c'])
  })

  test('reveals are kept with who and when', () => {
    const { noteReveal, reveals } = filled()
    const reveal = { ...owner, orderId: 'o1', skus: ['A', 'B'], at: 7, who: 'sam', how: 'reveal' as const }
    noteReveal(reveal)
    noteReveal({ ...reveal, profile: 'other', at: 9 })
    expect(reveals({ limit: 10 })).toEqual([{ ...reveal, profile: 'other', at: 9 }, reveal])
    expect(reveals({ limit: 10, profile: 'shop' })).toEqual([reveal])
    expect(reveals({ limit: 10, since: 8 }).map(({ at }) => at)).toEqual([9])
  })
})

describe('the file', () => {
  const failing = (work: () => unknown): Failure => {
    try {
      work()
    } catch (error) {
      if (error instanceof Failure) return error
    }
    throw new Error('it did not fail')
  }

  test('is for its owner alone', () => {
    using scratch = openScratch()
    const journal = openJournal(scratch.file)
    for (const name of ['', '-wal', '-shm']) expect(statSync(scratch.file + name).mode & 0o777).toBe(0o600)
    journal.close()
  })

  test('of a newer orderctl is refused and untouched', () => {
    using scratch = openScratch()
    openJournal(scratch.file).close()
    const database = new DatabaseSync(scratch.file)
    database.exec('PRAGMA user_version = 99')
    database.close()
    const before = readFileSync(scratch.file)
    expect(failing(() => openJournal(scratch.file))).toMatchObject({
      kind: 'local-state',
      message: expect.stringMatching(/was written by a newer orderctl \(schema 99, this one knows \d+\)$/),
    })
    expect(readFileSync(scratch.file)).toEqual(before)
  })

  test('that is damaged is refused where the damage is met, and untouched', () => {
    using scratch = openScratch()
    const journal = openJournal(scratch.file)
    journal.beginCreate(intent())
    journal.close()
    const bytes = readFileSync(scratch.file)
    // All but the first page, which holds the schema.
    bytes.fill(0xff, 4096)
    writeFileSync(scratch.file, bytes)
    const again = openJournal(scratch.file)
    expect(failing(() => again.beginCreate(intent({ reference: 'x' })))).toMatchObject({
      kind: 'local-state',
      message: `${scratch.file} is damaged`,
    })
    again.close()
    expect(readFileSync(scratch.file).subarray(4096)).toEqual(bytes.subarray(4096))
  })

  test('that may not be written is refused', () => {
    using scratch = openScratch()
    writeFileSync(scratch.file, 'no database of ours')
    chmodSync(scratch.file, 0o600)
    expect(failing(() => openJournal(scratch.file))).toMatchObject({
      kind: 'local-state',
      message: `${scratch.file} is not a database`,
      details: {
        fix: 'It was left untouched. Set ORDERCTL_STATE_DIR to another folder, or move this one away.',
      },
    })
  })
})
