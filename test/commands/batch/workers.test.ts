// batch run --worker in one process: what a worker takes part in, and how workers are listed.
import { once } from 'node:events'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openWorld, overNetwork } from '../../support/world.ts'
import { openFilled, rowsOf } from './filled-journal.ts'

test('two workers at once buy each order once', async () => {
  const shop = await openWorld(overNetwork)
  await shop.must('batch', 'plan', '--product', 'GAME-US:25x40', '--wallet', 'USD', '--name', 'gifts')
  const started = once(shop.arrived, 'create')
  const first = shop.run(['batch', 'run', 'gifts', '--max-total', '1000', '--parallel', '1'])
  await started
  const second = await shop.run(['batch', 'run', 'gifts', '--worker', '--parallel', '1'])
  expect([(await first).exit, second.exit]).toEqual([0, 0])
  expect(shop.bought()).toHaveLength(8)
  expect(shop.journal('SELECT 1 FROM batch_workers')).toHaveLength(2)
})

describe('a worker', () => {
  const open = () => openFilled({ name: 'gifts', rows: rowsOf(2) })

  test('needs a batch that is started', async () => {
    const { shop, add } = await openFilled({ name: 'other' })
    await add({ name: 'gifts', rows: rowsOf(2) })
    expect(await shop.does('batch', 'run', 'gifts', '--worker')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(
        'error: the batch gifts is not started, so a worker cannot take part in it\n' +
          'try: orderctl batch run gifts\n',
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
    const { shop, stop } = await open()
    await stop('cap')
    const { exit, stderr } = await shop.run(['batch', 'run', 'gifts', '--worker'])
    expect([exit, stderr]).toEqual([13, expect.stringContaining('the batch gifts stopped at its cap')])
    expect(await shop.asked()).toBe('')
  })
})

test('batch show lists the workers that run, and those that were lost', async () => {
  const { shop, batches, batch, deliver } = await openFilled({ name: 'gifts', rows: rowsOf(2) })
  const [lost, running] = [
    await batches.registerWorker(batch.number, 12),
    await batches.registerWorker(batch.number, 34),
  ]
  await batches.endWorker(await batches.registerWorker(batch.number, 56))
  {
    using database = new DatabaseSync(path.join(shop.home, 'state', 'journal.db'), { timeout: 10_000 })
    database.exec(`UPDATE batch_workers SET seen_at = seen_at - 330000 WHERE number = ${lost}`)
  }
  await batches.addOpenSlots(batch.number)
  await batches.claimSlots({ batch: batch.number, worker: running }, { count: 1, leaseMs: 60_000 })
  const renew = (reason?: string) =>
    batches.renewLeases({ worker: running }, 60_000, reason === undefined ? undefined : { reason, forMs: 0 })
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
  const by = { role: null, user: 'tester', host: 'desk', writtenBy: null }
  const waits = { waitsFor: null, waitsSince: null }
  const time = expect.stringMatching(/^\d{4}-.*Z$/)
  const readShown = async () => JSON.parse(await shop.must('batch', 'show', 'gifts', '--json')).workers
  expect(await readShown()).toEqual([
    { by, process: 12, state: 'lost', orders: 0, startedAt: time, seenAt: time, ...waits },
    { by, process: 34, state: 'running', orders: 1, startedAt: time, seenAt: time, ...waits },
  ])
  await renew('the service is down')
  expect((await shop.run(['batch', 'show', 'gifts'])).stdout).toMatch(
    /process 34: 1 order, .*, waiting since 20.*UTC: the service is down/,
  )
  expect((await readShown())[1]).toMatchObject({ waitsFor: 'the service is down', waitsSince: time })
  await renew()
  await deliver(1, 2)
  expect(await readShown()).toMatchObject([{ process: 34 }])
})
