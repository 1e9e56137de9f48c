// What a journal can do with batches.
import type { Journal } from '../journal.ts'
import { createBatchTable, type Plans } from './batch-table.ts'
import { type Counts, createCardCounts } from './card-counts.ts'
import { type Cards, createCardTable } from './card-table.ts'
import { createLeaseTable, type Leases } from './leases.ts'

export type Batches = Plans & Cards & Counts & Leases

export const openBatches = (journal: Journal): Batches => ({
  ...createBatchTable(journal),
  ...createCardTable(journal),
  ...createCardCounts(journal),
  ...createLeaseTable(journal),
})
