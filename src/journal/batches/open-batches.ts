// Opens the tables of batches in a journal.
import type { Journal } from '../journal.ts'
import { createBatchTable } from './batch-table.ts'
import { createCardCounts } from './card-counts.ts'
import { createCardTable } from './card-table.ts'
import { createLeaseTable } from './leases.ts'
import { createWorkerTable } from './workers.ts'

export type Batches = ReturnType<typeof openBatches>

export const openBatches = (journal: Pick<Journal, 'openTables'>) => ({
  ...journal.openTables(createBatchTable),
  ...journal.openTables(createCardTable),
  ...journal.openTables(createCardCounts),
  ...journal.openTables(createLeaseTable),
  ...journal.openTables(createWorkerTable),
})
