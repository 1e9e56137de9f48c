// The steps of `orderctl batch list` (of the newest batches, or of those that wait for an approval), and of `batch show`.

import { findListedAccount, isSandboxInUse } from '../app/account.ts'
import { journalsOf } from '../app/journals.ts'
import { describeHidden, refuseUnknownProfile } from '../app/listed-orders.ts'
import { formatOf, type OutputOptions, outputFor } from '../app/output/output.ts'
import { writeNote, writeProse } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { exitCodes, interruption } from '../errors.ts'
import { listRequested } from '../journal/batches/approvals.ts'
import { getBatch, isFailedCard, listNewestBatches } from '../journal/batches/batches.ts'
import { listBatchRows, listUnknownOrders } from '../journal/batches/cards.ts'
import { listBuyers } from '../journal/batches/slots.ts'
import type { Journal } from '../journal/journal.ts'
import { listCalls } from '../journal/orders/entries.ts'
import { readInParallel } from '../operations/parallel.ts'
import { isInFlight } from '../operations/purchase-step.ts'
import { viewOfTable } from '../ui/terminal/view.ts'
import { listNames, readFields, renderJson, requireFields } from '../ui/text/result-fields.ts'
import { withBatch } from './open-batch.ts'
import { printBatch, renderRows } from './print-batch.ts'
import { type BatchProgress, createProgressReader, showBatchProgress } from './run/progress.ts'
import {
  approvedFields,
  batchFields,
  type ListedBatch,
  listRowFields,
  renderApprovals,
  renderBatches,
  shownFields,
} from './screens/batches.ts'
import type { ListOptions, ShowOptions } from './spec.ts'
import {
  type BatchSummary,
  exitCodeOf,
  findFaceValues,
  type OpenedBatch,
  readApprovalStatus,
  reportRows,
  summarizeBatch,
} from './summary.ts'

export const listBatches = async (context: Context, options: ListOptions): Promise<void> => {
  const { profile, limit, waiting } = options
  await using journals = journalsOf(context, await findListedAccount(context, profile), options)
  const journal = await journals.openExisting()
  const isSandbox = !waiting ? await chooseSandbox(context, journal, profile) : undefined
  const found = await (waiting ? findWaiting : findNewest)(journal, options, isSandbox)
  if (found.length === 0) await refuseUnknownProfile(context, journal, profile)
  const all = found.slice(0, limit)
  if (found.length > all.length) {
    const shown = limit === 1 ? 'batch only' : `${limit} batches`
    writeNote(context, `Showing the newest ${shown}. Use --limit to see more.\n`)
  }
  if (all.length === 0) writeNote(context, waiting ? 'No batch waits for an approval\n' : 'No batches\n')
  const fields = waiting ? approvedFields : batchFields
  await outputFor(context, options).print({
    names: listNames(fields),
    data: () => all.map((each) => readFields(fields, each)),
    ids: all.map(({ batch }) => batch.name),
    screen: () =>
      all.length === 0 ? '' : (waiting ? renderApprovals : renderBatches)(all, viewOfTable(context)),
  })
  if (isSandbox !== undefined && !options.json && !options.quiet) {
    const [hidden] = await listNewestBatches(journal.read, { isSandbox: !isSandbox, limit: 1 })
    if (hidden !== undefined) writeNote(context, describeHidden(context, 'batch list', hidden.profile))
  }
}

/** A table never mixes sandbox and real batches. Without --profile, the profile in use decides which are listed. */
const chooseSandbox = async (
  context: Context,
  journal: Journal,
  profile: string | undefined,
): Promise<boolean | undefined> => {
  if (profile !== undefined) return undefined
  const ofSandbox = await listNewestBatches(journal.read, { profile: 'sandbox', limit: 1 })
  return ofSandbox.length === 0 ? undefined : isSandboxInUse(context)
}

/** One more than the limit, to know whether there are more. */
const findNewest = async (
  journal: Journal,
  { profile, limit }: ListOptions,
  isSandbox: boolean | undefined,
): Promise<ListedBatch[]> => {
  const found = await listNewestBatches(journal.read, { profile, isSandbox, limit: limit + 1 })
  return readInParallel(found, (batch) => summarizeBatch({ journal, batch }))
}

/** The newest request first. */
const findWaiting = async (journal: Journal, { profile }: ListOptions): Promise<ListedBatch[]> => {
  const all = await readInParallel(await listRequested(journal.read, profile), async (number) => {
    const known = await getBatch(journal.read, number)
    if (known === undefined) return []
    const { batch, summary } = await summarizeBatch({ journal, batch: known })
    const approval = await readApprovalStatus({ journal, batch }, summary)
    return approval === undefined || approval.state === 'approved' ? [] : [{ batch, summary, approval }]
  })
  return all.flat()
}

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
