// Many calls of one journal at once, each in a separate transaction, or several committed together.

import { describe, expect, onTestFinished, test } from 'vitest'
import { type Calls, createCalls } from '../../../src/journal/orders/calls.ts'
import { listOrders } from '../../../src/journal/orders/list-orders.ts'
import { recordExpiry } from '../../../src/journal/orders/observations.ts'
import { getOrder } from '../../../src/journal/orders/queries.ts'
import { createBatchDesk } from '../batches/batch-desk.ts'
import { everyJournalKind } from '../journals.ts'
import { confirmIntent, createOrderDesk, done, intent } from '../order-desk.ts'
import { openTwoProcesses } from '../two-processes.ts'

const references = Array.from({ length: 40 }, (_, index) => `r${index}`)

describe.each(everyJournalKind)('on $name', (kind) => {
  const open = async () => {
    const { journal, query, close } = await kind.openShared()
    onTestFinished(close)
    return { journal, query }
  }

  test('of creates of one reference, the first is started', async () => {
    const { journal } = await open()
    const kinds = await Promise.all(
      references.map(async () => (await journal.calls.beginCreate(intent({ reference: 'r' }))).kind),
    )
    expect(kinds.toSorted()).toEqual(['started', ...references.slice(1).map(() => 'taken')])
    expect(await listOrders(journal.read, { limit: 100 })).toHaveLength(1)
  })

  test('of confirms of orders that have one reference and were created elsewhere, the first is started', async () => {
    const { journal } = await open()
    const kinds = await Promise.all(
      references.map(async (_, index) => (await journal.calls.beginConfirm(confirmIntent(`o${index}`))).kind),
    )
    expect(kinds.toSorted()).toEqual(['started', ...references.slice(1).map(() => 'taken')])
  })

  test('of confirms of one order that was created elsewhere, the first is started', async () => {
    const { journal } = await open()
    const kinds = await Promise.all(
      references.map(
        async () => (await journal.calls.beginConfirm(confirmIntent('o1', { allowDuplicate: true }))).kind,
      ),
    )
    expect(kinds.toSorted()).toEqual([...references.slice(1).map(() => 'open'), 'started'])
    expect(await listOrders(journal.read, { limit: 100 })).toHaveLength(1)
  })

  test('each resolves when another connection sees its rows', async () => {
    const { journal, query } = await open()
    const { begin, endCreate } = createOrderDesk(journal)
    const readRows = (reference: string) =>
      query(
        `SELECT standing, order_id, outcome FROM orders JOIN calls ON order_number = orders.number
       WHERE reference = $reference`,
        { reference },
      )
    await Promise.all(
      references.map(async (reference) => {
        const begun = await begin({ reference })
        const intended = await readRows(reference)
        expect(intended).toMatchObject([{ standing: 'creating', order_id: null, outcome: 'sending' }])
        await endCreate(begun, done(`id of ${reference}`), 1_100)
        const ended = await readRows(reference)
        expect(ended).toMatchObject([
          { standing: 'pending', order_id: `id of ${reference}`, outcome: 'done' },
        ])
      }),
    )
  })

  test('one that fails undoes its own work only', async () => {
    const { journal } = await open()
    const { batches, save } = createBatchDesk(journal)
    await save()
    const slotOf = (): never => {
      throw new Error('the card has no slot')
    }
    const results = await Promise.allSettled([
      journal.calls.beginCreate(intent({ reference: 'before' })),
      save({ name: 'failing', slotOf }),
      journal.calls.beginCreate(intent({ reference: 'between' })),
      batches.changeSlotCards(1, 1, () => {
        throw new Error('no decision')
      }),
      save({ name: 'complete' }),
      batches.changeSlotCards(1, 2, () => [{ card: 3, state: 'delivered', hash: 'h' }]),
      journal.calls.beginCreate(intent({ reference: 'after' })),
    ])
    const messages = results.flatMap((each) => (each.status === 'rejected' ? [each.reason.message] : []))
    expect(messages).toEqual([
      expect.stringContaining('the card has no slot'),
      expect.stringContaining('no decision'),
    ])
    const orders = await listOrders(journal.read, { limit: 9 })
    expect(orders.map(({ reference }) => reference).toSorted()).toEqual(['after', 'before', 'between'])
    const saved = await batches.listNewestBatches({ limit: 9 })
    expect(saved.map(({ name }) => name)).toEqual(['complete', 'gifts'])
    for (const { number } of saved) expect(await batches.listBatchCards(number)).toHaveLength(4)
    expect(await batches.countCardsByState(1)).toEqual({
      wanted: 3,
      delivered: 1,
      failed: 0,
      duplicate: 0,
      cancelled: 0,
    })
  })
})

describe('while another process records a call of the reference', () => {
  type Begin = (calls: Pick<Calls, 'beginCreate' | 'beginConfirm'>) => Promise<unknown>
  const create =
    (allowDuplicate: boolean): Begin =>
    (calls) =>
      calls.beginCreate(intent({ allowDuplicate }))
  const confirm =
    (orderId: string, reference: string, allowDuplicate: boolean): Begin =>
    (calls) =>
      calls.beginConfirm(confirmIntent(orderId, { reference, allowDuplicate }))

  test.each<[string, Begin, Begin]>([
    ['a create waits for a create', create(false), create(false)],
    ['a create waits for a duplicate', create(true), create(false)],
    ['a create waits for a confirm', confirm('o1', 'r', false), create(false)],
    ['a confirm waits for a confirm', confirm('o1', 'r', false), confirm('o2', 'r', false)],
    ['a confirm waits for a duplicate', confirm('o1', 'r', true), confirm('o2', 'r', false)],
    ['a confirm of an own order waits', confirm('o1', 'own', true), confirm('own', 'own', false)],
  ])('%s, and is refused', async (_title, first, second) => {
    const { journal, during } = await openTwoProcesses()
    // The first order of a journal also inserts its account, which other calls would wait for.
    await createOrderDesk(journal).placed('own', { reference: 'own' })
    const { result, hasWaited } = await during(
      ({ write }) => first(createCalls(write)),
      () => second(journal.calls),
    )
    expect(hasWaited).toBe(true)
    expect(result).toMatchObject({ kind: 'taken' })
  })
})

describe('while another process begins to confirm an order', () => {
  const open = async () => {
    const { journal, during } = await openTwoProcesses()
    const { order } = await createOrderDesk(journal).placed('o1')
    const known = await getOrder(journal.read, order)
    if (known === undefined) throw new Error('the order is missing')
    return {
      ...{ journal, known },
      whileConfirming: (work: () => Promise<unknown>) =>
        during(({ write }) => createCalls(write).beginConfirm(confirmIntent('o1')), work),
    }
  }

  test('another confirm waits, and finds the call', async () => {
    const { journal, whileConfirming } = await open()
    const { result, hasWaited } = await whileConfirming(() => journal.calls.beginConfirm(confirmIntent('o1')))
    expect(hasWaited).toBe(true)
    expect(result).toMatchObject({ kind: 'open' })
  })

  test('proof that it was not confirmed waits, and does not hold any more', async () => {
    const { journal, known, whileConfirming } = await open()
    const { hasWaited } = await whileConfirming(() => recordExpiry(journal, known, [], 5_000))
    expect(hasWaited).toBe(true)
    expect((await journal.calls.beginCreate(intent())).kind).toBe('taken')
  })
})

describe('while a create ends late in another process', () => {
  const at = 200_000

  test('a create of its reference waits, and finds that it is taken', async () => {
    const { journal, during } = await openTwoProcesses()
    const { begin } = createOrderDesk(journal)
    const late = await begin()
    const { result, hasWaited } = await during(
      ({ write }) => createCalls(write).endCreate(late, done('o1'), at),
      () => journal.calls.beginCreate(intent({ at, until: at + 45_000 })),
    )
    expect(hasWaited).toBe(true)
    expect(result).toMatchObject({ kind: 'taken', by: { standing: 'pending', orderId: 'o1' } })
  })
})
