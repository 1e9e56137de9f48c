// batch run --worker: several processes buy one batch.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { isPastPending } from '../../../src/contract/states.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { openWorld, overSocket, type World } from '../../support/world.ts'
import { type BatchFill, fillJournal, rowsOf } from './filled-journal.ts'

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
    const shop = await openWorld(overSocket)
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
    const shop = await openWorld(overSocket)
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
    const shop = await openWorld(overSocket)
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
    expect((await second).exitCode).toBe(3)
    await shop.advance('5m')
    expect(await first).toMatchObject({ exitCode: 0 })
  })
})

describe('a worker', () => {
  const open = async (fill: BatchFill = {}) => {
    const shop = await openWorld()
    const { add, batches, journal } = await fillJournal(shop.home)
    const filled = await add({ name: 'gifts', rows: rowsOf(2), maxTotal: '5000', ...fill })
    return { shop, batches, journal, ...filled }
  }

  test('needs a batch that is started', async () => {
    const shop = await openWorld()
    const { add } = await fillJournal(shop.home)
    await add({ name: 'gifts', rows: rowsOf(2) })
    expect(await shop.does('batch', 'run', 'gifts', '--worker')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(
        'error: the batch gifts is not started, so a worker cannot take part in it\n' +
          'try: Start it: orderctl batch run gifts --max-total AMOUNT\n',
      ),
    })
  })

  test('takes the name of a batch, not a file', async () => {
    const { shop } = await open()
    const { exit, stderr } = await shop.run(['batch', 'run', shop.file('[]', 'rows.json'), '--worker'])
    expect([exit, stderr]).toEqual([2, expect.stringContaining("no batch 'rows.json' in this journal")])
  })

  test('says what it takes part in, and needs no consent', async () => {
    const { shop, deliver } = await open()
    await deliver(1)
    const { exit, stderr } = await shop.run(['batch', 'run', 'gifts', '--worker'])
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining(
        'Taking part in the batch gifts: 100.00 of 5,000.00 USD spent, 1 of 2 cards delivered\n',
      ),
    ])
  })

  test('sends nothing for a batch that has stopped, and exits with its code', async () => {
    const { shop, batches, batch } = await open()
    await batches.stopBatch(batch.number, 'cap', Date.now())
    const { exit, stderr } = await shop.run(['batch', 'run', 'gifts', '--worker'])
    expect([exit, stderr]).toEqual([13, expect.stringContaining('the batch gifts stopped at its cap')])
    expect(await shop.asked()).toBe('')
  })
})

test('batch show lists the workers that run, and those that were lost', async () => {
  const shop = await openWorld()
  const { add, batches } = await fillJournal(shop.home)
  const { batch, deliver } = await add({ name: 'gifts', rows: rowsOf(2), maxTotal: '5000' })
  const [lost, running] = [
    await batches.registerWorker(batch.number, 12),
    await batches.registerWorker(batch.number, 34),
  ]
  await batches.endWorker(await batches.registerWorker(batch.number, 56))
  query(shop, `UPDATE batch_workers SET seen_at = seen_at - 300000 WHERE number = ${lost}`)
  await batches.addOpenSlots(batch.number)
  await batches.claimSlots({ batch: batch.number, worker: running }, { count: 1, leaseMs: 60_000 })
  const { stdout, stderr } = await shop.run(['batch', 'show', 'gifts'])
  expect(
    stdout.replace(/started \w+( s ago)?/g, 'started now').replace(/seen (now|\d s ago)/, 'seen now'),
  ).toContain(
    `
Workers
tester@desk, process 34: 1 order, started now, seen now
tester@desk, process 12: lost, started now, seen 5 min ago
`,
  )
  expect(stderr).toBe('Watch it: orderctl batch show gifts --watch\n')
  const by = { role: null, user: 'tester', host: 'desk' }
  const time = expect.stringMatching(/^\d{4}-.*Z$/)
  const readShown = async () => JSON.parse(await shop.must('batch', 'show', 'gifts', '--json')).workers
  expect(await readShown()).toEqual([
    { by, process: 12, state: 'lost', orders: 0, startedAt: time, seenAt: time },
    { by, process: 34, state: 'running', orders: 1, startedAt: time, seenAt: time },
  ])
  await deliver(1, 2)
  expect(await readShown()).toMatchObject([{ process: 34 }])
})
