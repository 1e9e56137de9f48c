// Creates and confirms: what is on disk before and after each call, what is refused, what responses change, which ids are
// known.

import { describe, expect, test } from 'vitest'
import { findPurchase } from '../../../src/journal/batches/slots.ts'
import { listCalls } from '../../../src/journal/orders/entries.ts'
import { findKnownIds } from '../../../src/journal/orders/list-orders.ts'
import { journalKinds, type SharedJournal } from '../journals.ts'
import { openFor } from '../open.ts'
import { createOrderDesk, done, intent, owner, update } from '../order-desk.ts'
import { createOrderVerbs, testScripts } from '../script.ts'

testScripts(
  journalKinds,
  `
  == a reference is taken on the same account, with any profile or spelling of the address
  place o1; create → taken by o1; create profile=other → taken by o1
  create origin=http://ORDERS.example.:80/ → taken by o1
  create origin=https://elsewhere.example; create R; create again

  == two declared accounts of one address have references of their own, and an undeclared one may be either
  place o1 name=eu; create name=eu → taken by o1; create → taken by o1; create name=us

  == a create that created nothing frees its reference
  create; end refused 400; create; end not-sent; create; end unknown; create

  == a create without a response reserves its reference for at most a minute
  create until=1000000; create at=60999 → taken by r; create at=61000

  == a create without a response blocks an older intent that waited for its transaction
  create; create at=990 → taken by r

  == a create with a time in the future, after the clock was set back, blocks nothing
  create at=100000; create at=40001 → taken by r; create at=40000

  == a confirm is on disk as an open call, even of an order that was created elsewhere
  confirm o7; state o7 → unknown; calls o7 → confirm sending; orders → r

  == a confirm is not started again while one is open or unknown
  place o1; confirm o1; confirm o1 at=3 → open since 2000; end unknown; confirm o1 at=3 → open since 2000
  state o1 → unknown; place o2 s; confirm o2; end refused 400; confirm o2 at=3000; confirm o2 at=4 → open since 3000

  == a confirm is not started for an order that is known to be confirmed
  place o1; get o1 processing; confirm o1 → confirmed processing; calls o1 → create done

  == an order whose create was lost is not confirmed once another holds its reference
  create #first; end unknown; place o2; created o1 #first; confirm o1 → taken by o2; confirm o2; confirm o1 again

  == an order is not confirmed while the confirm of an older one with its reference may have spent
  place o1; expire o1; place o2; expire o2; confirm o1; confirm o2 → taken by o1
  end unknown; confirm o2 → taken by o1; end refused 400; confirm o2 → taken by o1

  == an order is not confirmed while the confirm of another with its reference is open or refused without proof
  create #first; end unknown; place o2; confirm o2; created o1 #first; confirm o1 → taken by o2
  confirm foreign r → taken by o2; confirm o1 other → taken by o2; end refused 400; confirm o1 → taken by o2
  confirm foreign r → taken by o2; confirm o1 other → taken by o2

  == an order is not confirmed while the confirm of another with its reference is unknown or done
  create #first; end unknown; place o2; confirm o2; end unknown; created o1 #first; confirm o1 → taken by o2
  confirm foreign r → taken by o2; confirm o1 other → taken by o2; get o2 processing; confirm o1 → taken by o2
  confirm foreign r → taken by o2; confirm o1 other → taken by o2

  == an order that was placed with --allow-duplicate keeps neither from being confirmed
  place o1; place o2 again; confirm o1; confirm o2

  == a reused order id is not confirmed while the first confirm of it is open
  place o1; confirm o1; place o1 again → reused from r; confirm o1 → open since 2000

  == a reused order id may be confirmed only if a create gave it to a new order
  place o1; get o1 successful; confirm o1 → confirmed successful; place o1 new → reused from r
  confirm o1 r → confirmed successful; confirm o1 new; state o1 → unknown; orders → new, r

  == of two orders with one id and reference, neither is confirmed again
  place o1 again; place o1 again at=1001 → reused from r; confirm o1; end done
  confirm o1 again → confirmed confirmed

  == an outcome of a call that the journal lost is an error
  place o1; confirm o1; reset; end done → fails: the journal lost the call while it was in progress

  == the response to get never takes back what it has delivered
  place o1; get o1 processing; get o1 confirmed; get o1 created → confirmed; get o1 failed
  get o1 processing → failed; get o1 rejected → failed; get o1 partial; get o1 failed → partial
  get o1 successful; get o1 partial → successful; confirm o1 → confirmed successful

  == the state before a confirm is kept with its call
  place o1; get o1 new → created; confirm o1; get o1 under-review → unknown
  calls o1 → create done, confirm of new sending
`,
)

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const { journal } = await openFor(kind)
    return createOrderDesk(journal)
  }

  test('references that differ in outer spaces or Unicode form are equal', async () => {
    const { beginCreate, placed, findSimilarReferences } = await open()
    await placed('o1', { reference: 'caf\u00e9' })
    expect((await beginCreate(intent({ reference: ' cafe\u0301 ' }))).kind).toBe('taken')
    expect(await findSimilarReferences(owner.account, 'Caf\u00e9')).toEqual(['caf\u00e9'])
    expect(await findSimilarReferences(owner.account, 'caf\u00e9\u200b')).toEqual(['caf\u00e9'])
    expect(await findSimilarReferences(owner.account, 'caf\u00e9')).toEqual([])
    expect((await beginCreate(intent({ reference: 'Caf\u00e9' }))).kind).toBe('started')
  })

  test('of two orders with one id, the one that is not its order comes last', async () => {
    const { placed, recordFact, findOrder } = await open()
    const { order: first } = await placed('o1', { reference: 'a' })
    const { order: second } = await placed('o1', { reference: 'b' })
    expect(await findOrder(owner, 'o1')).toMatchObject({ number: second })
    await recordFact(second, { kind: 'stranger', at: 2_000 })
    expect(await findOrder(owner, 'o1')).toMatchObject({ number: first })
  })

  test('a constraint of the table rejects two open confirms', async () => {
    const { journal, query } = await openFor(kind)
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

  test('numbers of orders are never reused', async () => {
    const { begin, deleteOrders, getOrder } = await open()
    const { order } = await begin()
    await deleteOrders(owner.account)
    expect((await begin()).order).toBeGreaterThan(order)
    expect(await getOrder(order)).toBeUndefined()
  })

  test('a decision settles nothing if a confirm began meanwhile', async () => {
    const { placed, toConfirm, getOrder, listCalls, recordDecision } = await open()
    const { order } = await placed()
    const pending = await getOrder(order)
    if (pending === undefined) throw new Error('lost')
    await toConfirm('o1')
    const decision = { isSpent: false, by: 'sam', reason: 'never paid', at: 9 }
    expect(await recordDecision(pending, decision, () => 0)).toEqual({ kind: 'changed' })
    expect((await listCalls(order)).at(-1)).not.toHaveProperty('settled')
  })

  test('every error in it is a failure of the journal', async () => {
    const { journal } = await openFor(kind)
    const message = expect.stringContaining('cannot use the journal')
    const failure = expect.objectContaining({ kind: 'local-state', message })
    await expect(journal.read.all('SELECT 1 FROM nothing')).rejects.toThrow(failure)
  })

  test('an order that was read before its create ended does not free the reference', async () => {
    const { begin, endCreate, getOrder, write } = await open()
    const begun = await begin()
    const before = await getOrder(begun.order)
    if (before === undefined) throw new Error('lost')
    await endCreate(begun, done(), 1_100)
    const purchase = await write((access) => findPurchase(access, [before], 900_000))
    expect(purchase).toMatchObject({ orderId: 'o1', standing: 'pending' })
  })

  test('the response to get adds a missing total', async () => {
    const { begin, endCreate, recordOrder, findOrder } = await open()
    const begun = await begin()
    await endCreate(begun, { outcome: 'unknown', orderId: 'o1', createdAt: 1, expiresAt: 9 }, 1)
    await recordOrder(begun.order, update('created', { total: '7', at: 2 }))
    expect(await findOrder(owner, 'o1')).toMatchObject({ state: 'created', total: '7' })
  })
})

const manyIds = Array.from({ length: 450 }, (_, index) => `x${index}`).join(' ')

const createIdVerbs = (shared: SharedJournal) => ({
  ...createOrderVerbs(shared),
  known: async ({ words }: { readonly words: readonly string[] }) =>
    (await findKnownIds(shared.journal.read, owner.account, words)).toSorted().join(' '),
})

testScripts(
  journalKinds,
  `
  == more ids than one statement has parameters
  place o1; known ${manyIds} o1 → o1

  == ids of one account, each once
  place o1 elsewhere origin=https://elsewhere.example; known o1; place o1 old; get o1 processing
  place o1 new → reused from old; known o1 → o1
  `,
  createIdVerbs,
)
