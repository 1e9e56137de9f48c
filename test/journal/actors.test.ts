// Who wrote to the journal: one actor for each user on each machine. test/commands/list finds them by name.

import { describe, expect, test } from 'vitest'
import type { Identity } from '../../src/journal/access.ts'
import { findJournalKind, journalKinds } from './journals.ts'
import { openFor } from './open.ts'
import { createOrderDesk, done } from './order-desk.ts'

describe.each(journalKinds)('on $name', (kind) => {
  const person = (osUser: string, host = 'desk') => ({ osUser, host })

  /** An order of each person, the oldest first. */
  const fill = async ({ openOther }: Awaited<ReturnType<typeof openFor>>, people: readonly Identity[]) => {
    for (const [at, identity] of people.entries()) {
      const { begin } = createOrderDesk(await openOther(() => identity))
      await begin({ reference: `${identity.osUser}@${identity.host} ${at}`, at })
    }
  }

  test('one actor stands for all writes of one user on one machine, and one without a name is unknown', async () => {
    const shared = await openFor(kind)
    const { query } = shared
    await fill(shared, [person('ana'), person('ana'), person('ana', 'laptop'), person('ben'), person('', '')])
    const rows = await query('SELECT os_user, host FROM actors ORDER BY number')
    const actors = rows.map(({ os_user, host }) => `${os_user}@${host}`)
    expect(actors).toEqual(['ana@desk', 'ana@laptop', 'ben@desk', 'unknown@unknown'])
    const orders = await query('SELECT actor FROM orders ORDER BY number')
    expect(orders.map(({ actor }) => Number(actor))).toEqual([1, 1, 2, 3, 4])
  })

  test('the user is asked for once, at the first write, even if that is undone', async () => {
    const { openOther, query } = await openFor(kind)
    let asked = 0
    const identify = () => {
      asked += 1
      return person('ana')
    }
    const { begin, endCreate, listOrders, write } = createOrderDesk(await openOther(identify))
    await listOrders({ limit: 1 })
    expect(asked).toBe(0)
    await expect(write(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await endCreate(await begin(), done(), 1_100)
    expect(asked).toBe(1)
    expect(await query('SELECT number FROM actors')).toHaveLength(1)
  })
})

// Two connections of one process cannot wait for each other's transactions in SQLite, which blocks the process.
test('in PostgreSQL, concurrent first writes insert one actor', async () => {
  const { query, openOther } = await openFor(findJournalKind('PostgreSQL'))
  const journals = await Promise.all(Array.from({ length: 6 }, () => openOther()))
  await Promise.all(
    journals.map((journal, index) => createOrderDesk(journal).begin({ reference: `r${index}` })),
  )
  expect(await query('SELECT number FROM actors')).toHaveLength(1)
  expect(await query('SELECT number FROM orders WHERE actor IS NULL')).toEqual([])
})
