// Prints the result of a batch, and how to continue.
import type { Context } from '../../../context.ts'
import { zero } from '../../../contract/decimal.ts'
import { type BudgetDetails, Failure, interruption, joinFixes } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import { type ApprovalStatus, describeExpiry, findExpired } from '../../../operations/approval.ts'
import type { BatchEnd } from '../../../operations/batch/batch-run.ts'
import { reportRows } from '../../../operations/batch/row-report.ts'
import { type BatchSummary, type Summarized, summarizeAgain } from '../../../operations/batch/summary.ts'
import { describeDuplicateRows } from '../../../ui/cards/duplicates.ts'
import { formatSpentOf } from '../../../ui/screens/batch/batches.ts'
import { describeUnknownOrders } from '../../../ui/screens/reconciled.ts'
import type { OutputOptions } from '../../shared/options.ts'
import { createCancelledRunFailure } from '../cancelled.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { exitCodeOf, printBatch, readRunApproval } from '../print-batch.ts'
// Loaded before money is spent, because an update may replace dist/ meanwhile.
import { type Bought, createLostFailure } from './lost-journal.ts'

type Report = {
  readonly output: OutputOptions
  /** Undefined if nothing was left to buy. */
  readonly end?: BatchEnd
  /** What this process knows without the journal. */
  readonly bought?: Bought
}

/** Returns the exit code, or throws why the batch is not complete. */
export const reportEnd = async (
  context: Context,
  opened: OpenedBatch,
  { output, end, bought }: Report,
): Promise<number> => {
  // Another worker may wait for the response to a confirm. That of a confirm of this process never comes.
  const now = bought !== undefined && bought.counter.unknown.size === 0 ? bought.endedAt : undefined
  const summarized = await summarize(opened, now).catch((error) => {
    if (bought === undefined || !(error instanceof Failure)) throw error
    throw createLostFailure(context, opened.batch, bought, error)
  })
  if (summarized === undefined) throw createDeletedFailure(context, opened.batch)
  const failure = await findFailure(context, { ...summarized, opened, end })
  await printBatch(context, opened, output, {
    now,
    printsSteps: failure === undefined,
    readApproval: output.format === 'json' ? readRunApproval : undefined,
  })
  if (summarized.summary.cards.duplicate > 0) await warnOfDuplicates(context, opened)
  if (failure !== undefined) throw failure
  return exitCodeOf(summarized.summary)
}

const warnOfDuplicates = async ({ stderr }: Context, { batches, batch }: OpenedBatch): Promise<void> => {
  const rows = await reportRows(batches, batch)
  const duplicates = [...rows].flatMap(({ line, cards }) =>
    cards
      .filter(({ state }) => state === 'duplicate')
      .map(({ order, error }) => ({ line, orderId: order?.orderId, error })),
  )
  const warning = describeDuplicateRows(duplicates)
  if (warning !== undefined) stderr.warn(warning)
}

const summarize = async (opened: OpenedBatch, now?: number): Promise<Summarized | undefined> =>
  (await opened.batches.getBatch(opened.batch.number)) === undefined ? undefined : summarizeAgain(opened, now)

/** A reset of the sandbox deletes its batches, also while one runs. */
const createDeletedFailure = ({ suggest }: Context, { name }: Batch): Failure =>
  new Failure('local-state', `the batch ${name} was deleted from the journal while it ran`, {
    fix: suggest`batch list`,
  })

type Ended = {
  readonly opened: OpenedBatch
  readonly batch: Batch
  readonly summary: BatchSummary
  readonly end: BatchEnd | undefined
}

const findFailure = async (
  { interrupted, suggest }: Context,
  { opened, batch, summary, end }: Ended,
): Promise<Failure | undefined> => {
  const run = suggest`batch run ${batch.name}`
  if (summary.cards.unknown > 0) return createUnknownFailure(opened.batches, batch, run)
  if (end !== undefined && isCancelled(batch, summary, end)) return createCancelledRunFailure(batch, summary)
  if (end === undefined || summary.cards.open === 0) return undefined
  const missing = describeMissing(summary)
  if (end.kind === 'interrupted')
    return interruption(interrupted, `interrupted; ${missing}`, { fix: `Continue: ${run}` })
  if (end.kind === 'ended') {
    return end.failure === undefined
      ? new Failure('unknown', missing, { fix: `Continue: ${run}` })
      : explain(end.failure, missing, run)
  }
  const { reason } = end
  if (reason instanceof Failure) return explain(reason, missing, run)
  switch (reason) {
    case 'cap':
      return new Failure(
        'stopped',
        `the batch ${batch.name} stopped at its cap: ${formatSpentOf(summary.spent, batch)} spent; ${missing}`,
        { fix: `Continue with a higher --max-total: ${run}` },
      )
    case 'funds':
      return new Failure(
        'stopped',
        `the wallet ${batch.wallet} has too little money for the next order; ${missing}`,
        { fix: `Top up the wallet, then continue: ${run}` },
      )
    case 'charge':
      return new Failure(
        'stopped',
        `the batch ${batch.name} stopped, because an order was charged more than its total, or in another currency: ${formatSpentOf(summary.spent, batch)} spent; ${missing}`,
        { fix: `See the orders: ${suggest`list ${{ batch: batch.name }}`}. Then continue: ${run}` },
      )
    case 'budget':
      return createBudgetFailure({ batch, summary }, { budget: end.budget, missing, run })
    case 'approval':
      return createApprovalFailure(
        { batch, summary },
        { approval: await readRunApproval({ ...opened, batch }), missing, run },
      )
    case 'cancelled':
      return createCancelledRunFailure(batch, summary)
  }
}

/** The run may find no card to buy before it looks at the batch. */
const isCancelled = ({ cancelledAt }: Batch, { cards }: BatchSummary, end: BatchEnd): boolean =>
  cancelledAt !== undefined && end.kind !== 'interrupted' && cards.cancelled > 0

const describeMissing = ({ cards: { open, ordered } }: BatchSummary): string =>
  ordered === 1
    ? 'the card is still open'
    : `${open} of ${ordered} cards ${open === 1 ? 'is' : 'are'} still open`

const createUnknownFailure = async (batches: Batches, { number }: Batch, run: string): Promise<Failure> => {
  const ids = (await batches.listUnknown(number)).map(({ orderId = '' }) => orderId)
  return new Failure('unknown', describeUnknownOrders(ids), {
    orderId: ids.length === 1 ? ids[0] : undefined,
    fix: `Do not order the cards again. Run the batch again later: ${run}. orderctl buys the cards again only if it has proof that nothing was spent.`,
  })
}

const explain = ({ kind, message, details }: Failure, missing: string, run: string): Failure => {
  // The advice for one unreachable call says that nothing has changed, but other orders may be paid.
  const fix = kind === 'unavailable' ? undefined : details.fix
  return new Failure(kind, `${message}; ${missing}`, { ...details, fix: joinFixes(fix, `Continue: ${run}`) })
}

type Stopped = {
  /** What the batch has not bought. */
  readonly missing: string
  /** The command that continues it. */
  readonly run: string
}

const createBudgetFailure = (
  { batch: { name, profile }, summary: { spent } }: Summarized,
  { budget, missing, run }: Stopped & { readonly budget: BudgetDetails | undefined },
): Failure => {
  const isUnspent = spent.eq(zero)
  const outcome = isUnspent ? `nothing was spent; ${missing}` : missing
  return new Failure(
    isUnspent ? 'not-approved' : 'stopped',
    `the batch ${name} stopped at ${budget?.text ?? 'a budget'}; ${outcome}`,
    {
      budget,
      fix: (suggest) =>
        `Continue when the budget allows it: ${run}. See what is left: ${suggest`profile limits ${profile}`}`,
    },
  )
}

const createApprovalFailure = (
  { batch: { name }, summary: { spent } }: Summarized,
  { approval, missing, run }: Stopped & { readonly approval: ApprovalStatus | undefined },
): Failure => {
  const isUnspent = spent.eq(zero)
  const expired = findExpired(approval)
  const reason =
    expired === undefined
      ? `the batch ${name} had no valid approval`
      : describeExpiry(expired, `the approval of the batch ${name}`)
  return new Failure(
    isUnspent ? 'not-approved' : 'stopped',
    `${reason}${isUnspent ? '; nothing was spent' : ''}; ${missing}`,
    { fix: `${approval?.state === 'approved' ? 'It has one now. Continue' : 'Ask for an approval'}: ${run}` },
  )
}
