// Which order showed a card first: once for each account, even if several processes record it at once.

import { describe, expect, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { listCardOrders, recordCards } from '../../../src/journal/orders/seen-cards.ts'
import { deleteOrders } from '../../../src/journal/tables/list.ts'
import { findJournalKind, journalKinds } from '../journals.ts'

const account = { address: 'shop.example' }

const toCards = (codes: string) => [...codes].map((code) => (key: string) => `${key} ${code}`)

/** Records the cards of an order, one letter for each. Returns the other orders that showed them first. */
const record = async (journal: Journal, orderId: string, codes: string, of = account) => {
  const seen = await recordCards(journal, { account: of, orderId, cards: toCards(codes) })
  return seen.map(({ otherOrderId }) => otherOrderId ?? '-').join(' ')
}

describe.each(journalKinds)('$name', ({ open, openShared, openAt }) => {
  const openOne = async () => {
    const { journal, close } = await open()
    return { journal, [Symbol.asyncDispose]: close }
  }

  test('the order that is recorded first gets the card, in whatever order cards are read again', async () => {
    await using opened = await openOne()
    const { journal } = opened
    expect(await record(journal, 'one', 'AAB')).toBe('- - -')
    expect(await record(journal, 'two', 'CBA')).toBe('- one one')
    expect(await record(journal, 'three', 'CA')).toBe('two one')
    expect(await record(journal, 'one', 'BAA')).toBe('- - -')
    expect(await record(journal, 'one', 'BCA')).toBe('- two -')
    expect(await record(journal, 'two', 'ABC')).toBe('one one -')
    const orders = await listCardOrders(journal.read, { account, cards: toCards('C') })
    expect(orders.toSorted()).toEqual(['one', 'three', 'two'])
  })

  test('two accounts never share a card, but two accounts that may be one do', async () => {
    await using opened = await openOne()
    const { journal } = opened
    const [named, other] = ['eu', 'us'].map((name) => ({ ...account, name }))
    await record(journal, 'one', 'A', named)
    expect(await record(journal, 'two', 'A', other)).toBe('-')
    expect(await record(journal, 'three', 'A', { address: 'other.example' })).toBe('-')
    expect(await record(journal, 'four', 'A')).toMatch(/^one|two$/)
    expect(await record(journal, 'one', 'A', named)).toBe('-')
    const rows = await journal.read.all('SELECT card_key FROM accounts')
    expect(new Set(rows.map(({ card_key }) => card_key)).size).toBe(4)
    for (const { card_key } of rows) expect(card_key).toMatch(/^[\da-f-]{64,}$/)
  })

  test('of orders that are recorded at once, one gets each card', async () => {
    const { address, journal, query, close } = await openShared()
    const second = await openAt(address)
    try {
      // The account is known, so no order waits for it.
      await record(journal, 'known', 'Z')
      const orders = Array.from({ length: 20 }, (_, index) => `o${index}`)
      const results = await Promise.all(
        orders.map((id, index) =>
          record(index % 2 === 0 ? journal : second, id, index % 3 === 0 ? 'ABCDE' : 'EDCBA'),
        ),
      )
      const columns = results.map((text, index) => {
        const firsts = text.split(' ').map((other) => (other === '-' ? orders[index] : other))
        return index % 3 === 0 ? firsts : firsts.toReversed()
      })
      expect(new Set(columns.map((each) => each.join(' '))).size).toBe(1)
      expect(await query('SELECT count(*) AS count FROM seen_cards WHERE is_first = 1')).toEqual([
        { count: 6n },
      ])
      expect(await query('SELECT count(*) AS count FROM seen_cards')).toEqual([{ count: 101n }])
    } finally {
      await second.close()
      await close()
    }
  })

  test('a reset of the sandbox forgets its cards only', async () => {
    await using opened = await openOne()
    const { journal } = opened
    const sandbox = { address: 'sandbox:' }
    for (const of of [sandbox, account]) await record(journal, 'one', 'A', of)
    await deleteOrders(journal, sandbox)
    expect(await record(journal, 'two', 'A', sandbox)).toBe('-')
    expect(await record(journal, 'two', 'A')).toBe('one')
  })

  test('cards that are known are read without a write', async () => {
    await using opened = await openOne()
    const { journal } = opened
    await record(journal, 'one', 'AB')
    const readable: Journal = { ...journal, write: () => Promise.reject(new Error('read-only')) }
    expect(await record(readable, 'one', 'BA')).toBe('- -')
    await expect(record(readable, 'two', 'A')).rejects.toThrow('read-only')
  })
})

describe('two transactions on PostgreSQL', () => {
  const named = { ...account, name: 'eu' }
  const other = { ...account, name: 'us' }

  /** Starts to record an order while a different order's transaction has recorded its cards, but has not ended. */
  const recordAtOnce = async (one: typeof account, two: typeof account, isKnown: boolean, codes = 'A') => {
    const { address, journal, query, close } = await findJournalKind('PostgreSQL').openShared()
    const second = await findJournalKind('PostgreSQL').openAt(address)
    const recorded = Promise.withResolvers<void>()
    const waited = Promise.withResolvers<void>()
    const held: Journal = {
      ...journal,
      write: (work) =>
        journal.write(async (tables) => {
          const result = await work(tables)
          recorded.resolve()
          await waited.promise
          return result
        }),
    }
    try {
      for (const of of isKnown ? [one, two] : []) await record(journal, 'known', 'Z', of)
      const first = record(held, 'first', 'A', one)
      await recorded.promise
      let isOver = false
      const later = record(second, 'second', codes, two).finally(() => {
        isOver = true
      })
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      while (!isOver && (await query(waiting)).length === 0);
      const hasWaited = !isOver
      waited.resolve()
      return { hasWaited, orders: [await first, await later] }
    } finally {
      waited.resolve()
      await second.close()
      await close()
    }
  }

  test.each([
    ['known, with and without a name', named, account, true],
    ['new, with and without a name', named, account, false],
    ['new, without and with a name', account, named, false],
    ['known, without a name', account, account, true],
  ])('one order has the card of an account: %s', async (_, one, two, isKnown) => {
    expect((await recordAtOnce(one, two, isKnown)).orders).toEqual(['-', 'first'])
  })

  test('each order has the card of its own account', async () => {
    expect((await recordAtOnce(named, other, true)).orders).toEqual(['-', '-'])
  })

  test('orders of an account without a name do not wait for each other', async () => {
    expect(await recordAtOnce(account, account, true, 'B')).toEqual({ hasWaited: false, orders: ['-', '-'] })
  })
})

describe.each(journalKinds)('copied into $name', ({ open }) => {
  test('cards are known by the keys of both journals, and first orders stay first', async () => {
    const [file] = journalKinds
    const source = await file?.openShared()
    const target = await open()
    if (source === undefined) throw new Error('no journal in a file')
    try {
      await record(source.journal, 'theirs', 'AB')
      await record(source.journal, 'later', 'A')
      await record(target.journal, 'ours', 'BC')
      for (let count = 1; count <= 2; count += 1) await copyJournal(source.address, target.journal)
      expect(await record(target.journal, 'new', 'ABCD')).toBe('theirs ours ours -')
      expect(await record(target.journal, 'theirs', 'BA')).toBe('ours -')
      expect(await record(target.journal, 'ours', 'C')).toBe('-')
      expect(await record(target.journal, 'later', 'A')).toBe('theirs')
    } finally {
      await source.close()
      await target.close()
    }
  })

  test('an account that is new keeps its key', async () => {
    const [file] = journalKinds
    const source = await file?.openShared()
    const target = await open()
    if (source === undefined) throw new Error('no journal in a file')
    try {
      await record(source.journal, 'theirs', 'A')
      await copyJournal(source.address, target.journal)
      expect(await target.journal.read.all('SELECT 1 FROM card_keys')).toEqual([])
      expect(await record(target.journal, 'new', 'A')).toBe('theirs')
      await record(source.journal, 'later', 'B')
      await record(target.journal, 'new', 'B')
      await copyJournal(source.address, target.journal)
      expect(await record(target.journal, 'later', 'B')).toBe('new')
    } finally {
      await source.close()
      await target.close()
    }
  })
})
