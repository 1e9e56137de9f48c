// Creates and confirms in the journal: what is on disk before and after each call, what is refused, and what responses change.

import { describe, expect, onTestFinished, test } from 'vitest'
import { getAccountId } from '../../../src/contract/account-id.ts'
import type { ConfirmEnd, CreateEnd } from '../../../src/journal/orders/calls.ts'
import { isOpen } from '../../../src/journal/orders/entry.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { listCalls } from '../../../src/journal/orders/queries.ts'
import { journalKinds } from '../journals.ts'
import {
  accountAt,
  confirmIntent,
  createOrderDesk,
  done,
  intent,
  type OrderDesk,
  owner,
  update,
} from '../order-desk.ts'

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const { journal, close } = await kind.open()
    onTestFinished(close)
    return createOrderDesk(journal)
  }
  const writtenBy = kind.name === 'SQLite' ? undefined : expect.stringContaining('ana')

  describe('create', () => {
    test('is on disk as an open call before anything is sent', async () => {
      const { begin, getOrder, listCalls } = await open()
      const { order } = await begin()
      expect(await getOrder(order)).toEqual({
        ...{ profile: owner.profile, origin: owner.origin, account: 1 },
        duplicate: 0,
        number: 1,
        reference: 'r',
        referenceFold: 'r',
        referenceShown: 0,
        ...{ standing: 'creating', state: 'creating', confirms: 0 },
        request: '{"productList":[]}',
        wallet: 'USD',
        placedAt: 1_000,
        changedAt: 1_000,
        actor: 1,
        writtenBy,
      })
      expect(await listCalls(order)).toEqual([
        {
          number: 1,
          id: expect.any(String),
          orderNumber: 1,
          operation: 'create',
          outcome: 'sending',
          startedAt: 1_000,
          until: 46_000,
          actor: 1,
          writtenBy,
          profileName: 'shop',
        },
      ])
    })

    test.each<[CreateEnd, object, object]>([
      [
        done(),
        { state: 'created', orderId: 'o1', total: '25', expiresAt: 601_000 },
        { outcome: 'done', respondedAt: 1_100 },
      ],
      [
        { outcome: 'refused', status: 404, refusal: 'product-not-found' },
        { state: 'refused' },
        { outcome: 'refused', status: 404, refusal: 'product-not-found' },
      ],
      [{ outcome: 'not-sent' }, { state: 'not-sent' }, { outcome: 'not-sent' }],
      [{ outcome: 'unknown', status: 502 }, { state: 'lost' }, { outcome: 'unknown', status: 502 }],
      [
        { outcome: 'unknown', orderId: 'o9', createdAt: 1_050, expiresAt: 9_000 },
        { state: 'created', orderId: 'o9', expiresAt: 9_000 },
        { outcome: 'unknown' },
      ],
    ])('ends as %j', async (end, entry, call) => {
      const { begin, endCreate, getOrder, listCalls } = await open()
      const begun = await begin()
      await endCreate(begun, end, 1_100)
      expect(await getOrder(begun.order)).toMatchObject(entry)
      expect(await listCalls(begun.order)).toMatchObject([call])
    })

    test('is refused if its reference is taken on the same account, with any profile or spelling', async () => {
      const { begin, beginCreate, placed } = await open()
      await placed()
      expect(await beginCreate(intent())).toMatchObject({ kind: 'taken', by: { orderId: 'o1' } })
      expect((await beginCreate(intent({ profile: 'other' }))).kind).toBe('taken')
      expect((await beginCreate(intent(accountAt('http://ORDERS.example.:80/')))).kind).toBe('taken')
      await begin(accountAt('https://elsewhere.example'))
      await begin({ reference: 'R' })
      await begin({ allowDuplicate: true })
    })

    test('treats references that differ in outer spaces or Unicode form as equal', async () => {
      const { beginCreate, placed, findSimilarReferences } = await open()
      await placed('o1', { reference: 'caf\u00e9' })
      expect((await beginCreate(intent({ reference: ' cafe\u0301 ' }))).kind).toBe('taken')
      expect(await findSimilarReferences(owner.account, 'Caf\u00e9')).toEqual(['caf\u00e9'])
      expect(await findSimilarReferences(owner.account, 'caf\u00e9\u200b')).toEqual(['caf\u00e9'])
      expect(await findSimilarReferences(owner.account, 'caf\u00e9')).toEqual([])
      expect((await beginCreate(intent({ reference: 'Caf\u00e9' }))).kind).toBe('started')
    })

    test('separates two declared accounts of one address, and treats an undeclared one as either', async () => {
      const { beginCreate, placed } = await open()
      const named = (name: string) => ({ account: getAccountId(owner.origin, name) })
      await placed('o1', named('eu'))
      expect((await beginCreate(intent(named('eu')))).kind).toBe('taken')
      expect((await beginCreate(intent())).kind).toBe('taken')
      expect((await beginCreate(intent(named('us')))).kind).toBe('started')
    })

    test.each<[string, boolean, (journal: OrderDesk) => Promise<unknown>]>([
      ['refused', false, async (j) => j.endCreate(await j.begin(), { outcome: 'refused', status: 400 }, 1)],
      ['not sent', false, async (j) => j.endCreate(await j.begin(), { outcome: 'not-sent' }, 1)],
      ['lost', false, async (j) => j.endCreate(await j.begin(), { outcome: 'unknown' }, 1)],
      ['under way', true, (j) => j.begin()],
      ['created', true, (j) => j.placed()],
      [
        'refused as expired, without proof',
        true,
        async (j) => {
          await j.placed()
          await j.confirmed('o1', { outcome: 'refused', status: 419, refusal: 'expired' })
        },
      ],
      [
        'expired, by proof',
        false,
        async (j) => {
          await j.placed()
          await j.confirmed('o1', { outcome: 'refused', status: 419, refusal: 'expired' })
          const entry = await j.findOrder(owner, 'o1')
          if (entry !== undefined) await j.recordExpiry(entry, (await j.listCalls(entry.number)).slice(1), 9)
        },
      ],
      ...(
        ['confirmed', 'failed', 'rejected', 'partial', 'successful', 'under-review', 'expired'] as const
      ).map((state): [string, boolean, (j: OrderDesk) => Promise<unknown>] => [
        state,
        true,
        async (j) => {
          await j.placed()
          await j.note('o1', state, 5)
        },
      ]),
    ])('the reference of one that is %s is taken: %s', async (_title, isTaken, make) => {
      const journal = await open()
      await make(journal)
      expect((await journal.calls.beginCreate(intent())).kind).toBe(isTaken ? 'taken' : 'started')
    })

    test('without a response reserves its reference for at most a minute', async () => {
      const { begin, beginCreate } = await open()
      await begin({ until: 1_000_000 })
      expect((await beginCreate(intent({ at: 60_999 }))).kind).toBe('taken')
      expect((await beginCreate(intent({ at: 61_000 }))).kind).toBe('started')
    })

    test('without a response blocks an older intent that waited for its transaction', async () => {
      const { begin, beginCreate } = await open()
      await begin()
      expect((await beginCreate(intent({ at: 990 }))).kind).toBe('taken')
    })

    test('with a time in the future, after the clock was set back, blocks nothing', async () => {
      const { begin, beginCreate } = await open()
      await begin({ at: 100_000, until: 145_000 })
      expect((await beginCreate(intent({ at: 40_001 }))).kind).toBe('taken')
      expect((await beginCreate(intent({ at: 40_000 }))).kind).toBe('started')
    })
  })

  describe('confirm', () => {
    test('is on disk as an open call, also of an order that was created elsewhere', async () => {
      const { toConfirm, findOrder, listCalls } = await open()
      const { order } = await toConfirm('o7')
      expect(await findOrder(owner, 'o7')).toMatchObject({ state: 'unknown', reference: 'r', total: '25' })
      expect(await listCalls(order)).toMatchObject([{ operation: 'confirm', outcome: 'sending' }])
    })

    test.each<[ConfirmEnd, string]>([
      [{ outcome: 'done' }, 'confirmed'],
      [{ outcome: 'not-sent' }, 'created'],
      [{ outcome: 'refused', status: 400, refusal: 'insufficient-funds' }, 'created'],
      [{ outcome: 'refused', status: 419, refusal: 'expired' }, 'created'],
      [{ outcome: 'unknown' }, 'unknown'],
    ])('ended as %j leaves the order %s', async (end, state) => {
      const { placed, confirmed, getState } = await open()
      await placed()
      await confirmed('o1', end)
      expect(await getState('o1')).toBe(state)
    })

    test.each<[string, ConfirmEnd | undefined]>([
      ['under way', undefined],
      ['unknown', { outcome: 'unknown' }],
    ])('is not started again while one is %s', async (_title, end) => {
      const { placed, toConfirm, endConfirm, beginConfirm } = await open()
      await placed()
      const begun = await toConfirm('o1')
      if (end !== undefined) await endConfirm(begun, end, 3)
      expect(await beginConfirm(confirmIntent('o1', { at: 3, until: 4 }))).toMatchObject({
        kind: 'open',
        call: { startedAt: 2_000 },
      })
    })

    test('is not started for an order that is known to be confirmed', async () => {
      const { placed, note, beginConfirm, listCalls } = await open()
      const { order } = await placed()
      await note('o1', 'processing', 2)
      expect(await beginConfirm(confirmIntent('o1', { at: 3, until: 4 }))).toEqual({
        kind: 'confirmed',
        state: 'processing',
      })
      expect(await listCalls(order)).toHaveLength(1)
    })

    test('a constraint of the table rejects two open confirms', async () => {
      const { journal, query, close } = await kind.openShared()
      onTestFinished(close)
      const { order } = await createOrderDesk(journal).toConfirm('o1')
      const insert = (outcome: string) =>
        query(
          `INSERT INTO calls (id, order_number, operation, outcome, started_at, until)
         VALUES ($outcome, $order, 'confirm', $outcome, 1, 1)`,
          { order, outcome },
        )
      await insert('refused')
      await expect(insert('sending')).rejects.toThrow(/unique/i)
      expect(await listCalls(journal.read, order)).toHaveLength(2)
    })
  })

  describe('one reference, one purchase', () => {
    const taken = (orderId: string) => ({ kind: 'taken', by: { orderId } })

    test('an order whose create was lost is not confirmed once another holds its reference', async () => {
      const journal = await open()
      const first = await journal.begin()
      await journal.calls.endCreate(first, { outcome: 'unknown' }, 9)
      await journal.placed('o2')
      await journal.calls.endCreate(first, done('o1'), 10)
      expect(await journal.calls.beginConfirm(confirmIntent('o1'))).toMatchObject(taken('o2'))
      expect((await journal.calls.beginConfirm(confirmIntent('o2'))).kind).toBe('started')
      expect((await journal.calls.beginConfirm(confirmIntent('o1', { allowDuplicate: true }))).kind).toBe(
        'started',
      )
    })

    test.each<[string, ConfirmEnd | undefined]>([
      ['under way', undefined],
      ['unknown', { outcome: 'unknown' }],
      ['refused without proof', { outcome: 'refused', status: 400 }],
      ['done', { outcome: 'done' }],
    ])(
      'an order is not confirmed while the confirm of another with its reference is %s',
      async (_title, end) => {
        const journal = await open()
        const first = await journal.begin()
        await journal.calls.endCreate(first, { outcome: 'unknown' }, 9)
        await journal.placed('o2')
        const begun = await journal.toConfirm('o2')
        if (end !== undefined) await journal.calls.endConfirm(begun, end, 10)
        await journal.calls.endCreate(first, done('o1'), 11)
        expect(await journal.calls.beginConfirm(confirmIntent('o1'))).toMatchObject(taken('o2'))
        // This applies to an order that was created elsewhere, too, and to a different reference from the service.
        expect(await journal.calls.beginConfirm(confirmIntent('foreign'))).toMatchObject(taken('o2'))
        const renamed = confirmIntent('o1', { reference: 'other' })
        expect(await journal.calls.beginConfirm(renamed)).toMatchObject(taken('o2'))
      },
    )

    test('an order that was placed with --allow-duplicate keeps neither from being confirmed', async () => {
      const { placed, beginConfirm } = await open()
      await placed('o1')
      await placed('o2', { allowDuplicate: true })
      expect((await beginConfirm(confirmIntent('o1'))).kind).toBe('started')
      expect((await beginConfirm(confirmIntent('o2'))).kind).toBe('started')
    })
  })

  describe('a reused order id', () => {
    test('belongs to the newer order, and the older one is unchanged', async () => {
      const { placed, getOrder, findOrder, begin, endCreate } = await open()
      const old = await placed('o1')
      const again = await begin({ reference: 'other' })
      expect((await endCreate(again, done('o1'), 5)).map(({ number }) => number)).toEqual([old.order])
      expect(await getOrder(old.order)).toMatchObject({ state: 'created' })
      expect(await findOrder(owner, 'o1')).toMatchObject({ reference: 'other' })
    })

    test('is not confirmed while the first confirm of it is open', async () => {
      const { placed, toConfirm, beginConfirm, getOrder } = await open()
      const old = await placed('o1')
      await toConfirm('o1')
      await placed('o1', { allowDuplicate: true })
      expect(await getOrder(old.order)).toMatchObject({ state: 'unknown' })
      expect(await beginConfirm(confirmIntent('o1'))).toMatchObject({ kind: 'open' })
    })

    test('may be confirmed only if a create gave it to a new order', async () => {
      const { placed, note, beginConfirm, listOrders } = await open()
      await placed('o1')
      await note('o1', 'successful', 5)
      expect((await beginConfirm(confirmIntent('o1'))).kind).toBe('confirmed')
      await placed('o1', { reference: 'new' })
      expect((await beginConfirm(confirmIntent('o1'))).kind).toBe('confirmed')
      expect((await beginConfirm(confirmIntent('o1', { reference: 'new' }))).kind).toBe('started')
      expect((await listOrders({ limit: 9 })).map(({ state }) => state)).toEqual(['unknown', 'successful'])
    })

    test('does not apply to numbers, which are never reused', async () => {
      const { begin, deleteOrders, getOrder } = await open()
      const { order } = await begin()
      await deleteOrders(owner.account)
      expect((await begin()).order).toBeGreaterThan(order)
      expect(await getOrder(order)).toBeUndefined()
    })
  })

  test('a proof settles only the confirms that it is for', async () => {
    const { placed, toConfirm, endConfirm, findOrder, listCalls, recordExpiry, getState } = await open()
    await placed()
    const first = await toConfirm('o1')
    const [seen, call] = [await findOrder(owner, 'o1'), (await listCalls(first.order)).at(-1)]
    if (seen === undefined || call === undefined) throw new Error('lost')
    await endConfirm(first, { outcome: 'not-sent' }, 3)
    const second = await toConfirm('o1')
    await recordExpiry(seen, [call], 4)
    await recordExpiry(seen, [], 4)
    expect(await getState('o1')).toBe('unknown')
    expect((await listCalls(second.order)).at(-1)).not.toHaveProperty('settled')
  })

  test.each([
    [true, 'confirmed', 'took-effect', 'taken'],
    [false, 'not-spent', 'no-effect', 'started'],
  ])('a person who settles an order as spent: %s makes it %s', async (isSpent, state, settled, create) => {
    const { placed, confirmed, findOrder, recordDecision, listCalls, beginCreate } = await open()
    await placed()
    await confirmed('o1', { outcome: 'unknown' })
    const entry = await findOrder(owner, 'o1')
    if (entry === undefined) throw new Error('lost')
    await recordDecision(entry, { isSpent, by: 'sam', reason: 'the bank says so', at: 9 })
    expect(await findOrder(owner, 'o1')).toMatchObject({ state, ...(isSpent ? { confirmedAt: 9 } : {}) })
    expect((await listCalls(entry.number)).at(-1)).toMatchObject({
      ...{ settled, settledBy: expect.stringMatching(/^sam\b/), reason: 'the bank says so' },
    })
    expect((await beginCreate(intent())).kind).toBe(create)
  })

  test('a decision about an order that was confirmed meanwhile is not recorded', async () => {
    const { placed, toConfirm, findOrder, recordDecision, listCalls } = await open()
    await placed()
    const seen = await findOrder(owner, 'o1')
    if (seen === undefined) throw new Error('lost')
    const { order } = await toConfirm('o1')
    const decision = { isSpent: false, by: 'sam', reason: 'never paid', at: 9 }
    expect(await recordDecision(seen, decision)).toBe(false)
    expect(await findOrder(owner, 'o1')).toMatchObject({ standing: 'confirming' })
    expect((await listCalls(order)).at(-1)).not.toHaveProperty('settled')
  })

  test('an outcome of a call that the journal lost is an error', async () => {
    const { placed, toConfirm, endConfirm, deleteOrders } = await open()
    await placed()
    const begun = await toConfirm('o1')
    await deleteOrders(owner.account)
    await expect(endConfirm(begun, { outcome: 'done' }, 3)).rejects.toThrow('the journal lost the call')
  })

  test('of two orders with one id and reference, neither is confirmed again', async () => {
    const { begin, endCreate, confirmed, beginConfirm } = await open()
    for (const at of [1_000, 1_001]) await endCreate(await begin({ allowDuplicate: true, at }), done(), 1_100)
    await confirmed('o1', { outcome: 'done' })
    expect((await beginConfirm(confirmIntent('o1', { allowDuplicate: true }))).kind).toBe('confirmed')
  })

  test('every error in it is a failure of the journal', async () => {
    const { address, close } = await kind.openShared()
    onTestFinished(close)
    const journal = await kind.openAt(address)
    await journal.close()
    await expect(listOrders(journal.read, { limit: 1 })).rejects.toThrow(
      expect.objectContaining({
        kind: 'local-state',
        message: expect.stringContaining('cannot use the journal'),
      }),
    )
  })

  describe('the response to get', () => {
    test('settles open calls if the order is past pending', async () => {
      const { placed, toConfirm, note, getState, listCalls } = await open()
      await placed()
      const { order } = await toConfirm('o1')
      await note('o1', 'created', 3_000)
      expect(await getState('o1')).toBe('unknown')
      await note('o1', 'processing', 4_000)
      expect(await getState('o1')).toBe('processing')
      expect(await listCalls(order)).toMatchObject([
        { outcome: 'done' },
        { outcome: 'sending', settled: 'took-effect', settledAt: 4_000 },
      ])
    })

    test('is not undone by a late end of the call', async () => {
      const { placed, toConfirm, note, endConfirm, getState, listCalls } = await open()
      await placed()
      const begun = await toConfirm('o1')
      await note('o1', 'successful', 4_000)
      await endConfirm(begun, { outcome: 'unknown' }, 5_000)
      expect(await getState('o1')).toBe('successful')
      expect((await listCalls(begun.order)).some(isOpen)).toBe(false)
    })

    const [sent, confirmed] = ['a confirm is sent', 'it is confirmed']

    /** Each step, with the state that is shown after it, if that differs. */
    test.each([
      [
        'never takes back what it has delivered',
        'processing, confirmed, created: confirmed, failed',
        'processing: failed, rejected: failed, partial, failed: partial, successful, partial: successful',
      ],
      [
        'is never again unconfirmed once the order is confirmed, whatever its words',
        `expired: created, ${confirmed}: confirmed, expired: confirmed`,
        'Not-Sent: confirmed, creating: confirmed, created: confirmed',
      ],
      [
        'decides nothing about an unknown outcome unless it is documented',
        `${sent}: unknown, void: unknown, CONFIRMED: unknown, created: unknown, processing`,
        'under-review: confirmed',
      ],
    ])('%s', async (_title, ...texts) => {
      const { placed, toConfirm, endConfirm, note, findOrder, beginConfirm } = await open()
      await placed()
      for (const [index, text] of texts.join(', ').split(', ').entries()) {
        const [state = '', shown = state] = text.split(': ')
        if (state === sent) await toConfirm('o1')
        else if (state === confirmed) await endConfirm(await toConfirm('o1'), { outcome: 'done' }, 2_100)
        else await note('o1', state, 1_500 + 600 * index)
        const entry = await findOrder(owner, 'o1')
        if (![sent, confirmed].includes(state)) expect(entry?.serviceState).toBe(state)
        expect(entry?.state, text).toBe(shown)
      }
      expect((await beginConfirm(confirmIntent('o1'))).kind).toBe('confirmed')
    })

    test('before a confirm is kept with its call', async () => {
      const { placed, note, toConfirm, listCalls } = await open()
      const { order } = await placed()
      await note('o1', 'new', 1_500)
      await toConfirm('o1')
      await note('o1', 'under-review', 3_000)
      expect((await listCalls(order)).map(({ serviceState }) => serviceState)).toEqual([undefined, 'new'])
    })

    test('that was read before a create ended does not free the reference', async () => {
      const { begin, endCreate, getOrder, isCreating } = await open()
      const begun = await begin()
      const before = await getOrder(begun.order)
      if (before === undefined) throw new Error('lost')
      await endCreate(begun, done(), 1_100)
      expect(await isCreating(before, 900_000)).toBe(true)
    })

    test('adds a missing total', async () => {
      const { begin, endCreate, recordOrder, findOrder } = await open()
      const begun = await begin()
      await endCreate(begun, { outcome: 'unknown', orderId: 'o1', createdAt: 1, expiresAt: 9 }, 1)
      await recordOrder(begun.order, update('created', { total: '7', at: 2 }))
      expect(await findOrder(owner, 'o1')).toMatchObject({ state: 'created', total: '7' })
    })

    test('about an order that is not in the journal is ignored', async () => {
      const { note, listOrders } = await open()
      await note('o1', 'successful', 1)
      expect(await listOrders({ limit: 10 })).toEqual([])
    })
  })
})
