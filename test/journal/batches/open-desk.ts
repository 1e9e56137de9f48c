// Opens a journal with a batch in it, until the end of the test.
import { onTestFinished } from 'vitest'
import type { JournalKind } from '../journals.ts'
import { type BatchDesk, createBatchDesk } from './batch-desk.ts'

export const openBatchDesk = async ({ open }: JournalKind): Promise<BatchDesk> => {
  const { journal, close } = await open()
  onTestFinished(close)
  return createBatchDesk(journal)
}

/** With a saved batch, whose number is 1. */
export const openSavedBatch = async (kind: JournalKind): Promise<BatchDesk> => {
  const desk = await openBatchDesk(kind)
  await desk.save()
  return desk
}
