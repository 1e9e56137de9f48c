// Opens a journal with a batch in it, until the end of the test.
import type { JournalKind } from '../journals.ts'
import { openFor } from '../open.ts'
import { type BatchDesk, createBatchDesk } from './batch-desk.ts'

export const openBatchDesk = async (kind: JournalKind): Promise<BatchDesk> =>
  createBatchDesk((await openFor(kind)).journal)

/** With a saved batch, whose number is 1. */
export const openSavedBatch = async (kind: JournalKind): Promise<BatchDesk> => {
  const desk = await openBatchDesk(kind)
  await desk.save()
  return desk
}
