// The clock of one of two machines is wrong. The database's time decides about creates in progress, holds and the days
// of budgets. The service's time decides about the expiry.
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/contract/clock.ts'
import { realClock } from '../support/in-process.ts'
import { openTeamShopBy } from '../support/postgres/team-shop.ts'
import { overSocket } from '../support/world.ts'
import { createWords } from './team/commands.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** In milliseconds, as the journal stores times. */
const databaseNow = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** Three machines: `ana` has the right clock, `ben` and `cleo` a different one. */
const openDesks = async (aheadMs: number) => {
  const shop = await openTeamShopBy({ ...overSocket, processingMs: 0 }, 'ben', 'cleo')
  const wrong = { ...realClock, now: () => Date.now() + aheadMs }
  const addDesk =
    (name: string, clock: Clock) =>
    async (words: readonly string[], more: Partial<Clock> = {}) => {
      const desk = { clock: { ...clock, ...more }, host: `${name}-desk`, osUser: name }
      const { exit, stderr } = await shop.as(name, words, desk)
      return { exit, stderr }
    }
  return { ...shop, ana: addDesk('ana', realClock), ben: addDesk('ben', wrong), cleo: addDesk('cleo', wrong) }
}

describe.each([
  ['an hour ahead', hourMs],
  ['an hour behind', -hourMs],
])('a clock that is %s', (_, aheadMs) => {
  test('does not end the wait for a create of another machine, and does not prolong it', async () => {
    const desks = await openDesks(aheadMs)
    const { admin, sent, ana, ben, cleo } = desks
    expect((await ana(createWords('shared'))).exit).toBe(0)
    // As if the process had sent it 5 s ago. Triggers refuse such changes.
    const withoutTriggers = 'SET session_replication_role = replica;'
    await admin(`${withoutTriggers} UPDATE orders SET order_id = NULL, total = NULL, standing = 'creating'`)
    const setTimes = (ago: number, left: number) =>
      admin(`${withoutTriggers} UPDATE calls SET outcome = 'sending', responded_at = NULL,
        started_at = ${databaseNow} - ${ago}, until = ${databaseNow} + ${left}`)
    await setTimes(5_000, 40_000)
    const early = await ben(createWords('shared', '--confirm'))
    expect(early).toEqual({
      exit: 11,
      stderr: expect.stringContaining('another process is creating an order'),
    })
    expect([sent('create'), sent('confirm')]).toEqual([1, 0])
    await setTimes(120_000, -75_000)
    expect((await cleo(createWords('shared', '--confirm'))).exit).toBe(0)
    expect(desks.bought().length).toBe(1)
  })

  test('does not end the wait of --idempotent for a confirm of another machine, and does not prolong it', async () => {
    const desks = await openDesks(aheadMs)
    const { admin, sent, ana, ben, cleo } = desks
    /** As if a process had begun to send it 100 s ago. */
    const addConfirm = async (reference: string, until: number): Promise<void> => {
      expect((await ana(createWords(reference))).exit).toBe(0)
      await admin(`INSERT INTO calls (id, order_number, operation, outcome, started_at, until)
        SELECT '${reference}', number, 'confirm', 'sending', ${databaseNow} - 100000, ${databaseNow} + ${until}
        FROM orders WHERE reference = '${reference}'`)
    }
    let looks = 0
    const sleep: Clock['sleep'] = async (ms, signal) => {
      if (ms !== 1_000) return realClock.sleep(ms, signal)
      looks += 1
      if (looks !== 3) return
      expect([sent('create'), sent('confirm')]).toEqual([1, 0])
      await admin(`UPDATE calls SET outcome = 'not-sent' WHERE operation = 'confirm'`)
    }
    await addConfirm('shared', -55_000)
    const words = createWords('shared', '--confirm', '--idempotent').filter((word) => word !== '--json')
    const early = await ben(words, { sleep })
    expect({ exit: early.exit, looks }, early.stderr).toEqual({ exit: 0, looks: 3 })
    expect(early.stderr).toMatch(/Waiting for it \(up to 3\d s\)/)
    await addConfirm('late', -91_000)
    expect((await cleo(createWords('late', '--confirm', '--idempotent'), { sleep })).exit).toBe(6)
    expect(looks).toBe(3)
    expect(desks.bought().length).toBe(1)
  })

  test('is not written to the journal', async () => {
    const desks = await openDesks(aheadMs)
    expect((await desks.ben(createWords('shared', '--confirm'))).exit).toBe(0)
    const rows = await desks.admin(
      `SELECT abs(started_at - ${databaseNow}) AS started, abs(until - ${databaseNow}) AS until,
         abs(responded_at - ${databaseNow}) AS responded, abs(placed_at - ${databaseNow}) AS placed,
         abs(confirmed_at - ${databaseNow}) AS confirmed
       FROM calls JOIN orders ON orders.number = order_number`,
    )
    expect(rows).toHaveLength(2)
    for (const times of rows.map((row) => Object.values(row).map(Number)))
      expect(Math.max(...times)).toBeLessThan(hourMs / 4)
  })

  test('does not take a slot from a different machine', async () => {
    const desks = await openDesks(aheadMs)
    const { admin, sent, file, ana, ben } = desks
    const rows = file(JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 1 }]), 'gifts.json')
    expect((await ana(['batch', 'plan', rows, '--wallet', 'USD', '--json'])).exit).toBe(0)
    await admin(`INSERT INTO orders (account, profile, origin, standing, request, placed_at, changed_at, batch, slot)
      SELECT account, profile, origin, 'creating', '{}', 1, 1, number, 1 FROM batches`)
    const hold = (ms: number) =>
      admin(`UPDATE orders SET held_until = ${databaseNow} + ${ms} WHERE standing = 'creating'`)
    await hold(60_000)
    let waits = 0
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await realClock.sleep(ms, signal)
      if (ms === 1_000) waits += 1
      if (ms === 1_000 && waits === 3) {
        expect([sent('create'), sent('confirm')]).toEqual([0, 0])
        await hold(-1)
      }
    }
    const { exit, stderr } = await ben(['batch', 'run', 'gifts', '--max-total', '25', '--json'], { sleep })
    expect(exit, stderr).toBe(0)
    expect(waits).toBeGreaterThanOrEqual(3)
    expect(desks.bought().length).toBe(1)
  })

  test('does not change when an order expires', async () => {
    const desks = await openDesks(aheadMs)
    const { sent, ana, ben } = desks
    expect((await ana(createWords('fresh'))).exit).toBe(0)
    expect((await ben(['confirm', 'ref:fresh', '--json'])).exit).toBe(0)
    expect((await ana(createWords('old'))).exit).toBe(0)
    await desks.advance('11m')
    const before = sent('confirm')
    expect((await ben(['confirm', 'ref:old', '--json'])).exit).toBe(10)
    expect(sent('confirm')).toBe(before)
    expect((await ben(createWords('old', '--confirm'))).exit).toBe(0)
    expect(desks.bought().length).toBe(2)
  })
})

describe.each([
  ['a day ahead', dayMs],
  ['a day behind', -dayMs],
])('a clock that is %s', (_, aheadMs) => {
  test('does not change the day of a budget', async () => {
    const desks = await openDesks(aheadMs)
    const { admin, sent, ana, ben } = desks
    expect((await ana(['profile', 'limits', '--budget', '40USD/day'])).exit).toBe(0)
    expect((await ana(createWords('first', '--confirm'))).exit).toBe(0)
    expect((await ben(createWords('second', '--confirm'))).exit).toBe(12)
    expect(sent('confirm')).toBe(1)
    // Both days of the clock that is off: for the database, they are over, or have not begun.
    await admin(`UPDATE orders SET reserved_at = ${databaseNow} / ${dayMs} * ${dayMs} - 1
      WHERE reserved_at IS NOT NULL`)
    expect((await ben(['confirm', 'ref:second', '--json'])).exit).toBe(0)
    expect(desks.bought().length).toBe(2)
  })
})
