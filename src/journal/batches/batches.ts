// What a journal can do with batches.
import type { Journal } from '../journal.ts'
import { createBatchTable } from './batch-table.ts'
import { createCardCounts } from './card-counts.ts'
import { createCardTable } from './card-table.ts'

export type Batches = ReturnType<typeof openBatches>

export const openBatches = (journal: Journal) => ({
  ...createBatchTable(journal),
  ...createCardTable(journal),
  ...createCardCounts(journal),
})
