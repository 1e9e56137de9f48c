// Prints the rows of a batch: a table, or one JSON document a line.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import { countCards, type ReportedRow, reportRows } from '../../operations/batch/row-report.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { OutputOptions } from '../shared/options.ts'
import type { OpenedBatch } from './open-batch.ts'

const rowData = (columns: readonly string[], row: ReportedRow) => {
  const { line, sku, productType, quote, quantity, cells, state, cards } = row
  return {
    ...{ line, sku, productType, quote: parseDecimal(quote) ?? quote, quantity },
    columns: new Map(columns.map((column, index) => [column, cells[index] ?? ''])),
    state,
    ...{ delivered: countCards(row, 'delivered'), failed: countCards(row, 'failed') },
    duplicate: countCards(row, 'duplicate'),
    cards: cards.map(({ state: cardState, error, order }) => ({
      state: cardState,
      error: error ?? null,
      reference: order?.reference ?? null,
      orderId: order?.orderId ?? null,
    })),
  }
}

export const printRows = async (
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
  const options = { reveal: true, oneLine: true, ...(fields === undefined ? {} : { fields }) }
  for (const row of rows) stdout.write(renderJson(rowData(batch.columns, row), options))
}
