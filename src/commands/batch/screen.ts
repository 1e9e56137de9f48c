// The screens of batches. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/decimal.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { CardError } from '../../journal/batches/card-counts.ts'
import type { StoredWorker } from '../../journal/batches/leases.ts'
import type { Entry } from '../../journal/entry.ts'
import { type ApprovalStatus, findExpired, writeApprove } from '../../operations/approval.ts'
import { countCards, type ReportedRow } from '../../operations/batch/row-report.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { listNextSteps, renderBatch } from '../../ui/screens/batch/batch.ts'
import { renderBatches, renderRows } from '../../ui/screens/batch/batches.ts'
import { writeNote } from '../shared/notes.ts'
import { viewOf, viewOfTable } from '../shared/output/view-of.ts'

export type Summarized = { readonly batch: Batch; readonly summary: BatchSummary }

export const batchesScreen = (context: Context, all: readonly Summarized[]): string =>
  renderBatches(
    all.map(({ batch, summary }) => ({
      ...batch,
      ...summary,
      at: batch.startedAt ?? batch.plannedAt,
    })),
    viewOfTable(context),
  )

type Details = {
  readonly unknownOrders: readonly Entry[]
  readonly errors: readonly CardError[]
  readonly workers: readonly StoredWorker[] | undefined
  readonly approval: ApprovalStatus | undefined
}

export const batchScreen = (context: Context, summarized: Summarized, details: Details): string =>
  renderBatch({ ...summarized, ...details }, viewOf(context))

export const printNextSteps = (
  { stderr, suggest }: Context,
  { batch, summary, approval }: Summarized & Pick<Details, 'approval'>,
  workers: readonly StoredWorker[] = [],
): void => {
  const { name, stopped, profile } = batch
  const isRunning = workers.some(({ isLost }) => !isLost)
  const steps = listNextSteps({
    ...summary,
    name,
    stopped,
    profile,
    isRunning,
    approval: approval?.state,
    suggest,
    approve: approval?.cap && writeApprove(suggest, batch, approval.cap),
    approvedCap: findExpired(approval) === undefined ? approval?.approval?.cap : undefined,
  })
  for (const step of steps) writeNote({ stderr }, `${step}\n`)
}

const distinct = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => text !== undefined)),
]

export const rowsScreen = (
  context: Context,
  { columns }: Pick<Batch, 'columns'>,
  rows: readonly ReportedRow[],
): string =>
  renderRows(
    columns,
    rows.map((row) => ({
      ...row,
      quote: decimal(row.quote),
      delivered: countCards(row, 'delivered'),
      references: distinct(row.cards.map(({ order }) => order?.reference)),
      errors: distinct(row.cards.map(({ error }) => error)),
    })),
    viewOfTable(context),
  )
