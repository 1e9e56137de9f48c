// When an order was last seen. test/commands/list has the filters.
import { describe, expect, test } from 'vitest'
import { isStale } from '../../../src/journal/orders/standings.ts'
import { type JournalKind, journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { createOrderDesk, done, owner } from '../order-desk.ts'

const minute = 60_000
const hour = 60 * minute

const openDesk = async (kind?: JournalKind) => {
  const { journal, query, openOther } = await openFor(kind)
  return { ...createOrderDesk(journal), query, openOther }
}

describe.each(journalKinds)('on $name', (kind) => {
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
