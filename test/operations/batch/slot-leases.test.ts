// How long a worker holds a slot: longer than its calls may take.
import { expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { openSlotLeases } from '../../../src/operations/batch/slot-leases.ts'
import { createBatchDesk } from '../../journal/batches/batch-desk.ts'
import { createManualClock } from '../../support/manual-clock.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

const open = async (deadlines: { readonly create: number; readonly confirm: number }) => {
  const clock = createManualClock()
  const journal = await openJournal(':memory:', { now: clock.now })
  const desk = createBatchDesk(journal)
  const { batch } = await desk.save()
  const leases = await openSlotLeases({
    ...{ batches: desk.batches, batch, clock },
    api: { timeoutMs: (operation) => (operation === 'get' ? 900_000 : deadlines[operation]) },
    processes: { own: 100, isRunning: () => true },
  })
  onTestFinished(async () => {
    await leases.close()
    await journal.close()
  })
  /** How long the leases of the worker last from now. */
  const readLeft = async () => ((await desk.batches.listWorkers(1, 60_000))[0]?.until ?? 0) - clock.now()
  return { ...desk, clock, leases, readLeft }
}

test.each([
  ['the default deadlines', { create: 45_000, confirm: 45_000 }, 60_000],
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
