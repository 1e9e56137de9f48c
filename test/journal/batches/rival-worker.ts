// A thread that buys the slots of a batch as fast as it can, while another thread does the same.
import { parentPort, workerData } from 'node:worker_threads'
import { openBatchDesk } from './batch-desk.ts'

const { file, name, slots } = workerData as { file: string; name: string; slots: number }
const desk = openBatchDesk(file)
// Both threads begin when both are ready.
parentPort?.once('message', () => {
  const won: string[] = []
  for (let slot = 1; slot <= slots; slot += 1) {
    const at = 5_000
    if (desk.beginCreate(slot, { reference: `${name}-${slot}`, at }).kind === 'started')
      won.push(`create ${slot}`)
    // The order of this thread in the second half of the slots.
    if (desk.beginConfirm(`${name}-${slots + slot}`, { at }).kind === 'started') won.push(`confirm ${slot}`)
  }
  desk.journal.close()
  parentPort?.postMessage(won)
})
parentPort?.postMessage('ready')
