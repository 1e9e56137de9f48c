// What a run says while other workers hold the slots that are left.
import { describe, expect, test } from 'vitest'
import { createWaitingNotice } from '../../../../src/commands/batch/run/buy-batch.ts'
import { openSavedBatch } from '../../../journal/batches/open-desk.ts'
import { journalKinds } from '../../../journal/journals.ts'

describe.each(journalKinds)('on $name', (kind) => {
  test('it names each worker that holds slots once, and when its leases end', async () => {
    const { batches } = await openSavedBatch(kind)
    const batch = await batches.getBatch(1)
    if (batch === undefined) throw new Error('the batch was not saved')
    const said: string[] = []
    const stderr = { write: (text: string) => void said.push(text) }
    const notice = createWaitingNotice({ stderr } as never, { batches, batch })
    const worker = await batches.registerWorker(1, 4711)
    await notice()
    expect(said).toEqual([])
    await batches.addOpenSlots(1)
    await batches.claimSlots({ batch: 1, worker }, { count: 5, leaseMs: 60_000 })
    await notice()
    await notice()
    expect(said).toEqual([
      expect.stringMatching(
        /^Waiting for 2 orders of another worker: \S+@desk, process 4711\. If it does not run any more, this run continues at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n$/,
      ),
    ])
  })
})
