// The steps of `orderctl batch show`.

import { formatOf, type OutputOptions } from '../app/output/output.ts'
import { writeNote, writeProse } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { exitCodes, interruption } from '../errors.ts'
import { isFailedCard } from '../journal/batches/batches.ts'
import { listBatchRows, listUnknownOrders } from '../journal/batches/cards.ts'
import { listBuyers } from '../journal/batches/slots.ts'
import { listCalls } from '../journal/orders/entries.ts'
import { readInParallel } from '../operations/parallel.ts'
import { isInFlight } from '../operations/purchase-step.ts'
import { viewOfTable } from '../ui/terminal/view.ts'
import { listNames, readFields, renderJson, requireFields } from '../ui/text/result-fields.ts'
import { withBatch } from './open-batch.ts'
import { printBatch } from './print-batch.ts'
import { type BatchProgress, createProgressReader, showBatchProgress } from './run/progress.ts'
import { renderRows } from './screens/batch.ts'
import { listRowFields, shownFields } from './screens/batches.ts'
import type { ShowOptions } from './spec.ts'
import { type BatchSummary, exitCodeOf, findFaceValues, type OpenedBatch, reportRows } from './summary.ts'

/** Returns the exit code. */
export const showBatch = (context: Context, options: ShowOptions): Promise<number> =>
  withBatch(context, options, 'openExisting', async (opened, account) => {
    const ended = options.watch ? await watchBatch(context, opened, options) : undefined
    if (options.rows) await printRows(context, opened, options)
    else {
      const rows = await listBatchRows(opened.journal.read, opened.batch.number)
      await printBatch(context, opened, options, {
        fields: shownFields,
        showsBuyers: true,
        faceValues: await findFaceValues(context, account, rows),
      })
    }
    return ended === undefined ? exitCodes.ok.code : exitCodeOf(ended)
  })

/** A table, or one JSON document a line. */
const printRows = async (
  context: Context,
  { journal, batch }: OpenedBatch,
  { json, fields, failed }: ShowOptions,
): Promise<void> => {
  const { stdout } = context
  const rowFields = listRowFields(batch.columns)
  if (fields !== undefined) requireFields(listNames(rowFields), fields)
  const all = [...(await reportRows(journal.read, batch))]
  const rows = failed ? all.filter(({ cards }) => cards.some(isFailedCard)) : all
  if (!json) {
    if (rows.length === 0) writeNote(context, 'No failed rows\n')
    else stdout.write(renderRows(batch.columns, rows, viewOfTable(context)))
    return
  }
  // The columns are the user's own, so nothing is masked: a cost code is no gift card code. The journal has no codes.
  const options = { reveal: true, oneLine: true, fields }
  for (const row of rows) stdout.write(renderJson(readFields(rowFields, row), options))
}

const intervalMs = 2_000

/** Shows what the journal knows until the batch has ended or stopped. Returns the summary at the end. */
const watchBatch = async (
  context: Context,
  opened: OpenedBatch,
  options: Pick<OutputOptions, 'json' | 'quiet'>,
): Promise<BatchSummary> => {
  const { clock, interrupted, stdout, suggest } = context
  const { journal, batch } = opened
  const isShown = formatOf(options) === 'screen'
  // If stdout is closed, nobody reads the result.
  const signal = AbortSignal.any([interrupted, stdout.broken])
  const readState = await createProgressReader(context, opened)
  let summary = await readState()
  if (isShown && summary.state === 'planned')
    writeProse(context, `The batch is not started yet. Start it: ${suggest`batch run ${batch.name}`}\n`)
  const read = async (): Promise<BatchProgress> => {
    const now = await readState()
    return { ...now, buyers: await listBuyers(journal.read, batch.number), now: clock.now() }
  }
  const endProgress = showBatchProgress(context, { isShown, read })
  try {
    while (!(await hasEnded(opened, summary, clock.now()))) {
      await clock.sleep(intervalMs, signal)
      if (signal.aborted) {
        throw interruption(interrupted, `stopped watching; the batch ${batch.name} has not ended`, {
          fix: () => suggest`batch show ${batch.name} --watch`,
        })
      }
      summary = await readState()
    }
    return summary
  } finally {
    await endProgress()
  }
}

const hasEnded = async (
  { journal, batch }: OpenedBatch,
  { state, cards }: BatchSummary,
  now: number,
): Promise<boolean> => {
  if (state === 'stopped' || state === 'cancelled') return true
  if (state === 'planned' || cards.open > 0) return false
  if (cards.unknown === 0) return true
  const unproven = await listUnknownOrders(journal.read, batch.number)
  // The outcomes became known after the summary was read.
  if (unproven.length === 0) return false
  const calls = await readInParallel(unproven, ({ number }) => listCalls(journal.read, number))
  return !calls.flat().some((call) => isInFlight(call, now))
}
