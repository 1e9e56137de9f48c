// Lists orders without the attempts that never became one, counts these, and knows when an order was last seen.
import { describe, expect, test } from 'vitest'
import type { Filter } from '../../../src/journal/orders/list-orders.ts'
import { isStale } from '../../../src/journal/orders/standings.ts'
import { type JournalKind, journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { accountAt, createOrderDesk, done, owner } from '../order-desk.ts'

const minute = 60_000
const hour = 60 * minute

const openDesk = async (kind?: JournalKind) => {
  const { journal, query, openOther } = await openFor(kind)
  return { ...createOrderDesk(journal), query, openOther }
}

describe.each(journalKinds)('on $name', (kind) => {
  const filled = async () => {
    const desk = await openDesk(kind)
    const attempt = async (at: number, outcome: 'refused' | 'not-sent', profile = 'shop') =>
      desk.endCreate(await desk.begin({ reference: `try-${at}`, at, profile }), { outcome }, at)
    await desk.placed('o1', { at: 1_000, reference: 'a' })
    await attempt(2_000, 'refused')
    await desk.placed('o2', { at: 3_000, reference: 'b' })
    await attempt(4_000, 'not-sent')
    await attempt(5_000, 'refused', 'other')
    await desk.note('o1', 'successful', 5_000)
    return desk
  }

  test.each<[Partial<Filter>, number | undefined, string[], number]>([
    [{}, undefined, ['b', 'a'], 3],
    [{}, 3_000, ['b', 'a'], 2],
    [{ since: 4_500 }, undefined, [], 1],
    [{ since: 1_500 }, 4_000, ['b'], 2],
    [{ profile: 'shop' }, undefined, ['b', 'a'], 2],
    [{ limit: 1 }, undefined, ['b'], 3],
    [{ actors: [] }, undefined, [], 0],
    [{ actors: [1] }, undefined, ['b', 'a'], 3],
    [{ state: 'refused' }, undefined, [], 2],
    [{ unfinished: true }, undefined, ['b'], 0],
  ])('attempts are hidden and counted: %j from %s', async (filter, from, references, attempts) => {
    const { listOrders, summarizeList } = await filled()
    const all = { limit: 10, hidesAttempts: true, ...filter }
    expect((await listOrders(all)).map(({ reference }) => reference)).toEqual(references)
    expect((await summarizeList(all, from)).attempts).toBe(attempts)
    expect((await summarizeList({ ...all, hidesAttempts: false }, from)).attempts).toBe(0)
  })

  test('the last order is the newest that orderctl created, and the last attempt may be a later one', async () => {
    const { findLast, findNewest, findUnsettled, toConfirm } = await filled()
    await toConfirm('foreign')
    expect(await findLast(owner.account, { isAttempt: true })).toMatchObject({ reference: 'try-5000' })
    expect(await findLast(owner.account)).toMatchObject({ reference: 'b' })
    expect((await findNewest(owner, 2)).map(({ reference }) => reference)).toEqual(['try-5000', 'try-4000'])
    const nobody = accountAt('https://nobody.example')
    expect([
      await findLast(nobody.account),
      await findNewest(nobody, 10),
      await findUnsettled(nobody),
    ]).toEqual([undefined, [], []])
  })

  test('people with different names count as several', async () => {
    const { summarizeList, placed, openOther } = await openDesk(kind)
    const hasSeveral = async () => (await summarizeList({ limit: 1 }, undefined)).hasSeveralPeople
    await placed('o1')
    expect(await hasSeveral()).toBe(false)
    const other = await openOther(() => ({ osUser: 'ana', host: 'desk' }))
    await createOrderDesk(other).placed('o2', { reference: 'b' })
    // In PostgreSQL, both have the same role.
    expect(await hasSeveral()).toBe(kind.name === 'SQLite')
  })

  test('a response with the same state is recorded after five minutes', async () => {
    const { begin, endCreate, note, findOrder } = await openDesk(kind)
    await endCreate(await begin({ at: 0 }), done(), 0)
    const noteAt = async (state: string, at: number) => {
      await note('o1', state, at)
      return (await findOrder(owner, 'o1'))?.seenAt
    }
    expect(await noteAt('created', 5 * minute - 1)).toBeUndefined()
    expect(await noteAt('created', 5 * minute)).toBe(5 * minute)
    await noteAt('successful', 6 * minute)
    expect(await noteAt('successful', 9 * hour)).toBe(5 * minute)
  })
})

test.each([
  [{ standing: 'confirmed' }, undefined, hour, false],
  [{ standing: 'confirmed' }, undefined, hour + 1, true],
  [{ standing: 'confirmed' }, hour, hour + 1, false],
  [{ standing: 'confirming' }, undefined, hour + 1, true],
  [{ standing: 'confirmed', result: 'successful' }, undefined, hour + 1, false],
  [{ standing: 'void' }, undefined, hour + 1, false],
] as const)('%j, last seen again at %s, is stale at %i: %s', (known, seenAt, now, stale) => {
  expect(isStale({ ...known, changedAt: 0, ...(seenAt === undefined ? {} : { seenAt }) }, now)).toBe(stale)
})

test('in SQLite, neither query reads the other orders', async () => {
  const { query } = await openDesk()
  for (const [where, index] of [
    ['NOT attempt', 'shown_by_time'],
    ['attempt', 'attempts_by_time'],
  ]) {
    const plan = await query(
      `EXPLAIN QUERY PLAN SELECT * FROM orders INDEXED BY ${index} WHERE TRUE AND ${where}
       ORDER BY placed_at DESC, number DESC LIMIT 31`,
    )
    expect(plan.map(({ detail }) => detail)).toEqual([`SCAN orders USING INDEX ${index}`])
  }
})
