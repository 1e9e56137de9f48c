// Who wrote to the journal: recorded with each order, call, reveal and batch, and found again by name.

import { describe, expect, test } from 'vitest'
import type { Identity } from '../../src/journal/access.ts'
import { findActorNumbers, findActors, findOwnNumbers, listActorNames } from '../../src/journal/accounts.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { listOrders } from '../../src/journal/orders/list-orders.ts'
import { openTeam } from '../support/postgres/team.ts'
import { bindBatches, createBatchDesk } from './batches/batch-desk.ts'
import { bindTo, findJournalKind, journalKinds } from './journals.ts'
import { openFor } from './open.ts'
import { createOrderDesk, done, owner } from './order-desk.ts'

const reveal = {
  ...{ profile: owner.profile, origin: owner.origin, orderId: 'o1', skus: ['A'], at: 7, who: 'sam' },
  how: 'reveal' as const,
}

const openActors = (journal: Journal) =>
  bindTo(journal, { findActorNumbers, findActors, findOwnNumbers, listActorNames })

describe.each(journalKinds)('on $name', (kind) => {
  const person = (osUser: string, host = 'desk') => ({ osUser, host })

  /** An order of each person, the oldest first. */
  const fill = async ({ openOther }: Awaited<ReturnType<typeof openFor>>, people: readonly Identity[]) => {
    for (const [at, identity] of people.entries()) {
      const { begin } = createOrderDesk(await openOther(() => identity))
      await begin({ reference: `${identity.osUser}@${identity.host} ${at}`, at })
    }
  }

  test('an order, its calls, a reveal and a batch know who made them', async () => {
    const { journal } = await openFor(kind)
    const { placed, toConfirm, getOrder, listCalls, recordReveals, listReveals } = createOrderDesk(journal)
    const { order } = await placed()
    await toConfirm('o1', { profile: 'other' })
    await recordReveals([reveal])
    expect(await getOrder(order)).toMatchObject({ profile: 'shop', actor: 1 })
    expect(await listCalls(order)).toMatchObject([
      { operation: 'create', actor: 1, profileName: 'shop' },
      { operation: 'confirm', actor: 1, profileName: 'other' },
    ])
    expect(await listReveals({ limit: 9 })).toMatchObject([{ actor: 1 }])
    const { batch } = await createBatchDesk(journal).save()
    expect(batch.by).toMatchObject({ user: 'tester', host: 'desk' })
    const { findActors } = openActors(journal)
    const findActor = await findActors([{ actor: 1 }, { actor: 1 }, {}, { actor: Number.NaN }])
    const writtenBy = batch.by?.writtenBy ?? undefined
    expect(findActor({ actor: 1, writtenBy })).toEqual(batch.by)
    for (const unknown of [{}, { actor: Number.NaN }, { actor: 2 }])
      expect(findActor(unknown)).toBeUndefined()
  })

  test('the start of a batch does not change who planned it', async () => {
    const { journal, openOther } = await openFor(kind)
    const { batch } = await createBatchDesk(journal).save()
    const other = bindBatches(await openOther(() => person('ben')))
    expect(await other.recordStart(batch, { maxTotal: '99', at: 9 })).toBe(true)
    expect(await other.getBatch(batch.number)).toMatchObject({ maxTotal: '99', by: { user: 'tester' } })
  })

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

  test('list finds the exact name or else any case, combines it with filters, and knows all names', async () => {
    const shared = await openFor(kind)
    const { journal } = shared
    const people = ['ana', 'Ana', 'ben', 'ana', 'BEN', 'ana', "o'neil"]
    await fill(
      shared,
      people.map((name, index) => person(name, index === 3 ? 'laptop' : 'desk')),
    )
    const { findActorNumbers, listActorNames } = openActors(journal)
    const list = async (name: string, filter: object = {}) => {
      const actors = await findActorNumbers(name)
      const found = await listOrders(journal.read, { limit: 10, ...filter, actors })
      return found.map(({ reference }) => reference)
    }
    for (const [name, references, filter] of [
      ['ana', ['ana@desk 5', 'ana@laptop 3', 'ana@desk 0']],
      ['Ana', ['Ana@desk 1']],
      ['ANA', ['ana@desk 5', 'ana@laptop 3', 'Ana@desk 1', 'ana@desk 0']],
      ['ben', ['ben@desk 2']],
      ["o'neil", ["o'neil@desk 6"]],
      ['nobody', []],
      ['', []],
      ['ana', ['ana@desk 5', 'ana@laptop 3'], { limit: 2 }],
      ['ana', [], { reference: 'ben@desk 2' }],
      ['ana', [], { profile: 'other' }],
      ['ana', ['ana@desk 5'], { state: 'creating', limit: 1 }],
      ['ana', [], { batches: [7] }],
    ] as const)
      expect(await list(name, filter), name).toEqual(references)
    // More actors than SQLite joins.
    const actors = Array.from({ length: 700 }, (_, number) => number)
    expect(await listOrders(journal.read, { limit: 3, actors })).toHaveLength(3)
    const names = (await listActorNames(20)).filter((name) => !/^(orderctl_)?test_/.test(name))
    expect(names).toEqual(['Ana', 'BEN', 'ana', 'ben', "o'neil"])
    expect(await listActorNames(2)).toHaveLength(2)
  })
})

test('in PostgreSQL, the role is what the server says, whatever the OS user is', async () => {
  const { openAs, nameOf } = await openTeam('ben')
  const ana = await openAs('ana')
  const ben = await openAs('ben', { osUser: nameOf('ana'), host: 'desk' })
  await createOrderDesk(ana).begin({ reference: 'of ana' })
  await createOrderDesk(ben).begin({ reference: 'of ben' })
  const own = await listOrders(ben.read, { limit: 9, actors: await openActors(ben).findOwnNumbers() })
  expect(own.map(({ reference }) => reference)).toEqual(['of ben'])
  const { findActors, findActorNumbers } = openActors(ana)
  const role = nameOf('ben')
  const actors = own.map(await findActors(own))
  expect(actors).toEqual([{ role, user: nameOf('ana'), host: 'desk', writtenBy: role }])
  const list = async (name: string) =>
    (await listOrders(ana.read, { limit: 9, actors: await findActorNumbers(name) })).map(
      ({ reference }) => reference,
    )
  expect(await list(role)).toEqual(['of ben'])
  // A role and an OS user may have the same name.
  expect((await list(nameOf('ana'))).toSorted()).toEqual(['of ana', 'of ben'])
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
