// Outcomes that the journal could not record, and how they get there later.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CreateEnd, StartedCall } from '../../../src/journal/orders/calls.ts'
import { confirmIntent, done, update } from '../order-desk.ts'
import { openKept } from './outbox-journal.ts'

describe('while the server is unreachable', () => {
  test('the outcome of each create is saved, and the next command records it', async () => {
    const ends: [CreateEnd, object][] = [
      [done('r0'), { state: 'created', orderId: 'r0', total: '25', expiresAt: 601_000 }],
      [{ outcome: 'refused', status: 404, refusal: 'product-not-found' }, { state: 'refused' }],
      [{ outcome: 'not-sent' }, { state: 'not-sent' }],
      [{ outcome: 'unknown', status: 502 }, { state: 'lost' }],
    ]
    const { desk, open, unreachable, saved, kept } = await openKept()
    const begun = await Promise.all(ends.map((_, index) => desk.begin({ reference: `r${index}` })))
    await unreachable(async () => {
      for (const [index, [end]] of ends.entries())
        expect(await desk.endCreate(begun[index] as StartedCall, end, 1_100)).toEqual([])
    })
    expect(saved).toEqual(['r0', 'r1', 'r2', 'r3'])
    expect(kept()).toHaveLength(4)
    const { getOrder, listCalls } = await open()
    for (const [index, [end, expected]] of ends.entries()) {
      const { order } = begun[index] as StartedCall
      expect(await getOrder(order)).toMatchObject(expected)
      expect(await listCalls(order)).toMatchObject([{ outcome: end.outcome, respondedAt: 1_100 }])
    }
    expect(kept()).toEqual([])
  })

  test('a damaged outcome is reported, and holds up no other', async () => {
    const { desk, open, unreachable, machine, problems, kept } = await openKept()
    const begun = await desk.begin()
    await unreachable(() => desk.endCreate(begun, done('o1'), 1_100))
    await machine.write((database) =>
      database.exec("INSERT INTO outbox (number, journal, event) SELECT 0, journal, '{' FROM outbox"),
    )
    const { getOrder } = await open()
    expect(await getOrder(begun.order)).toMatchObject({ orderId: 'o1' })
    expect(problems).toEqual([expect.stringMatching(/^the saved outcome 0 in .*machine\.db is damaged$/)])
    expect(kept()).toEqual([{ number: 0, event: undefined }])
  })

  test('both outcomes of a confirm are saved, and the later one holds', async () => {
    const { desk, open, unreachable, kept } = await openKept()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    await unreachable(async () => {
      await desk.endConfirm(begun, { outcome: 'unknown' }, 2_100)
      await desk.endConfirm(begun, { outcome: 'refused', status: 404 }, 2_200)
    })
    expect(kept()).toHaveLength(2)
    const { listCalls } = await open()
    expect(await listCalls(begun.order)).toMatchObject([{}, { outcome: 'refused', status: 404 }])
  })

  test('what get showed after a confirm without a response is saved, and reported once', async () => {
    const { desk, open, unreachable, saved, kept } = await openKept()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    await unreachable(async () => {
      await desk.endConfirm(begun, { outcome: 'unknown', status: 504 }, 2_100)
      await desk.recordConfirmedOrder(begun, update('processing', { total: '25', at: 2_200 }))
    })
    expect(kept()).toHaveLength(2)
    expect(saved).toEqual(['o1'])
    const { getState, listCalls } = await open()
    expect(await getState('o1')).toBe('processing')
    expect(await listCalls(begun.order)).toMatchObject([
      {},
      { outcome: 'unknown', status: 504, settled: 'took-effect' },
    ])
    expect(kept()).toEqual([])
  })

  test('the same process records what it saved before it begins another call', async () => {
    const { desk, unreachable, kept, database } = await openKept()
    const begun = await desk.begin()
    await unreachable(() => desk.endCreate(begun, done(), 1_100))
    await expect(unreachable(() => desk.beginConfirm(confirmIntent('o1')))).rejects.toThrow('cannot connect')
    expect(await desk.beginConfirm(confirmIntent('o1'))).toMatchObject({
      kind: 'started',
      order: begun.order,
    })
    expect(kept()).toEqual([])
    expect(await database.admin('SELECT order_id FROM orders')).toEqual([{ order_id: 'o1' }])
  })

  test('an id that was used before is found when the connection is back', async () => {
    const { desk, proxy } = await openKept()
    await desk.placed('o1', { reference: 'earlier' })
    const begun = await desk.begin()
    void proxy.cutAt('COMMIT\0')
    expect(await desk.endCreate(begun, done(), 1_100)).toMatchObject([{ reference: 'earlier' }])
  })
})

describe('a call that was settled meanwhile', () => {
  const openSettled = async () => {
    const opened = await openKept()
    const { desk } = opened
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    const entry = await desk.getOrder(begun.order)
    if (entry === undefined) throw new Error('the order is missing')
    return { ...opened, begun, entry, decide: (isSpent: boolean) => decide(isSpent) }
    async function decide(isSpent: boolean) {
      if (entry === undefined) return
      await desk.recordDecision(entry, { isSpent, by: 'ana', reason: 'asked', at: 3_000 })
    }
  }

  test('as not spent: done proves the confirmation', async () => {
    const { begun, decide, add, outcomeOf, open } = await openSettled()
    await decide(false)
    await add(outcomeOf(begun))
    const { getOrder, listCalls } = await open()
    expect(await getOrder(begun.order)).toMatchObject({ state: 'confirmed', confirmedAt: 2_100 })
    expect(await listCalls(begun.order)).toMatchObject([
      {},
      { settled: 'no-effect', settledBy: expect.stringMatching(/^ana\b/) },
    ])
  })

  test('as spent: not sent changes nothing', async () => {
    const { begun, decide, add, outcomeOf, open, kept } = await openSettled()
    await decide(true)
    await add(outcomeOf(begun, { end: { outcome: 'not-sent' } }))
    const { getOrder, listCalls } = await open()
    expect(await getOrder(begun.order)).toMatchObject({ state: 'confirmed', confirmedAt: 3_000 })
    expect(await listCalls(begun.order)).toMatchObject([{}, { outcome: 'sending', settled: 'took-effect' }])
    expect(kept()).toEqual([])
  })

  test('by a later state: done does not go back', async () => {
    const { begun, desk, add, outcomeOf, open } = await openSettled()
    await desk.recordOrder(begun.order, update('successful'))
    await add(outcomeOf(begun))
    expect(await (await open()).getState('o1')).toBe('successful')
  })
})

test('an outcome that fits no call stays and is reported once, and the others are written', async () => {
  const { desk, open, add, outcomeOf, problems, kept } = await openKept()
  const begun = await desk.placed().then(() => desk.toConfirm('o1'))
  const other = await desk
    .placed('o2', { reference: 'r2' })
    .then(() => desk.toConfirm('o2', { reference: 'r2' }))
  const wrong = [
    // As after a restored backup.
    outcomeOf(begun, { name: 'a', startedAt: 1_999 }),
    outcomeOf(begun, { name: 'b', call: 4_711 }),
    outcomeOf(begun, { name: 'c', order: 4_711 }),
    outcomeOf(begun, { name: 'd', operation: 'create', end: { outcome: 'not-sent' } }),
    outcomeOf(begun, { name: 'e', journal: 'another' }),
  ]
  for (const outcome of [...wrong, outcomeOf(other)]) await add(outcome)
  const next = await open()
  expect([await next.getState('o1'), await next.getState('o2')]).toEqual(['unknown', 'confirmed'])
  await next.placed('o3', { reference: 'r3' })
  const name = (operation: string, order: string) =>
    `the journal does not contain the ${operation} of ${order} whose outcome was saved`
  expect(problems).toEqual([...['a', 'b', 'c'].map((order) => name('confirm', order)), name('create', 'd')])
  expect(kept().map(({ event }) => event)).toEqual(wrong)
})

test('if the machine file is damaged, the journal can be read', async () => {
  const { desk, open, machine } = await openKept()
  await desk.placed()
  machine[Symbol.dispose]()
  rmSync(path.dirname(machine.file), { recursive: true, force: true })
  mkdirSync(path.dirname(machine.file))
  writeFileSync(machine.file, Buffer.alloc(8_192, 'x'))
  expect(await (await open()).getState('o1')).toBe('created')
})
