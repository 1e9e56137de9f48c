// Opens the tables of batches in a journal.
import type { Journal } from '../journal.ts'
import { createBatchTable } from './batch-table.ts'
import type { Batches } from './batches.ts'
import { createCardCounts } from './card-counts.ts'
import { createCardTable } from './card-table.ts'
import { createLeaseTable, createWorkerTable } from './leases.ts'

export const openBatches = (journal: Journal): Batches => ({
  ...createBatchTable(journal),
  ...createCardTable(journal),
  ...createCardCounts(journal),
  ...createLeaseTable(journal),
  ...createWorkerTable(journal),
})
