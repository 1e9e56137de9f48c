// The steps of `orderctl batch show`.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import { interruption } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { ApprovalStatus } from '../../operations/approval.ts'
import { countCards, type ReportedRow, reportRows } from '../../operations/batch/row-report.ts'
import type { BatchSummary } from '../../operations/batch/summary.ts'
import { isInFlight } from '../../operations/other-runs.ts'
import type { BatchProgress } from '../../ui/screens/batch/batch-progress.ts'
import { renderJson } from '../../ui/text/json.ts'
import { readInParallel } from '../shared/journal/read-in-parallel.ts'
import { type OutputOptions, outputOf } from '../shared/options.ts'
import { type OpenedBatch, withBatch } from './open-batch.ts'
import {
  exitCodeOf,
  maxTotalOf,
  printBatch,
  readApprovalStatus,
  readRunApproval,
  readWorkers,
  summarizeAgain,
} from './print-batch.ts'
import { createProgress } from './run/progress.ts'
import type { ShowOptions } from './spec.ts'

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

const intervalMs = 2_000

/** Shows what the journal knows until the batch has ended or stopped. Returns the summary at the end. */
const watchBatch = async (
  context: Context,
  opened: OpenedBatch,
  { format }: Pick<OutputOptions, 'format'>,
): Promise<BatchSummary> => {
  const { clock, interrupted, stdout, stderr, suggest } = context
  // If stdout is closed, nobody reads the result.
  const signal = AbortSignal.any([interrupted, stdout.broken])
  const read = await createReader(context, opened)
  const { name } = opened.batch
  let now = await read()
  if (format === 'screen' && now.summary.state === 'planned')
    stderr.write(`The batch is not started yet. Start it: ${suggest`batch run ${name}`}\n`)
  const source = { latest: () => now.progress }
  const progress = createProgress(context, { isShown: format === 'screen', source })
  progress.begin()
  try {
    while (!now.hasEnded) {
      await clock.sleep(intervalMs, signal)
      if (signal.aborted) {
        throw interruption(interrupted, `stopped watching; the batch ${opened.batch.name} has not ended`, {
          fix: `Keep watching: ${suggest`batch show ${name} --watch`}`,
        })
      }
      now = await read()
    }
    return now.summary
  } finally {
    await progress.end()
  }
}

type Watched = {
  readonly summary: BatchSummary
  readonly progress: BatchProgress
  readonly hasEnded: boolean
}

const createReader = async ({ clock }: Context, opened: OpenedBatch): Promise<() => Promise<Watched>> => {
  const { batches, journal } = opened
  const startedAt = clock.monotonic()
  const { delivered: deliveredBefore } = await batches.countCards(opened.batch.number)

  const hasEnded = async ({ state, cards }: BatchSummary): Promise<boolean> => {
    if (state === 'stopped' || state === 'cancelled') return true
    if (state === 'planned' || cards.open > 0) return false
    if (cards.unknown === 0) return true
    const unproven = await batches.listUnknown(opened.batch.number)
    // The outcomes became known after the summary was read.
    if (unproven.length === 0) return false
    const calls = await readInParallel(unproven, ({ number }) => journal.listCalls(number))
    return !calls.flat().some((call) => isInFlight(call, clock.now()))
  }

  return async () => {
    const { batch, summary } = await summarizeAgain(opened)
    const { name, number, wallet } = batch
    const { cards, orders, spent } = summary
    const [ordersDone, ordersInFlight, workers, isOver] = await Promise.all([
      batches.countEnded(number),
      batches.countInFlight(number),
      readWorkers(batches, batch, summary),
      hasEnded(summary),
    ])
    const progress = {
      name,
      cards,
      orders,
      spent,
      wallet,
      maxTotal: maxTotalOf(batch),
      ordersDone,
      ordersInFlight,
      workers,
      now: clock.now(),
      elapsedMs: clock.monotonic() - startedAt,
      deliveredNow: Math.max(0, cards.delivered - deliveredBefore),
    }
    return { summary, progress, hasEnded: isOver }
  }
}
