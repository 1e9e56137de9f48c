// The steps of `orderctl batch show`.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { ApprovalStatus } from '../../operations/batch/approval-status.ts'
import { countCards, type ReportedRow, reportRows } from '../../operations/batch/row-report.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { renderJson } from '../../ui/text/json.ts'
import { type OutputOptions, outputOf } from '../shared/options.ts'
import { readApprovalStatus, readRunApproval } from './approval/state.ts'
import { type OpenedBatch, withBatch } from './open-batch.ts'
import { printBatch } from './print-batch.ts'
import type { ShowOptions } from './spec.ts'
import { exitCodeOf } from './summary-data.ts'
import { watchBatch } from './watch-batch.ts'

/** Returns the exit code. */
export const showBatch = (context: Context, options: ShowOptions): Promise<number> =>
  withBatch(context, { ...options, mayWrite: false }, async (opened) => {
    const output = outputOf(options)
    const ended = options.watch ? await watchBatch(context, opened, output) : undefined
    if (options.rows) await printRows(context, opened, output)
    else await printBatch(context, opened, output, { showsWorkers: true, readApproval })
    return ended === undefined ? exitCodes.ok.code : exitCodeOf(ended)
  })

/** A batch that buys nothing more waits for no approval. */
const readApproval = (opened: OpenedBatch, { state }: BatchSummary): Promise<ApprovalStatus | undefined> =>
  state === 'successful' || state === 'cancelled' ? readRunApproval(opened) : readApprovalStatus(opened)

/** A table, or one JSON document a line. */
const printRows = async (
  context: Context,
  { batches, batch }: OpenedBatch,
  { format, fields }: OutputOptions,
): Promise<void> => {
  const { stdout } = context
  const rows = await reportRows(batches, batch)
  if (format !== 'json') {
    stdout.write((await import('./screen.ts')).rowsScreen(context, batch, [...rows]))
    return
  }
  // The columns are the user's own, so nothing is masked: a cost code is no gift card code. The journal has no codes.
  const options = { reveal: true, oneLine: true, fields }
  for (const row of rows) stdout.write(renderJson(rowData(batch.columns, row), options))
}

const rowData = (columns: readonly string[], row: ReportedRow) => {
  const { line, sku, productType, quote, quantity, cells, state, cards } = row
  return {
    line,
    sku,
    productType,
    quote: parseDecimal(quote) ?? quote,
    quantity,
    columns: new Map(columns.map((column, index) => [column, cells[index] ?? ''])),
    state,
    delivered: countCards(row, 'delivered'),
    failed: countCards(row, 'failed'),
    duplicate: countCards(row, 'duplicate'),
    cards: cards.map(({ state: cardState, error, order }) => ({
      state: cardState,
      error: error ?? null,
      reference: order?.reference ?? null,
      orderId: order?.orderId ?? null,
    })),
  }
}
