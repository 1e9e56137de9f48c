// Two connections that buy the same batch at once.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { openScratch } from '../../support/scratch.ts'
import { createRow, openBatchDesk } from './batch-desk.ts'

const slots = 30
const names = ['one', 'other']

const startRival = async (file: string, name: string): Promise<Worker> => {
  const worker = new Worker(new URL('rival-worker.ts', import.meta.url), {
    workerData: { file, name, slots },
  })
  await once(worker, 'message')
  return worker
}

test('each slot is created once, and one of its orders is confirmed', async () => {
  using scratch = openScratch()
  const desk = openBatchDesk(scratch.file)
  desk.save({ rows: [createRow('GAME-US', slots * 2)], lastSlot: slots * 2, slotOf: (card) => card + 1 })
  // In the second half of the slots, both threads have an order, and neither is the newest live one.
  for (let slot = slots + 1; slot <= slots * 2; slot += 1) {
    for (const name of names) {
      const { order } = desk.place(slot, `${name}-${slot}`, { reference: `${name}-${slot}` })
      const entry = desk.journal.getOrder(order)
      if (entry !== undefined) desk.journal.recordExpiry(entry, [], 2_000)
    }
  }
  desk.journal.close()

  const workers = await Promise.all(names.map((name) => startRival(scratch.file, name)))
  const ends = workers.map((worker) => once(worker, 'message'))
  for (const worker of workers) worker.postMessage('go')
  const won = (await Promise.all(ends)).flat(2) as string[]
  await Promise.all(workers.map((worker) => worker.terminate()))

  const wanted = Array.from({ length: slots }, (_, index) => [`create ${index + 1}`, `confirm ${index + 1}`])
  expect(won.toSorted()).toEqual(wanted.flat().toSorted())
})
