// The clock of one of two machines is wrong. The time of the database decides about creates in progress, leases and the
// days of budgets, and the time of the service about the expiry.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/contract/clock.ts'
import { realClock } from '../support/in-process.ts'
import { databaseNow, openDesks } from './team/desks.ts'

const timeout = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs

const createWords = (reference: string, ...more: readonly string[]): string[] =>
  ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference, '--json'].concat(more)

describe.each([
  ['an hour ahead', hourMs],
  ['an hour behind', -hourMs],
])('a clock that is %s', (_, aheadMs) => {
  test('does not end the wait for a create of another machine, and does not prolong it', {
    timeout,
  }, async () => {
    await using desks = await openDesks(aheadMs)
    const { database, sent, ana, ben, cleo } = desks
    expect((await ana(createWords('shared'))).end).toBe(0)
    // As if the process had sent it 5 s ago.
    await database.admin(`UPDATE orders SET order_id = NULL, total = NULL, standing = 'unanswered'`)
    const setTimes = (ago: number, left: number) =>
      database.admin(`UPDATE calls SET outcome = 'sending', answered_at = NULL,
        started_at = ${databaseNow} - ${ago}, until = ${databaseNow} + ${left}`)
    await setTimes(5_000, 40_000)
    const early = await ben(createWords('shared', '--confirm'))
    expect(early).toEqual({
      end: 11,
      stderr: expect.stringContaining('another process is creating an order'),
    })
    expect(sent).toEqual(['/order/create'])
    await setTimes(120_000, -75_000)
    expect((await cleo(createWords('shared', '--confirm'))).end).toBe(0)
    expect(await desks.countBought()).toBe(1)
  })

  test('does not end the wait of --idempotent for a confirm of another machine, and does not prolong it', {
    timeout,
  }, async () => {
    await using desks = await openDesks(aheadMs)
    const { database, sent, ana, ben, cleo } = desks
    /** As if a process had begun to send it 100 s ago. */
    const addConfirm = async (reference: string, until: number): Promise<void> => {
      expect((await ana(createWords(reference))).end).toBe(0)
      await database.admin(`INSERT INTO calls (order_number, operation, outcome, started_at, until)
        SELECT number, 'confirm', 'sending', ${databaseNow} - 100000, ${databaseNow} + ${until}
        FROM orders WHERE reference = '${reference}'`)
    }
    let looks = 0
    const sleep: Clock['sleep'] = async (ms, signal) => {
      if (ms !== 1_000) return realClock.sleep(ms, signal)
      looks += 1
      if (looks !== 3) return
      expect(sent).toEqual(['/order/create'])
      await database.admin(`UPDATE calls SET outcome = 'not-sent' WHERE operation = 'confirm'`)
    }
    await addConfirm('shared', -55_000)
    const early = await ben(createWords('shared', '--confirm', '--idempotent'), { sleep })
    expect({ end: early.end, looks }, early.stderr).toEqual({ end: 0, looks: 3 })
    expect(early.stderr).toMatch(/Waiting for it \(up to 3\d s\)/)
    await addConfirm('late', -91_000)
    expect((await cleo(createWords('late', '--confirm', '--idempotent'), { sleep })).end).toBe(6)
    expect(looks).toBe(3)
    expect(await desks.countBought()).toBe(1)
  })

  test('is not written to the journal', { timeout }, async () => {
    await using desks = await openDesks(aheadMs)
    expect((await desks.ben(createWords('shared', '--confirm'))).end).toBe(0)
    const rows = await desks.database.admin(
      `SELECT abs(started_at - ${databaseNow}) AS started, abs(until - ${databaseNow}) AS until,
         abs(answered_at - ${databaseNow}) AS answered, abs(placed_at - ${databaseNow}) AS placed,
         abs(confirmed_at - ${databaseNow}) AS confirmed
       FROM calls JOIN orders ON orders.number = order_number`,
    )
    expect(rows).toHaveLength(2)
    for (const times of rows.map((row) => Object.values(row).map(Number)))
      expect(Math.max(...times)).toBeLessThan(hourMs / 4)
  })

  test('does not take a slot from another machine', { timeout }, async () => {
    await using desks = await openDesks(aheadMs)
    const { database, sent, home, ana, ben } = desks
    const file = path.join(home, 'gifts.json')
    writeFileSync(file, JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 1 }]))
    expect((await ana(['batch', 'plan', file, '--wallet', 'USD', '--json'])).end).toBe(0)
    await database.admin(`INSERT INTO batch_workers (batch, process, started_at, seen_at)
      SELECT number, 1, ${databaseNow}, ${databaseNow} FROM batches`)
    const setLease = (ms: number) =>
      database.admin(`INSERT INTO slot_leases (batch, slot, worker, fence, until)
        SELECT batch, 1, number, 1, ${databaseNow} + ${ms} FROM batch_workers ORDER BY number LIMIT 1
        ON CONFLICT (batch, slot) DO UPDATE SET until = excluded.until`)
    await setLease(60_000)
    let waits = 0
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await realClock.sleep(ms, signal)
      if (ms === 1_000) waits += 1
      if (ms === 1_000 && waits === 3) {
        expect(sent).toEqual([])
        await setLease(-1)
      }
    }
    const { end, stderr } = await ben(['batch', 'run', 'gifts', '--max-total', '25', '--json'], { sleep })
    expect(end, stderr).toBe(0)
    expect(waits).toBeGreaterThanOrEqual(3)
    expect(await desks.countBought()).toBe(1)
  })

  test('does not change when an order expires', { timeout }, async () => {
    await using desks = await openDesks(aheadMs)
    const { sent, ana, ben } = desks
    expect((await ana(createWords('fresh'))).end).toBe(0)
    expect((await ben(['confirm', 'ref:fresh', '--json'])).end).toBe(0)
    expect((await ana(createWords('old'))).end).toBe(0)
    await desks.advanceService('11m')
    sent.length = 0
    expect((await ben(['confirm', 'ref:old', '--json'])).end).toBe(10)
    expect(sent).toEqual([])
    expect((await ben(createWords('old', '--confirm'))).end).toBe(0)
    expect(await desks.countBought()).toBe(2)
  })
})

describe.each([
  ['a day ahead', dayMs],
  ['a day behind', -dayMs],
])('a clock that is %s', (_, aheadMs) => {
  test('does not change the day of a budget', { timeout }, async () => {
    await using desks = await openDesks(aheadMs)
    const { database, sent, ana, ben } = desks
    expect((await ana(['profile', 'limits', '--budget', '40USD/day'])).end).toBe(0)
    expect((await ana(createWords('first', '--confirm'))).end).toBe(0)
    expect((await ben(createWords('second', '--confirm'))).end).toBe(12)
    expect(sent.filter((each) => each === '/order/confirm')).toHaveLength(1)
    // Both days of the clock that is off: for the database, they are over, or have not begun.
    await database.admin(`UPDATE orders SET reserved_at = ${databaseNow} / ${dayMs} * ${dayMs} - 1
      WHERE reserved_at IS NOT NULL`)
    expect((await ben(['confirm', 'ref:second', '--json'])).end).toBe(0)
    expect(await desks.countBought()).toBe(2)
  })
})
