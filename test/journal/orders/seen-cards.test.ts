// Which order showed a card first: once for each account, even if several processes record it at once.

import { describe, expect, onTestFinished, test } from 'vitest'
import { copyJournal } from '../../../src/journal/copy/copy-journal.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { listCardOrders, recordCards } from '../../../src/journal/orders/seen-cards.ts'
import { deleteOrders } from '../../../src/journal/tables/list.ts'
import { findJournalKind, journalKinds } from '../journals.ts'
import { openTwoProcesses } from '../two-processes.ts'

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
    onTestFinished(close)
    return journal
  }

  test('the order that is recorded first gets the card, in whatever order cards are read again', async () => {
    const journal = await openOne()
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
    const journal = await openOne()
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
    onTestFinished(close)
    const second = await openAt(address)
    onTestFinished(second.close)
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
  })

  test('a reset of the sandbox forgets its cards only', async () => {
    const journal = await openOne()
    const sandbox = { address: 'sandbox:' }
    for (const of of [sandbox, account]) await record(journal, 'one', 'A', of)
    await deleteOrders(journal, sandbox)
    expect(await record(journal, 'two', 'A', sandbox)).toBe('-')
    expect(await record(journal, 'two', 'A')).toBe('one')
  })

  test('cards that are known are read without a write', async () => {
    const journal = await openOne()
    await record(journal, 'one', 'AB')
    const readable: Journal = { ...journal, write: () => Promise.reject(new Error('read-only')) }
    expect(await record(readable, 'one', 'BA')).toBe('- -')
    await expect(record(readable, 'two', 'A')).rejects.toThrow('read-only')
  })
})

describe('two transactions on PostgreSQL', () => {
  const named = { ...account, name: 'eu' }
  const other = { ...account, name: 'us' }

  // The first order's transaction has recorded its cards, but has not ended.
  test.each([
    ['one account, known, with and without a name', named, account, true, 'A', 'first'],
    ['one account, new, with and without a name', named, account, false, 'A', 'first'],
    ['one account, new, without and with a name', account, named, false, 'A', 'first'],
    ['one account, known, without a name', account, account, true, 'A', 'first'],
    ['two accounts, whose orders both have the card', named, other, true, 'A', '-'],
    ['one account, whose orders have different cards and do not wait', account, account, true, 'B', '-'],
  ])('%s', async (_, one, two, isKnown, codes, wanted) => {
    const { journal, during } = await openTwoProcesses()
    for (const of of isKnown ? [one, two] : []) await record(journal, 'known', 'Z', of)
    const first: string[] = []
    const { result, hasWaited } = await during(
      async (before) => first.push(await record(before, 'first', 'A', one)),
      () => record(journal, 'second', codes, two),
    )
    expect([...first, result]).toEqual(['-', wanted])
    if (codes === 'B') expect(hasWaited).toBe(false)
  })
})

describe.each(journalKinds)('copied into $name', ({ openShared }) => {
  const openPair = async () => {
    const source = await findJournalKind('SQLite').openShared()
    const target = await openShared()
    onTestFinished(source.close)
    onTestFinished(target.close)
    const copy = () => copyJournal(source.address, target.journal)
    return { source: source.journal, target: target.journal, copy, query: target.query }
  }

  test('cards are known by the keys of both journals, and first orders stay first', async () => {
    const { source, target, copy } = await openPair()
    await record(source, 'theirs', 'AB')
    await record(source, 'later', 'A')
    await record(target, 'ours', 'BC')
    for (let count = 1; count <= 2; count += 1) await copy()
    expect(await record(target, 'new', 'ABCD')).toBe('theirs ours ours -')
    expect(await record(target, 'theirs', 'BA')).toBe('ours -')
    expect(await record(target, 'ours', 'C')).toBe('-')
    expect(await record(target, 'later', 'A')).toBe('theirs')
  })

  test('an account that is new keeps its key', async () => {
    const { source, target, copy, query } = await openPair()
    await record(source, 'theirs', 'A')
    await copy()
    expect(await query('SELECT 1 FROM card_keys')).toEqual([])
    expect(await record(target, 'new', 'A')).toBe('theirs')
    await record(source, 'later', 'B')
    await record(target, 'new', 'B')
    await copy()
    expect(await record(target, 'later', 'B')).toBe('new')
  })
})
