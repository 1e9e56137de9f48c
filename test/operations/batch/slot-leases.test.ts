// The slots of a worker: how long it holds them, longer than its calls may take, and which it finds.
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { createCounter } from '../../../src/operations/batch/batch-run.ts'
import { openSlotLeases } from '../../../src/operations/batch/slot-leases.ts'
import { createBatchDesk } from '../../journal/batches/batch-desk.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

const defaults = { create: 45_000, confirm: 45_000 }

const open = async (deadlines = defaults) => {
  const counter = createCounter()
  const running = new Set([100, 200])
  const clock = createManualClock()
  const journal = await openJournal(':memory:', { now: clock.now })
  const desk = createBatchDesk(journal)
  const { batch } = await desk.save()
  const leases = await openSlotLeases({
    ...{ batches: desk.batches, batch },
    session: {
      clock,
      api: { timeoutMs: (operation) => (operation === 'get' ? 900_000 : deadlines[operation]) },
    },
    processes: { own: 100, isRunning: (id) => running.has(id) },
    counter,
  })
  onTestFinished(async () => {
    await leases[Symbol.asyncDispose]()
    await journal.close()
  })
  /** How long the leases of the worker last from now. */
  const readLeft = async () => ((await desk.batches.listWorkers(1, 60_000))[0]?.until ?? 0) - clock.now()
  return { ...desk, clock, leases, readLeft, running, counter }
}

test.each([
  ['the default deadlines', defaults, 60_000],
  ['a longer create', { create: 120_000, confirm: 45_000 }, 135_000],
  ['a longer confirm', { create: 45_000, confirm: 120_000 }, 135_000],
  [
    'very long calls, so that others wait for minutes at most',
    { create: 600_000, confirm: 600_000 },
    300_000,
  ],
])('with %s', async (_title, deadlines, leaseMs) => {
  const { clock, leases, readLeft, createClaim, start } = await open(deadlines)
  await leases.claim(1, [])
  expect(await readLeft()).toBe(leaseMs)
  clock.advance(1_000)
  await start(1, { claim: { ...(await createClaim(1)), lease: leases.leaseOf(1) } })
  expect(await readLeft()).toBe(leaseMs)
  clock.advance(19_000)
  await turnEventLoop()
  expect(await readLeft()).toBe(leaseMs)
})

test('it finds the slots of a worker whose process has ended', async () => {
  const { batches, leases, running } = await open()
  const other = await batches.registerWorker(1, 200)
  await batches.claimSlots({ batch: 1, worker: other }, { count: 2, leaseMs: 60_000 })
  await leases.findMore()
  expect(await leases.claim(2, [])).toEqual([])
  running.delete(200)
  await leases.findMore()
  expect(await leases.claim(2, [])).toEqual([1, 2])
})

test('with each renewal, other processes see what it waits for, and since when', async () => {
  const { batches, clock, leases, counter } = await open()
  await leases.claim(1, [])
  const read = async () => (await batches.listWorkers(1, 60_000))[0]?.trouble
  const since = clock.now()
  counter.trouble = { reason: 'the service is down', since }
  clock.advance(20_000)
  await turnEventLoop()
  expect(await read()).toEqual({ reason: 'the service is down', since })
  counter.trouble = undefined
  clock.advance(20_000)
  await turnEventLoop()
  expect(await read()).toBeUndefined()
})
