// Which order showed a card first: once for each account, even if several processes record it at once.

import { describe, expect, test } from 'vitest'
import type { Journal } from '../../../src/journal/journal.ts'
import { listCardOrders, recordCards } from '../../../src/journal/orders/seen-cards.ts'
import { testCopies } from '../copy/copy-script.ts'
import { journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { testScripts } from '../script.ts'
import { testTwoProcesses } from '../two-processes.ts'

testScripts(
  journalKinds,
  `
  == the order that is recorded first gets the card, in whatever order cards are read again
  shows one AAB; shows two CBA → - one one; shows three CA → two one; shows one BAA; shows one BCA → - two -
  shows two ABC → one one -

  == two accounts never share a card, but two accounts that may be one do
  shows one A name=eu; shows two A name=us; shows three A origin=https://other.example; shows four A → one
  shows one A name=eu; read SELECT count(DISTINCT card_key) FROM accounts WHERE length(card_key) >= 64 → 4

  == a reset of the sandbox forgets its cards only
  shows one A origin=sandbox:; shows one A; reset origin=sandbox:; shows two A origin=sandbox:; shows two A → one
  `,
)

describe.each(journalKinds)('on $name', (kind) => {
  const account = { address: 'shop.example' }
  const toCards = (codes: string) => [...codes].map((code) => (key: string) => `${key} ${code}`)
  const record = async (journal: Journal, orderId: string, codes: string) => {
    const seen = await recordCards(journal, { account, orderId, cards: toCards(codes) })
    return seen.map(({ otherOrderId = orderId }) => otherOrderId)
  }

  test('of orders that are recorded at once, one gets each card', async () => {
    const { journal, query, openOther } = await openFor(kind)
    const second = await openOther()
    // The account is known, so no order waits for it.
    await record(journal, 'known', 'Z')
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const isForwards = index % 3 === 0
        const target = index % 2 === 0 ? journal : second
        const firsts = await record(target, `o${index}`, isForwards ? 'ABCDE' : 'EDCBA')
        return (isForwards ? firsts : firsts.toReversed()).join(' ')
      }),
    )
    expect(new Set(results).size).toBe(1)
    const count = 'SELECT count(*) AS count FROM seen_cards'
    expect(await query(`${count} WHERE is_first = 1`)).toEqual([{ count: 6n }])
    expect(await query(count)).toEqual([{ count: 101n }])
  })

  test('cards that are known are read without a write, and all orders that have a card are found', async () => {
    const { journal } = await openFor(kind)
    await record(journal, 'one', 'AB')
    const readable: Journal = { ...journal, write: () => Promise.reject(new Error('read-only')) }
    expect(await record(readable, 'one', 'BA')).toEqual(['one', 'one'])
    await expect(record(readable, 'two', 'A')).rejects.toThrow('read-only')
    await record(journal, 'two', 'A')
    const orders = await listCardOrders(journal.read, { account, cards: toCards('A') })
    expect(orders.toSorted()).toEqual(['one', 'two'])
  })
})

testTwoProcesses(`
  == one of two orders at once has the card of a known account, with and without a name
  shows known Z name=eu; shows known Z; while shows first A name=eu: shows second A → waits, first

  == one of two orders at once has the card of a new account, with and without a name
  while shows first A name=eu: shows second A → waits, first

  == one of two orders at once has the card of a new account, without and with a name
  while shows first A: shows second A name=eu → waits, first

  == one of two orders at once has the card of an account without a name
  shows known Z; while shows first A: shows second A → waits, first

  == two orders at once of different accounts both have the card
  shows known Z name=eu; shows known Z name=us; while shows first A name=eu: shows second A name=us → waits

  == orders of an account without a name do not wait for each other
  shows known Z; while shows first A: shows second B
`)

testCopies(`
  == cards are known by the keys of both journals, and first orders stay first
  there shows theirs AB; there shows later A → theirs; shows ours BC; copy; copy → copiedBefore true
  shows new ABCD → theirs ours ours -; shows theirs BA → ours -; shows ours C; shows later A → theirs

  == an account that is new keeps its key
  there shows theirs A; copy; read SELECT 1 FROM card_keys; shows new A → theirs
`)
