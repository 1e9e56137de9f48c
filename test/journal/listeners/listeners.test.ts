// The processes that receive webhooks: they are alive until they end, or stop to say so.
import { describe, expect, onTestFinished, test } from 'vitest'
import { createListenerTable } from '../../../src/journal/listeners/listeners.ts'
import { journalKinds } from '../journals.ts'
import { accountAt, owner } from '../order-desk.ts'

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const shared = await kind.openShared()
    onTestFinished(shared.close)
    const second = await kind.openAt(shared.address, () => ({ osUser: 'tester', host: 'other' }))
    onTestFinished(second.close)
    const here = shared.journal.openTables(createListenerTable)
    const there = second.openTables(createListenerTable)
    /** Moves the times instead of waiting. */
    const age = (ms: number) => shared.query('UPDATE listeners SET seen_at = seen_at - $ms', { ms })
    const isListening = () => there.isListening(owner.account)
    const count = async () => (await shared.query('SELECT 1 FROM listeners')).length
    return { here, there, age, isListening, count }
  }

  test('an account has a listener while one is alive', async () => {
    const { here, there, isListening } = await open()
    expect(await isListening()).toBe(false)
    await here.beat(owner.account, 7)
    await here.beat(owner.account, 7)
    await there.beat(owner.account, 7)
    await here.beat(owner.account, 8)
    expect(await isListening()).toBe(true)
    await here.end(owner.account, 7)
    await here.end(owner.account, 8)
    expect(await isListening()).toBe(true)
    await there.end(owner.account, 7)
    expect(await isListening()).toBe(false)
  })

  test('a listener of another account is none', async () => {
    const { here, isListening } = await open()
    await here.beat(accountAt('https://elsewhere.example').account, 7)
    await here.end(accountAt('https://nowhere.example').account, 7)
    expect(await isListening()).toBe(false)
  })

  test('a listener that may be of the same account counts', async () => {
    const { here, there } = await open()
    const [one, other] = ['one', 'other'].map((name) => ({ ...owner.account, name }))
    await here.beat(one ?? owner.account, 7)
    expect(await there.isListening(owner.account)).toBe(true)
    expect(await there.isListening(other ?? owner.account)).toBe(false)
  })

  test('a listener that stops without an end is dead after 30 s, and its row is deleted', async () => {
    const { here, there, age, isListening, count } = await open()
    await here.beat(owner.account, 7)
    await age(25_000)
    expect(await isListening()).toBe(true)
    await age(6_000)
    expect(await isListening()).toBe(false)
    await there.beat(owner.account, 9)
    expect(await count()).toBe(1)
    await here.beat(owner.account, 7)
    expect(await count()).toBe(2)
  })

  test('a time in the future is from a clock that was set back', async () => {
    const { here, age, isListening } = await open()
    await here.beat(owner.account, 7)
    await age(-3_600_000)
    expect(await isListening()).toBe(false)
    await here.beat(owner.account, 7)
    expect(await isListening()).toBe(true)
  })
})
