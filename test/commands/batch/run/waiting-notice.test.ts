// What a run says while other runs buy the slots that are left.
import { describe, expect, test } from 'vitest'
import { createWaitingNotice } from '../../../../src/commands/batch/run/buy-batch.ts'
import { openSavedBatch } from '../../../journal/batches/open-desk.ts'
import { journalKinds } from '../../../journal/journals.ts'

describe.each(journalKinds)('on $name', (kind) => {
  test('it names each buyer once, and when its orders can be taken over', async () => {
    const { journal, batches, place, start } = await openSavedBatch(kind)
    const batch = await batches.getBatch(1)
    if (batch === undefined) throw new Error('the batch was not saved')
    const said: string[] = []
    const stderr = { write: (text: string) => void said.push(text) }
    const notice = createWaitingNotice({ stderr } as never, { journal, batch })
    await notice()
    expect(said).toEqual([])
    await place(1, 'a')
    await start(2)
    await notice()
    await notice()
    expect(said).toEqual([
      expect.stringMatching(
        /^Waiting for 2 orders of another run: \S+@desk\. If that run died, this one continues at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n$/,
      ),
    ])
  })
})
