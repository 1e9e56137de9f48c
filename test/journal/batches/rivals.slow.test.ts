// Two connections that buy the same batch, start equal batches, or spend the same budget, at once.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createLimitTable } from '../../../src/journal/limits/limits.ts'
import { journalKinds } from '../journals.ts'
import { createBatchDesk, createRow, owner } from './batch-desk.ts'
import type { RivalData } from './rival-worker.ts'

const count = 30
const numbers = Array.from({ length: count }, (_, index) => index + 1)
const names = ['one', 'other']

const startRival = async (data: RivalData): Promise<Worker> => {
  const worker = new Worker(new URL('rival-worker.ts', import.meta.url), { workerData: data })
  await once(worker, 'message')
  return worker
}

/** Returns what the rivals won together. `before` runs before each round. */
const runRivals = async (
  data: Omit<RivalData, 'name' | 'count'>,
  before: (number: number) => Promise<unknown> = async () => {},
): Promise<string[]> => {
  const workers = await Promise.all(names.map((name) => startRival({ ...data, name, count })))
  const won: string[] = []
  for (const number of [...numbers, undefined]) {
    if (number !== undefined) await before(number)
    const ends = workers.map((worker) => once(worker, 'message'))
    // Both begin at once.
    for (const worker of workers) worker.postMessage(number)
    won.push(...((await Promise.all(ends)).flat(2) as string[]))
  }
  await Promise.all(workers.map((worker) => worker.terminate()))
  return won.toSorted()
}

describe.each(journalKinds)('on $name', (kind) => {
  const open = async () => {
    const { journal, address, close } = await kind.openShared()
    onTestFinished(close)
    return { ...createBatchDesk(journal), address }
  }

  test('each slot is created once, and one of its orders is confirmed', async () => {
    const { journal, save, place, address } = await open()
    await save({ rows: [createRow('GAME-US', count * 2)], lastSlot: count * 2, slotOf: (card) => card + 1 })
    // In the second half of the slots, both threads have an order, and neither is the newest live one.
    for (const slot of numbers.map((number) => count + number)) {
      for (const name of names) {
        const { order } = await place(slot, `${name}-${slot}`, { reference: `${name}-${slot}` })
        const entry = await journal.getOrder(order)
        if (entry !== undefined) await journal.recordExpiry(entry, [], 2_000)
      }
    }
    const won = await runRivals({ kind: kind.name, address, task: 'buy' })
    const wanted = numbers.flatMap((number) => [`create ${number}`, `confirm ${number}`])
    expect(won).toEqual(wanted.toSorted())
  })

  test('of two equal batches, one is started', async () => {
    const { save, address } = await open()
    for (const number of numbers) {
      for (const name of names) await save({ name: `${name}-${number}`, demand: `demand ${number}` })
    }
    const won = await runRivals({ kind: kind.name, address, task: 'start' })
    expect(won).toEqual(numbers.map((number) => `start ${number}`).toSorted())
  })
  test('of two orders against a budget for one more order, one is confirmed', async () => {
    const { journal, address } = await open()
    const { setLimit } = journal.openTables(createLimitTable)
    const won = await runRivals({ kind: kind.name, address, task: 'spend' }, (number) =>
      setLimit(owner.account, { kind: 'day', currency: 'USD', amount: String(number * 25) }),
    )
    expect(won).toEqual(numbers.map((number) => `spend ${number}`).toSorted())
  })
})
