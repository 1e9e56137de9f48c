// The journal in a real file: its records of calls, its refusals and its queries.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { getAccountId } from '../../src/contract/account-id.ts'
import { Failure } from '../../src/errors.ts'
import type { ConfirmEnd, ConfirmIntent, CreateEnd, CreateIntent } from '../../src/journal/calls.ts'
import { isOpen } from '../../src/journal/entry.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { openScratch } from '../support/scratch.ts'

const accountAt = (origin: string) => ({ origin, account: getAccountId(origin) })
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
    if (begun.kind !== 'started') throw new Error(begun.kind)
    return begun
  }
  const beginConfirm = (orderId: string, fields: Partial<ConfirmIntent> = {}) => {
    const begun = journal.beginConfirm(confirmIntent(orderId, fields))
    if (begun.kind !== 'started') throw new Error(begun.kind)
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
      const entry = journal.findOrder(owner, orderId)
      if (entry !== undefined) journal.recordOrder(entry.number, { state, at })
    },
    getState: (orderId: string) => journal.findOrder(owner, orderId)?.state,
  }
}

describe('create', () => {
  test('is on disk as an open call before anything is sent', () => {
    const { begin, getOrder, listCalls } = open()
    const { order } = begin()
    expect(getOrder(order)).toEqual({
      ...{ profile: owner.profile, origin: owner.origin, account: 1 },
      duplicate: 0,
      number: 1,
      reference: 'r',
      referenceFold: 'r',
      state: 'unanswered',
      request: '{"productList":[]}',
      wallet: 'USD',
      placedAt: 1_000,
      changedAt: 1_000,
    })
    expect(listCalls(order)).toEqual([
      { number: 1, orderNumber: 1, operation: 'create', outcome: 'sending', startedAt: 1_000, until: 46_000 },
    ])
  })

  test.each<[CreateEnd, object, object]>([
    [
      done(),
      { state: 'created', orderId: 'o1', total: '25', expiresAt: 601_000 },
      { outcome: 'done', answeredAt: 1_100 },
    ],
    [
      { outcome: 'refused', status: 404, refusal: 'product-not-found' },
      { state: 'refused' },
      { outcome: 'refused', status: 404, refusal: 'product-not-found' },
    ],
    [{ outcome: 'not-sent' }, { state: 'not-sent' }, { outcome: 'not-sent' }],
    [{ outcome: 'unknown', status: 502 }, { state: 'unanswered' }, { outcome: 'unknown', status: 502 }],
    [
      { outcome: 'unknown', orderId: 'o9', createdAt: 1_050, expiresAt: 9_000 },
      { state: 'created', orderId: 'o9', expiresAt: 9_000 },
      { outcome: 'unknown' },
    ],
  ])('ends as %j', (end, entry, call) => {
    const { begin, endCreate, getOrder, listCalls } = open()
    const begun = begin()
    endCreate(begun, end, 1_100)
    expect(getOrder(begun.order)).toMatchObject(entry)
    expect(listCalls(begun.order)).toMatchObject([call])
  })

  test('is refused if its reference is taken on the same account, with any profile or spelling', () => {
    const { begin, beginCreate, placed } = open()
    placed()
    expect(beginCreate(intent())).toMatchObject({ kind: 'taken', by: { orderId: 'o1' } })
    expect(beginCreate(intent({ profile: 'other' })).kind).toBe('taken')
    expect(beginCreate(intent(accountAt('http://ORDERS.example.:80/'))).kind).toBe('taken')
    begin(accountAt('https://elsewhere.example'))
    begin({ reference: 'R' })
    begin({ allowDuplicate: true })
  })

  test('treats references that differ in outer spaces or Unicode form as equal', () => {
    const { beginCreate, placed, findSimilarReferences } = open()
    placed('o1', { reference: 'caf\u00e9' })
    expect(beginCreate(intent({ reference: ' cafe\u0301 ' })).kind).toBe('taken')
    expect(findSimilarReferences(owner.account, 'Caf\u00e9')).toEqual(['caf\u00e9'])
    expect(findSimilarReferences(owner.account, 'caf\u00e9\u200b')).toEqual(['caf\u00e9'])
    expect(findSimilarReferences(owner.account, 'caf\u00e9')).toEqual([])
    expect(beginCreate(intent({ reference: 'Caf\u00e9' })).kind).toBe('started')
  })

  test('separates two declared accounts of one address, and treats an undeclared one as either', () => {
    const { beginCreate, placed } = open()
    const named = (name: string) => ({ account: getAccountId(owner.origin, name) })
    placed('o1', named('eu'))
    expect(beginCreate(intent(named('eu'))).kind).toBe('taken')
    expect(beginCreate(intent()).kind).toBe('taken')
    expect(beginCreate(intent(named('us'))).kind).toBe('started')
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
        const entry = j.findOrder(owner, 'o1')
        if (entry !== undefined) j.recordExpiry(entry, j.listCalls(entry.number).slice(1), 9)
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
    expect(journal.beginCreate(intent()).kind).toBe(isTaken ? 'taken' : 'started')
  })

  test('without an answer reserves its reference for at most a minute', () => {
    const { begin, beginCreate } = open()
    begin({ until: 1_000_000 })
    expect(beginCreate(intent({ at: 60_999 })).kind).toBe('taken')
    expect(beginCreate(intent({ at: 61_000 })).kind).toBe('started')
  })

  test('without an answer blocks an older intent that waited for its transaction', () => {
    const { begin, beginCreate } = open()
    begin()
    expect(beginCreate(intent({ at: 990 })).kind).toBe('taken')
  })

  test('with a time in the future, after the clock was set back, blocks nothing', () => {
    const { begin, beginCreate } = open()
    begin({ at: 100_000, until: 145_000 })
    expect(beginCreate(intent({ at: 40_001 })).kind).toBe('taken')
    expect(beginCreate(intent({ at: 40_000 })).kind).toBe('started')
  })
})

describe('confirm', () => {
  test('is on disk as an open call, also of an order that was created elsewhere', () => {
    const { toConfirm, findOrder, listCalls } = open()
    const { order } = toConfirm('o7')
    expect(findOrder(owner, 'o7')).toMatchObject({ state: 'unknown', reference: 'r', total: '25' })
    expect(listCalls(order)).toMatchObject([{ operation: 'confirm', outcome: 'sending' }])
  })

  test.each<[ConfirmEnd, string]>([
    [{ outcome: 'done' }, 'confirmed'],
    [{ outcome: 'not-sent' }, 'created'],
    [{ outcome: 'refused', status: 400, refusal: 'insufficient-funds' }, 'created'],
    [{ outcome: 'refused', status: 419, refusal: 'expired' }, 'created'],
    [{ outcome: 'unknown' }, 'unknown'],
  ])('ended as %j leaves the order %s', (end, state) => {
    const { placed, confirmed, getState } = open()
    placed()
    confirmed('o1', end)
    expect(getState('o1')).toBe(state)
  })

  test.each<[string, ConfirmEnd | undefined]>([
    ['under way', undefined],
    ['unknown', { outcome: 'unknown' }],
  ])('is not started again while one is %s', (_title, end) => {
    const { placed, toConfirm, endConfirm, beginConfirm } = open()
    placed()
    const begun = toConfirm('o1')
    if (end !== undefined) endConfirm(begun, end, 3)
    expect(beginConfirm(confirmIntent('o1', { at: 3, until: 4 }))).toMatchObject({
      kind: 'open',
      call: { startedAt: 2_000 },
    })
  })

  test('is not started for an order that is known to be confirmed', () => {
    const { placed, note, beginConfirm, listCalls } = open()
    const { order } = placed()
    note('o1', 'processing', 2)
    expect(beginConfirm(confirmIntent('o1', { at: 3, until: 4 }))).toEqual({
      kind: 'confirmed',
      state: 'processing',
    })
    expect(listCalls(order)).toHaveLength(1)
  })

  test('a constraint of the table rejects two open confirms', () => {
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
    expect(journal.beginConfirm(confirmIntent('o2')).kind).toBe('started')
    expect(journal.beginConfirm(confirmIntent('o1', { allowDuplicate: true })).kind).toBe('started')
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
    // This applies to an order that was created elsewhere, too.
    expect(journal.beginConfirm(confirmIntent('foreign'))).toMatchObject(taken('o2'))
  })

  test('a refused confirm may be sent again for the same order', () => {
    const { placed, confirmed, toConfirm } = open()
    placed()
    confirmed('o1', { outcome: 'refused', status: 400 })
    expect(toConfirm('o1').kind).toBe('started')
  })

  test('an order that was placed with --allow-duplicate keeps neither from being confirmed', () => {
    const { placed, beginConfirm } = open()
    placed('o1')
    placed('o2', { allowDuplicate: true })
    expect(['o1', 'o2'].map((id) => beginConfirm(confirmIntent(id)).kind)).toEqual(['started', 'started'])
  })

  test('old orders stay with the account of their address if a profile moves', () => {
    const { placed, beginCreate } = open()
    placed()
    expect(beginCreate(intent(accountAt('https://new.example'))).kind).toBe('started')
  })
})

describe('a reused order id', () => {
  test('belongs to the newer order, and the older one is unchanged', () => {
    const { placed, getOrder, findOrder, begin, endCreate } = open()
    const old = placed('o1')
    const again = begin({ reference: 'other' })
    expect(endCreate(again, done('o1'), 5).map(({ number }) => number)).toEqual([old.order])
    expect(getOrder(old.order)).toMatchObject({ state: 'created' })
    expect(findOrder(owner, 'o1')).toMatchObject({ reference: 'other' })
  })

  test('is not confirmed while the first confirm of it is open', () => {
    const { placed, toConfirm, beginConfirm, getOrder } = open()
    const old = placed('o1')
    toConfirm('o1')
    placed('o1', { allowDuplicate: true })
    expect(getOrder(old.order)).toMatchObject({ state: 'unknown' })
    expect(beginConfirm(confirmIntent('o1'))).toMatchObject({ kind: 'open' })
  })

  test('may be confirmed only if a create gave it to a new order', () => {
    const { placed, note, beginConfirm, listOrders } = open()
    placed('o1')
    note('o1', 'successful', 5)
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    placed('o1', { reference: 'new' })
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    expect(beginConfirm(confirmIntent('o1', { reference: 'new' })).kind).toBe('started')
    expect(listOrders({ limit: 9 }).map(({ state }) => state)).toEqual(['unknown', 'successful'])
  })

  test('does not apply to numbers, which are never reused', () => {
    const { begin, deleteOrders, getOrder } = open()
    const { order } = begin()
    deleteOrders(owner.account)
    expect(begin().order).toBeGreaterThan(order)
    expect(getOrder(order)).toBeUndefined()
  })
})

test('a proof settles only the confirms for which it was found', () => {
  const { placed, toConfirm, endConfirm, findOrder, listCalls, recordExpiry, getState } = open()
  placed()
  const first = toConfirm('o1')
  const [seen, call] = [findOrder(owner, 'o1'), listCalls(first.order).at(-1)]
  if (seen === undefined || call === undefined) throw new Error('lost')
  endConfirm(first, { outcome: 'not-sent' }, 3)
  const second = toConfirm('o1')
  recordExpiry(seen, [call], 4)
  recordExpiry(seen, [], 4)
  expect(getState('o1')).toBe('unknown')
  expect(listCalls(second.order).at(-1)).not.toHaveProperty('settled')
})

describe('a person settles an order', () => {
  const decision = { by: 'sam', reason: 'the bank says so', at: 9 }

  test('as spent: it counts as confirmed, and the user is stored', () => {
    const { placed, confirmed, findOrder, recordDecision, listCalls, beginConfirm, beginCreate } = open()
    placed()
    confirmed('o1', { outcome: 'unknown' })
    const entry = findOrder(owner, 'o1')
    if (entry === undefined) throw new Error('lost')
    recordDecision(entry, { ...decision, isSpent: true, state: 'confirmed' })
    expect(findOrder(owner, 'o1')).toMatchObject({ state: 'confirmed', confirmedAt: 9 })
    expect(listCalls(entry.number).at(-1)).toMatchObject({
      ...{ settled: 'took-effect', settledBy: 'sam', reason: 'the bank says so' },
    })
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    expect(beginCreate(intent()).kind).toBe('taken')
  })

  test('as not spent: the reference is free', () => {
    const { placed, confirmed, findOrder, recordDecision, listCalls, beginCreate } = open()
    placed()
    confirmed('o1', { outcome: 'unknown' })
    const entry = findOrder(owner, 'o1')
    if (entry === undefined) throw new Error('lost')
    recordDecision(entry, { ...decision, isSpent: false, state: 'expired' })
    expect(listCalls(entry.number).at(-1)).toMatchObject({ settled: 'no-effect', settledBy: 'sam' })
    expect(beginCreate(intent()).kind).toBe('started')
  })
})

test('every error in it is a failure of the journal', () => {
  const { close, listOrders } = open()
  close()
  expect(() => listOrders({ limit: 1 })).toThrow(
    expect.objectContaining({
      kind: 'local-state',
      message: expect.stringContaining('cannot use the journal'),
    }),
  )
})

describe('the answer to get', () => {
  test('settles open calls if the order is past pending', () => {
    const { placed, toConfirm, note, getState, listCalls } = open()
    placed()
    const { order } = toConfirm('o1')
    note('o1', 'created', 3_000)
    expect(getState('o1')).toBe('unknown')
    note('o1', 'processing', 4_000)
    expect(getState('o1')).toBe('processing')
    expect(listCalls(order)).toMatchObject([
      { outcome: 'done' },
      { outcome: 'sending', settled: 'took-effect', settledAt: 4_000 },
    ])
  })

  test('is not undone by a late end of the call', () => {
    const { placed, toConfirm, note, endConfirm, getState, listCalls } = open()
    placed()
    const begun = toConfirm('o1')
    note('o1', 'successful', 4_000)
    endConfirm(begun, { outcome: 'unknown' }, 5_000)
    expect(getState('o1')).toBe('successful')
    expect(listCalls(begun.order).some(isOpen)).toBe(false)
  })

  test('never goes back', () => {
    const { placed, note, getState } = open()
    placed()
    for (const state of ['processing', 'confirmed', 'created', 'successful', 'processing'])
      note('o1', state, 5)
    expect(getState('o1')).toBe('successful')
  })

  test('keeps a confirmed order confirmed after any later answer', () => {
    const { placed, confirmed, note, findOrder, beginConfirm, listCalls } = open()
    const { order } = placed()
    confirmed('o1', { outcome: 'done' })
    for (const state of ['created', 'on_hold', 'pending']) note('o1', state, 5)
    expect(findOrder(owner, 'o1')).toMatchObject({ state: 'confirmed' })
    expect(beginConfirm(confirmIntent('o1')).kind).toBe('confirmed')
    expect(listCalls(order)).toHaveLength(2)
  })

  test.each(['failed', 'rejected'])('shows an order that was %s and is delivered after all', (state) => {
    const { placed, note, getState, beginCreate } = open()
    placed()
    note('o1', state, 5)
    note('o1', 'confirmed', 6)
    expect(getState('o1')).toBe(state)
    note('o1', 'successful', 7)
    expect(getState('o1')).toBe('successful')
    expect(beginCreate(intent()).kind).toBe('taken')
  })

  test('before the first confirm is the name of the pending state', () => {
    const { placed, note, toConfirm, findStateBeforeConfirm, getState } = open()
    const { order } = placed()
    expect(findStateBeforeConfirm(order)).toBeUndefined()
    note('o1', 'pending', 1_500)
    toConfirm('o1')
    expect(getState('o1')).toBe('unknown')
    note('o1', 'under-review', 3_000)
    expect(findStateBeforeConfirm(order)).toBe('pending')
  })

  test('adds a missing total', () => {
    const { begin, endCreate, recordOrder, findOrder } = open()
    const begun = begin()
    endCreate(begun, { outcome: 'unknown', orderId: 'o1', createdAt: 1, expiresAt: 9 }, 1)
    recordOrder(begun.order, { state: 'created', total: '7', at: 2 })
    expect(findOrder(owner, 'o1')).toMatchObject({ state: 'created', total: '7' })
  })

  test('about an order that is not in the journal is ignored', () => {
    const { note, listOrders } = open()
    note('o1', 'successful', 1)
    expect(listOrders({ limit: 10 })).toEqual([])
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
    [{ state: 'created' }, ['c', 'b']],
    [{ reference: 'a' }, ['a']],
    [{ since: 3_000 }, ['d', 'c']],
    [{ unfinished: true }, ['c', 'b']],
    [{ unfinished: true, profile: 'shop' }, ['b']],
    [{ limit: 1 }, ['d']],
  ])('%j', (filter, references) => {
    const found = filled().listOrders({ limit: 10, ...filter })
    expect(found.map(({ reference }) => reference)).toEqual(references)
  })

  test('an account that the journal does not know has no unfinished orders', () => {
    expect(filled().findUnfinished(accountAt('https://nobody.example'))).toEqual([])
  })

  test('the last order is the newest that was created with orderctl, in any state', () => {
    const { findLast, toConfirm } = filled()
    toConfirm('foreign')
    expect(findLast(owner)).toMatchObject({ reference: 'd', state: 'not-sent' })
    expect(findLast(accountAt('https://nobody.example'))).toBeUndefined()
  })

  test('deletes the orders of one account only', () => {
    const { deleteOrders, listOrders } = filled()
    deleteOrders(owner.account)
    expect(listOrders({ limit: 10 }).map(({ reference }) => reference)).toEqual(['c'])
  })

  test('a reveal is stored with user and time', () => {
    const { recordReveals, listReveals } = filled()
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
    recordReveals([reveal, { ...reveal, profile: 'other', at: 9 }])
    expect(listReveals({ limit: 10 })).toEqual([{ ...reveal, profile: 'other', at: 9 }, reveal])
    expect(listReveals({ limit: 10, profile: 'shop' })).toEqual([reveal])
    expect(listReveals({ limit: 10, since: 8 }).map(({ at }) => at)).toEqual([9])
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

  test('is readable only by its owner', () => {
    using scratch = openScratch()
    const journal = openJournal(scratch.file)
    for (const name of ['', '-wal', '-shm']) expect(statSync(scratch.file + name).mode & 0o777).toBe(0o600)
    journal.close()
  })

  test('of a newer orderctl is refused and left untouched', () => {
    using scratch = openScratch()
    openJournal(scratch.file).close()
    const database = new DatabaseSync(scratch.file)
    database.exec('PRAGMA user_version = 99')
    database.close()
    const before = readFileSync(scratch.file)
    expect(failing(() => openJournal(scratch.file))).toMatchObject({
      kind: 'local-state',
      message: expect.stringMatching(/was written by a newer orderctl \(schema 99, expected \d+\)$/),
      details: { fix: 'Update orderctl. The file was left untouched.' },
    })
    expect(readFileSync(scratch.file)).toEqual(before)
  })

  test('that is damaged is refused when the damage is found, and left untouched', () => {
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
        fix: `It was left untouched. A backup without later orders exists: state.db.v2.backup. ${loss}`,
      },
    })
    again.close()
    expect(readFileSync(scratch.file).subarray(start)).toEqual(bytes.subarray(start))
  })

  test('that is read-only is refused', () => {
    using scratch = openScratch()
    writeFileSync(scratch.file, 'no database of ours')
    chmodSync(scratch.file, 0o600)
    expect(failing(() => openJournal(scratch.file))).toMatchObject({
      kind: 'local-state',
      message: `${scratch.file} is not a database`,
      details: {
        fix: `It was left untouched. If you have a backup, restore it. ${loss}`,
      },
    })
  })
})
