// batch run --worker: several processes buy one batch.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { isPastPending } from '../../../src/contract/states.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { inRealTime, openWorld, type World } from '../../support/world.ts'

const product = (orders: number): string => `GAME-US:25x${orders * 5}`
const start = ['batch', 'run', '--name', 'gifts', '--wallet', 'USD', '--max-total', '100000', '--yes']
const worker = ['batch', 'run', 'gifts', '--worker', '--json']

const query = (shop: World, sql: string): Record<string, unknown>[] => {
  using database = new DatabaseSync(path.join(shop.home, 'state', 'journal.db'), { timeout: 10_000 })
  return database.prepare(sql).all()
}
const countWorkers = (shop: World): number =>
  Number(query(shop, 'SELECT count(*) AS count FROM batch_workers')[0]?.count)

type Served = { readonly id: string; readonly reference: string; readonly state: string }

/** The slots that the service sold, by the references of their orders. */
const listSold = async (shop: World): Promise<string[]> => {
  const { orders } = (await shop.calls.mock('GET', '/state')).data
  return orders
    .filter(({ state }: Served) => isPastPending(state))
    .map(({ reference }: Served) => reference.slice(0, 'gifts-0001'.length))
    .toSorted()
}
const listSlots = (orders: number): string[] =>
  Array.from({ length: orders }, (_, index) => `gifts-${String(index + 1).padStart(4, '0')}`)

const arrives = (shop: World, operation: string): Promise<void> =>
  new Promise((resolve) => shop.arrived.once(operation, () => resolve()))

describe('several processes', { timeout: 120_000 }, () => {
  test('buy each order once, although one of them is killed', async () => {
    const orders = 40
    const shop = await openWorld(inRealTime)
    const first = shop.starts([...start, '--product', product(orders), '--json'], { endsWithinMs: 100_000 })
    await arrives(shop, 'confirm')
    // A short time limit, because the others wait for a create in progress.
    const killed = shop.starts([...worker, '--timeout', '3s'], { endsWithinMs: 100_000 })
    await waitUntil(() => query(shop, `SELECT 1 FROM slot_leases WHERE worker = 2`).length > 0)
    const others = [1, 2].map(() => shop.starts(worker, { endsWithinMs: 100_000 }))
    await arrives(shop, 'confirm')
    killed.kill('SIGKILL')
    const ended = await Promise.all([first, ...others])
    for (const { exitCode, stderr } of ended) expect([0, 6], stderr).toContain(exitCode)
    // The last one may start when all slots are done.
    expect([3, 4]).toContain(countWorkers(shop))
    // A confirm of the killed process may need the proof that it was not carried out.
    await shop.advance('20m')
    await shop.run(worker)
    await shop.advance('20m')
    expect(await shop.run(worker)).toMatchObject({ exit: 0 })
    expect(await listSold(shop)).toEqual(listSlots(orders))
    expect(query(shop, 'SELECT * FROM slot_leases')).toEqual([])
  })

  test('a process that was paused past its lease does not send', async () => {
    const orders = 4
    const shop = await openWorld(inRealTime)
    const one = ['--product', product(orders), '--parallel', '1', '--timeout', '3s', '--json']
    const paused = shop.starts([...start, ...one], { endsWithinMs: 100_000 })
    await arrives(shop, 'create')
    paused.kill('SIGSTOP')
    query(shop, 'UPDATE slot_leases SET until = 1')
    const ran = shop.starts(worker, { endsWithinMs: 100_000 })
    expect(await ran).toMatchObject({ exitCode: 0 })
    const asked = await shop.asked()
    paused.kill('SIGCONT')
    const { exitCode, stdout } = await paused
    expect([exitCode, JSON.parse(stdout).state]).toEqual([0, 'successful'])
    expect(await shop.asked()).toBe(asked)
    expect(await listSold(shop)).toEqual(listSlots(orders))
  })

  test('wait for each other, and stop when the batch is cancelled', async () => {
    const shop = await openWorld(inRealTime)
    const words = [...start, '--product', 'TEST-SLOW:10x5', '--json']
    const first = shop.starts(words, { endsWithinMs: 100_000 })
    await arrives(shop, 'confirm')
    const second = shop.starts(worker, { endsWithinMs: 100_000 })
    await waitUntil(() => countWorkers(shop) === 2)
    const shown = JSON.parse(await shop.must('batch', 'show', 'gifts', '--json')).workers
    expect(shown).toMatchObject([
      { process: first.pid, state: 'running', orders: 1 },
      { process: second.pid, state: 'running', orders: 0 },
    ])
    await shop.must('batch', 'cancel', 'gifts')
    expect((await second).exitCode).toBe(8)
    await shop.advance('5m')
    expect(await first).toMatchObject({ exitCode: 0 })
  })
})
