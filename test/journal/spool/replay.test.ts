// Outcomes that the journal could not record, and how they get there later.
import { describe, expect, test } from 'vitest'
import type { CreateEnd } from '../../../src/journal/calls.ts'
import { confirmIntent, done } from '../order-desk.ts'
import { openSpooled } from './spooled-journal.ts'

describe('while the server is unreachable', () => {
  test.each<[string, CreateEnd, string, object]>([
    ['an order', done(), 'o1', { state: 'created', orderId: 'o1', total: '25', expiresAt: 601_000 }],
    [
      'a refusal',
      { outcome: 'refused', status: 404, refusal: 'product-not-found' },
      'r',
      { state: 'refused' },
    ],
    ['nothing sent', { outcome: 'not-sent' }, 'r', { state: 'not-sent' }],
    ['no answer', { outcome: 'unknown', status: 502 }, 'r', { state: 'unanswered' }],
  ])('create: %s is saved', async (_, end, name, expected) => {
    const { desk, open, unreachable, saved, files } = await openSpooled()
    const begun = await desk.begin()
    expect(await unreachable(() => desk.endCreate(begun, end, 1_100))).toEqual([])
    expect(saved).toEqual([name])
    expect(files()).toMatchObject([{ outcome: { name, end } }])
    const { getOrder, listCalls } = await open()
    expect(await getOrder(begun.order)).toMatchObject(expected)
    expect(await listCalls(begun.order)).toMatchObject([{ outcome: end.outcome, answeredAt: 1_100 }])
    expect(files()).toEqual([])
  })

  test.each([
    ['done', 'confirmed'],
    ['unknown', 'unknown'],
    ['refused', 'created'],
    ['not-sent', 'created'],
  ] as const)('confirm: %s is saved', async (outcome, state) => {
    const { desk, open, unreachable, saved } = await openSpooled()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    await unreachable(() => desk.endConfirm(begun, { outcome }, 2_100))
    expect(saved).toEqual(['o1'])
    const { getState, listCalls } = await open()
    expect(await getState('o1')).toBe(state)
    expect(await listCalls(begun.order)).toMatchObject([{}, { outcome, answeredAt: 2_100 }])
  })

  test('both outcomes of a confirm are saved, and the later one holds', async () => {
    const { desk, open, unreachable, files } = await openSpooled()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    await unreachable(async () => {
      await desk.endConfirm(begun, { outcome: 'unknown' }, 2_100)
      await desk.endConfirm(begun, { outcome: 'refused', status: 404 }, 2_200)
    })
    expect(files()).toHaveLength(2)
    const { listCalls } = await open()
    expect(await listCalls(begun.order)).toMatchObject([{}, { outcome: 'refused', status: 404 }])
  })

  test('what get showed after a confirm without an answer is saved, and reported once', async () => {
    const { desk, open, unreachable, saved, files } = await openSpooled()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    await unreachable(async () => {
      await desk.endConfirm(begun, { outcome: 'unknown', status: 504 }, 2_100)
      await desk.endConfirmByOrder(begun, { state: 'processing', total: '25', at: 2_200 })
    })
    expect(files()).toHaveLength(2)
    expect(saved).toEqual(['o1'])
    const { getState, listCalls } = await open()
    expect(await getState('o1')).toBe('processing')
    expect(await listCalls(begun.order)).toMatchObject([
      {},
      { outcome: 'unknown', status: 504, settled: 'took-effect' },
    ])
    expect(files()).toEqual([])
  })

  test('the same process records what it saved before it begins another call', async () => {
    const { desk, unreachable, files, database } = await openSpooled()
    const begun = await desk.begin()
    await unreachable(() => desk.endCreate(begun, done(), 1_100))
    await expect(unreachable(() => desk.beginConfirm(confirmIntent('o1')))).rejects.toThrow('cannot connect')
    expect(await desk.beginConfirm(confirmIntent('o1'))).toMatchObject({
      kind: 'started',
      order: begun.order,
    })
    expect(files()).toEqual([])
    expect(await database.admin('SELECT order_id FROM orders')).toEqual([{ order_id: 'o1' }])
  })

  test('an id that was used before is found when the connection is back', async () => {
    const { desk, proxy } = await openSpooled()
    await desk.placed('o1', { reference: 'earlier' })
    const begun = await desk.begin()
    void proxy.cutAt('COMMIT\0')
    expect(await desk.endCreate(begun, done(), 1_100)).toMatchObject([{ reference: 'earlier' }])
  })
})

describe('a call that was settled meanwhile', () => {
  const openSettled = async (state: string) => {
    const opened = await openSpooled()
    const { desk } = opened
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    const entry = await desk.getOrder(begun.order)
    if (entry === undefined) throw new Error('the order is missing')
    return { ...opened, begun, entry, decide: (isSpent: boolean) => decide(isSpent) }
    async function decide(isSpent: boolean) {
      if (entry === undefined) return
      await desk.recordDecision(entry, { isSpent, by: 'ana', reason: 'asked', at: 3_000, state })
    }
  }

  test('as not spent: done proves the confirmation', async () => {
    const { begun, decide, add, outcomeOf, open } = await openSettled('expired')
    await decide(false)
    add('1.json', JSON.stringify(outcomeOf(begun)))
    const { getOrder, listCalls } = await open()
    expect(await getOrder(begun.order)).toMatchObject({ state: 'confirmed', confirmedAt: 2_100 })
    expect(await listCalls(begun.order)).toMatchObject([{}, { settled: 'no-effect', settledBy: 'ana' }])
  })

  test.each(['refused', 'not-sent', 'unknown'] as const)('as spent: %s changes nothing', async (outcome) => {
    const { begun, decide, add, outcomeOf, open, files } = await openSettled('confirmed')
    await decide(true)
    add('1.json', JSON.stringify(outcomeOf(begun, { end: { outcome } })))
    const { getOrder, listCalls } = await open()
    expect(await getOrder(begun.order)).toMatchObject({ state: 'confirmed', confirmedAt: 3_000 })
    expect(await listCalls(begun.order)).toMatchObject([{}, { outcome: 'sending', settled: 'took-effect' }])
    expect(files()).toEqual([])
  })

  test('by a later state: done does not go back', async () => {
    const { begun, desk, add, outcomeOf, open } = await openSettled('')
    await desk.recordOrder(begun.order, { state: 'successful', at: 3_000 })
    add('1.json', JSON.stringify(outcomeOf(begun)))
    expect(await (await open()).getState('o1')).toBe('successful')
  })
})

describe('a file that is left alone', () => {
  test.each([
    ['damaged', '{"journal":"', 'is damaged'],
    ['of another program', '{"outcome":"done"}', 'is damaged'],
    ['empty', '', 'is damaged'],
  ])('%s: it is reported once, and the others are written', async (_, text, reason) => {
    const { desk, open, add, outcomeOf, problems, names } = await openSpooled()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    add('1.json', text)
    add('2.json', JSON.stringify(outcomeOf(begun)))
    const other = await open()
    expect(await other.getState('o1')).toBe('confirmed')
    await other.placed('o2', { reference: 'r2' })
    expect(problems).toEqual([`1.json ${reason}`])
    expect(names()).toEqual(['1.json'])
  })

  test.each([
    ['with another start', { startedAt: 1_999 }, 'confirm'],
    ['with another operation', { operation: 'create', end: { outcome: 'not-sent' } }, 'create'],
    ['that does not exist', { call: 4_711 }, 'confirm'],
    ['of an order that does not exist', { order: 4_711 }, 'confirm'],
  ] as const)('of a call %s, as after a restored backup', async (_, fields, operation) => {
    const { desk, open, add, outcomeOf, problems, names } = await openSpooled()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    add('1.json', JSON.stringify(outcomeOf(begun, fields)))
    expect(await (await open()).getState('o1')).toBe('unknown')
    expect(problems).toEqual([`1.json belongs to a ${operation} that the journal does not have`])
    expect(names()).toEqual(['1.json'])
  })

  test('of another journal', async () => {
    const { desk, open, add, outcomeOf, problems, names } = await openSpooled()
    const begun = await desk.placed().then(() => desk.toConfirm('o1'))
    add('1.json', JSON.stringify(outcomeOf(begun, { journal: 'another' })))
    add('.2.json.new', 'unfinished')
    expect(await (await open()).getState('o1')).toBe('unknown')
    expect({ problems, names: names() }).toEqual({ problems: [], names: ['.2.json.new', '1.json'] })
  })
})
