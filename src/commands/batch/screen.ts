// The screens of batches. Loaded only when one is drawn.
import type { Context } from '../../context.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { CardError } from '../../journal/batches/report-table.ts'
import type { Entry } from '../../journal/entry.ts'
import { countCards, type ReportedRow } from '../../operations/batch/row-report.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { listNextSteps, renderBatch } from '../../ui/screens/batch.ts'
import { renderBatches, renderRows } from '../../ui/screens/batches.ts'
import { viewOf } from '../shared/output/view-of.ts'

export type Summarized = { readonly batch: Batch; readonly summary: BatchSummary }

export const batchesScreen = (context: Context, all: readonly Summarized[]): string =>
  renderBatches(
    all.map(({ batch, summary }) => ({
      ...batch,
      ...summary,
      at: batch.startedAt ?? batch.plannedAt,
    })),
    viewOf(context),
  )

type Problems = { readonly unknownOrders: readonly Entry[]; readonly errors: readonly CardError[] }

export const batchScreen = (context: Context, summarized: Summarized, problems: Problems): string =>
  renderBatch({ ...summarized, ...problems }, viewOf(context))

export const printNextSteps = ({ stderr }: Context, { batch, summary }: Summarized): void => {
  const { name, stopped, profile } = batch
  for (const step of listNextSteps({ ...summary, name, stopped, profile })) stderr.write(`${step}\n`)
}

const distinct = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => text !== undefined)),
]

export const rowsScreen = (context: Context, rows: readonly ReportedRow[]): string =>
  renderRows(
    rows.map((row) => ({
      ...row,
      delivered: countCards(row, 'delivered'),
      references: distinct(row.cards.map(({ order }) => order?.reference)),
      errors: distinct(row.cards.map(({ error }) => error)),
    })),
    viewOf(context),
  )
