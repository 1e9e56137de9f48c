// The journal on a real file: what is written around each call, what it refuses, and what it answers.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { accountIdOf } from '../../src/contract/account-id.ts'
import { Failure } from '../../src/errors.ts'
import type { ConfirmEnd, ConfirmIntent, CreateEnd, CreateIntent } from '../../src/journal/calls.ts'
import { isOpen } from '../../src/journal/entry.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openScratch } from '../support/scratch.ts'

const accountAt = (origin: string) => ({ origin, account: accountIdOf(origin) })
const owner = { profile: 'shop', ...accountAt('https://orders.example') }
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
  allowDuplicate: false,
  ...fields,
})
const done = (orderId = 'o1'): CreateEnd => ({
  outcome: 'done',
  ...{ orderId, total: '25', createdAt: 1_050, expiresAt: 601_000 },
})

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
    note: (orderId: string, state: string, at: number) => {
      const entry = journal.find(owner, orderId)
      if (entry !== undefined) journal.noteOrder(entry.number, { state, at })
    },
    standing: (orderId: string) => journal.find(owner, orderId)?.standing,
  }
}

describe('create', () => {
  test('is on disk as an open call before anything is sent', () => {
    const { begin, numbered, callsOf } = open()
    const { order } = begin()
    expect(numbered(order)).toEqual({
      ...{ profile: owner.profile, origin: owner.origin, account: 1 },
      duplicate: 0,
      number: 1,
      reference: 'r',
      referenceFold: 'r',
      standing: 'unanswered',
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
    [{ outcome: 'unknown', status: 502 }, { standing: 'unanswered' }, { outcome: 'unknown', status: 502 }],
    [
      { outcome: 'unknown', orderId: 'o9', createdAt: 1_050, expiresAt: 9_000 },
      { standing: 'created', orderId: 'o9', expiresAt: 9_000 },
      { outcome: 'unknown' },
    ],
  ])('ends as %j', (end, entry, call) => {
    const { begin, endCreate, numbered, callsOf } = open()
    const begun = begin()
    endCreate(begun, end, 1_100)
    expect(numbered(begun.order)).toMatchObject(entry)
    expect(callsOf(begun.order)).toMatchObject([call])
  })

  test('is refused if its reference is taken on the same account, whatever profile or spelling leads there', () => {
    const { begin, beginCreate, placed } = open()
    placed()
    expect(beginCreate(intent())).toMatchObject({ kind: 'taken', by: { orderId: 'o1' } })
    expect(beginCreate(intent({ profile: 'other' })).kind).toBe('taken')
    expect(beginCreate(intent(accountAt('http://ORDERS.example.:80/'))).kind).toBe('taken')
    begin(accountAt('https://elsewhere.example'))
    begin({ reference: 'R' })
    begin({ allowDuplicate: true })
  })

  test('counts references that differ in spaces around them or in their Unicode form as one', () => {
    const { beginCreate, placed, similarReferences } = open()
    placed('o1', { reference: 'caf\u00e9' })
    expect(beginCreate(intent({ reference: ' cafe\u0301 ' })).kind).toBe('taken')
    expect(similarReferences(owner.account, 'Caf\u00e9')).toEqual(['caf\u00e9'])
    expect(similarReferences(owner.account, 'caf\u00e9\u200b')).toEqual(['caf\u00e9'])
    expect(similarReferences(owner.account, 'caf\u00e9')).toEqual([])
    expect(beginCreate(intent({ reference: 'Caf\u00e9' })).kind).toBe('begun')
  })

  test('takes accounts that were declared at one address for two, and an undeclared one for either', () => {
    const { beginCreate, placed } = open()
    const named = (name: string) => ({ account: accountIdOf(owner.origin, name) })
    placed('o1', named('eu'))
    expect(beginCreate(intent(named('eu'))).kind).toBe('taken')
    expect(beginCreate(intent()).kind).toBe('taken')
    expect(beginCreate(intent(named('us'))).kind).toBe('begun')
  })

  test.each<[string, boolean, (journal: ReturnType<typeof open>) => void]>([
    ['refused', false, (j) => j.endCreate(j.begin(), { outcome: 'refused', status: 400 }, 1)],
    ['not sent', false, (j) => j.endCreate(j.begin(), { outcome: 'not-sent' }, 1)],
    ['unanswered', false, (j) => j.endCreate(j.begin(), { outcome: 'unknown' }, 1)],
    ['under way', true, (j) => void j.begin()],
    ['created', true, (j) => void j.placed()],
    [
      'refused as expired, without proof',
      true,
      (j) => {
        j.placed()
        j.confirmed('o1', { outcome: 'refused', status: 419, refusal: 'expired' })
      },
    ],
    [
      'expired, by proof',
      false,
      (j) => {
        j.placed()
        j.confirmed('o1', { outcome: 'refused', status: 419, refusal: 'expired' })
        const entry = j.find(owner, 'o1')
        if (entry !== undefined) j.expire(entry, j.callsOf(entry.number).slice(1), 9)
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

  test('whose answer is awaited keeps others from its reference for a minute at most', () => {
    const { begin, beginCreate } = open()
    begin({ until: 1_000_000 })
    expect(beginCreate(intent({ at: 60_999 })).kind).toBe('taken')
    expect(beginCreate(intent({ at: 61_000 })).kind).toBe('begun')
  })

  test('whose answer is awaited keeps out one that waited for its transaction, and so is older', () => {
    const { begin, beginCreate } = open()
    begin()
    expect(beginCreate(intent({ at: 990 })).kind).toBe('taken')
  })

  test('of a time that is far ahead, as of a clock that was put back, keeps nobody out', () => {
    const { begin, beginCreate } = open()
    begin({ at: 100_000, until: 145_000 })
    expect(beginCreate(intent({ at: 40_001 })).kind).toBe('taken')
    expect(beginCreate(intent({ at: 40_000 })).kind).toBe('begun')
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
    [{ outcome: 'refused', status: 419, refusal: 'expired' }, 'created'],
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
      kind: 'confirmed',
      standing: 'processing',
    })
    expect(callsOf(order)).toHaveLength(1)
  })

  test('two that are open at once are refused by the table itself', () => {
    using scratch = openScratch()
    openJournal(scratch.file).close()
    const database = new DatabaseSync(scratch.file)
    database.exec(
      `INSERT INTO accounts (number, address) VALUES (1, 'a');
       INSERT INTO orders (account, profile, origin, standing, placed_at, changed_at) VALUES (1, 'p', 'o', 'unknown', 1, 1)`,
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
  const taken = (orderId: string) => ({ kind: 'taken', by: { orderId } })

  test('an order whose create was lost is not confirmed once another holds its reference', () => {
    const journal = open()
    const first = journal.begin()
    journal.endCreate(first, { outcome: 'unknown' }, 9)
    journal.placed('o2')
    journal.endCreate(first, done('o1'), 10)
    expect(journal.beginConfirm(confirmIntent('o1'))).toMatchObject(taken('o2'))
    expect(journal.beginConfirm(confirmIntent('o2')).kind).toBe('begun')
    expect(journal.beginConfirm(confirmIntent('o1', { allowDuplicate: true })).kind).toBe('begun')
  })

  test.each<[string, ConfirmEnd | undefined]>([
    ['under way', undefined],
    ['unknown', { outcome: 'unknown' }],
    ['refused without proof', { outcome: 'refused', status: 400 }],
    ['done', { outcome: 'done' }],
  ])('an order is not confirmed while the confirm of another with its reference is %s', (_title, end) => {
    const journal = open()
    const first = journal.begin()
    journal.endCreate(first, { outcome: 'unknown' }, 9)
    journal.placed('o2')
    const begun = journal.toConfirm('o2')
    if (end !== undefined) journal.endConfirm(begun, end, 10)
    journal.endCreate(first, done('o1'), 11)
    expect(journal.beginConfirm(confirmIntent('o1'))).toMatchObject(taken('o2'))
    // An order that was created elsewhere is held to it, too.
    expect(journal.beginConfirm(confirmIntent('foreign'))).toMatchObject(taken('o2'))
  })

  test('a refused confirm may be sent again for the same order', () => {
    const { placed, confirmed, toConfirm } = open()
    placed()
    confirmed('o1', { outcome: 'refused', status: 400 })
    expect(toConfirm('o1').kind).toBe('begun')
  })

  test('an order that was placed with --allow-duplicate keeps neither from being confirmed', () => {
    const { placed, beginConfirm } = open()
    placed('o1')
    placed('o2', { allowDuplicate: true })
    expect(['o1', 'o2'].map((id) => beginConfirm(confirmIntent(id)).kind)).toEqual(['begun', 'begun'])
  })

  test('old orders stay with the account of their address if a profile moves', () => {
    const { placed, beginCreate } = open()
    placed()
    expect(beginCreate(intent(accountAt('https://new.example'))).kind).toBe('begun')
  })
})

describe('an id that is given again', () => {
  test('names the newer order, and leaves the older one as it is', () => {
    const { placed, numbered, find, begin, endCreate } = open()
    const old = placed('o1')
    const again = begin({ reference: 'other' })
    expect(endCreate(again, done('o1'), 5).map(({ number }) => number)).toEqual([old.order])
    expect(numbered(old.order)).toMatchObject({ standing: 'created' })
    expect(find(owner, 'o1')).toMatchObject({ reference: 'other' })
  })

  test('is not confirmed while the first confirm of it is open', () => {
    const { placed, toConfirm, beginConfirm, numbered } = open()
    const old = placed('o1')
    toConfirm('o1')
    placed('o1', { allowDuplicate: true })
    expect(numbered(old.order)).toMatchObject({ standing: 'unknown' })
    expect(beginConfirm(confirmIntent('o1'))).toMatchObject({ kind: 'open' })
  })

  test('may be confirmed only if a create gave it to a new order', () => {
    const { placed, note, beginConfirm, list } = open()
    placed('o1')
    note('o1', 'successful', 5)
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    placed('o1', { reference: 'new' })
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('begun')
    expect(list({ limit: 9 }).map(({ standing }) => standing)).toEqual(['unknown', 'successful'])
  })

  test('is not that of a number: those are never given again', () => {
    const { begin, forget, numbered } = open()
    const { order } = begin()
    forget(owner.account)
    expect(begin().order).toBeGreaterThan(order)
    expect(numbered(order)).toBeUndefined()
  })
})

test('a proof settles the confirms that it was found for, and none that came since', () => {
  const { placed, toConfirm, endConfirm, find, callsOf, expire, standing } = open()
  placed()
  const first = toConfirm('o1')
  const [seen, call] = [find(owner, 'o1'), callsOf(first.order).at(-1)]
  if (seen === undefined || call === undefined) throw new Error('lost')
  endConfirm(first, { outcome: 'not-sent' }, 3)
  const second = toConfirm('o1')
  expire(seen, [call], 4)
  expire(seen, [], 4)
  expect(standing('o1')).toBe('unknown')
  expect(callsOf(second.order).at(-1)).not.toHaveProperty('settled')
})

describe('a person settles an order', () => {
  const decision = { by: 'sam', reason: 'the bank says so', at: 9 }

  test('as spent: it counts as confirmed, and who said so is kept', () => {
    const { placed, confirmed, find, decide, callsOf, beginConfirm, beginCreate } = open()
    placed()
    confirmed('o1', { outcome: 'unknown' })
    const entry = find(owner, 'o1')
    if (entry === undefined) throw new Error('lost')
    decide(entry, { ...decision, isSpent: true, standsAs: 'confirmed' })
    expect(find(owner, 'o1')).toMatchObject({ standing: 'confirmed', confirmedAt: 9 })
    expect(callsOf(entry.number).at(-1)).toMatchObject({
      ...{ settled: 'took-effect', settledBy: 'sam', reason: 'the bank says so' },
    })
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    expect(beginCreate(intent()).kind).toBe('taken')
  })

  test('as not spent: the reference is free', () => {
    const { placed, confirmed, find, decide, callsOf, beginCreate } = open()
    placed()
    confirmed('o1', { outcome: 'unknown' })
    const entry = find(owner, 'o1')
    if (entry === undefined) throw new Error('lost')
    decide(entry, { ...decision, isSpent: false, standsAs: 'expired' })
    expect(callsOf(entry.number).at(-1)).toMatchObject({ settled: 'no-effect', settledBy: 'sam' })
    expect(beginCreate(intent()).kind).toBe('begun')
  })
})

test('whatever goes wrong in it is a failure of the journal', () => {
  const { close, list } = open()
  close()
  expect(() => list({ limit: 1 })).toThrow(
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

  test('keeps a confirmed order confirmed, whatever the service says later', () => {
    const { placed, confirmed, note, find, beginConfirm, callsOf } = open()
    const { order } = placed()
    confirmed('o1', { outcome: 'done' })
    for (const state of ['created', 'on_hold', 'pending']) note('o1', state, 5)
    expect(find(owner, 'o1')).toMatchObject({ standing: 'confirmed' })
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    expect(callsOf(order)).toHaveLength(2)
  })

  test.each(['failed', 'rejected'])('shows an order that was %s and is delivered after all', (state) => {
    const { placed, note, standing, beginCreate } = open()
    placed()
    note('o1', state, 5)
    note('o1', 'confirmed', 6)
    expect(standing('o1')).toBe(state)
    note('o1', 'successful', 7)
    expect(standing('o1')).toBe('successful')
    expect(beginCreate(intent()).kind).toBe('taken')
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
    const begun = begin()
    endCreate(begun, { outcome: 'unknown', orderId: 'o1', createdAt: 1, expiresAt: 9 }, 1)
    noteOrder(begun.order, { state: 'created', total: '7', at: 2 })
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
    journal.placed('o3', {
      at: 3_000,
      reference: 'c',
      profile: 'other',
      ...accountAt('https://other.example'),
    })
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

  test('an account that the journal does not know has no unfinished orders', () => {
    expect(filled().unfinished(accountAt('https://nobody.example'))).toEqual([])
  })

  test('the last order is the last that was placed from here, whatever came of it', () => {
    const { last, toConfirm } = filled()
    toConfirm('foreign')
    expect(last(owner)).toMatchObject({ reference: 'd', standing: 'not-sent' })
    expect(last(accountAt('https://nobody.example'))).toBeUndefined()
  })

  test('forgets the orders of one account alone', () => {
    const { forget, list } = filled()
    forget(owner.account)
    expect(list({ limit: 10 }).map(({ reference }) => reference)).toEqual(['c'])
  })

  test('reveals are kept with who and when', () => {
    const { noteReveal, reveals } = filled()
    const { profile, origin } = owner
    const reveal = {
      profile,
      origin,
      orderId: 'o1',
      skus: ['A', 'B'],
      at: 7,
      who: 'sam',
      how: 'reveal' as const,
    }
    noteReveal(reveal)
    noteReveal({ ...reveal, profile: 'other', at: 9 })
    expect(reveals({ limit: 10 })).toEqual([{ ...reveal, profile: 'other', at: 9 }, reveal])
    expect(reveals({ limit: 10, profile: 'shop' })).toEqual([reveal])
    expect(reveals({ limit: 10, since: 8 }).map(({ at }) => at)).toEqual([9])
  })
})

describe('the file', () => {
  const loss = 'If you move it away, orderctl forgets its orders and cannot prevent a second purchase.'

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
      details: { fix: 'Update orderctl. The file was left untouched.' },
    })
    expect(readFileSync(scratch.file)).toEqual(before)
  })

  test('that is damaged is refused where the damage is met, and untouched', () => {
    using scratch = openScratch()
    const journal = openJournal(scratch.file)
    journal.beginCreate(intent())
    journal.close()
    const database = new DatabaseSync(scratch.file)
    const found = database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'orders'`).get()
    database.close()
    const start = (Number(found?.rootpage) - 1) * 4096
    const bytes = readFileSync(scratch.file)
    bytes.fill(0xff, start, start + 4096)
    writeFileSync(scratch.file, bytes)
    for (const version of [1, 2]) writeFileSync(`${scratch.file}.v${version}.backup`, '')
    const again = openJournal(scratch.file)
    expect(failing(() => again.beginCreate(intent({ reference: 'x' })))).toMatchObject({
      kind: 'local-state',
      message: `${scratch.file} is damaged`,
      details: {
        fix: `It was left untouched. A backup exists, without later orders: state.db.v2.backup. ${loss}`,
      },
    })
    again.close()
    expect(readFileSync(scratch.file).subarray(start)).toEqual(bytes.subarray(start))
  })

  test('that may not be written is refused', () => {
    using scratch = openScratch()
    writeFileSync(scratch.file, 'no database of ours')
    chmodSync(scratch.file, 0o600)
    expect(failing(() => openJournal(scratch.file))).toMatchObject({
      kind: 'local-state',
      message: `${scratch.file} is not a database`,
      details: {
        fix: `It was left untouched. If you have a copy of it, restore that. ${loss}`,
      },
    })
  })
})
