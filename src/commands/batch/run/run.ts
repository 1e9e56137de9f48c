// The steps of `orderctl batch run`: options → plan or saved batch → cap → approval and consent → bought → shown.

import { accountOf, printAccount } from '../../../app/account.ts'
import { warnOfShortLived } from '../../../app/journal/place.ts'
import { writeNote } from '../../../app/notes.ts'
import { preloadOutput } from '../../../app/send-order.ts'
import { openSession, openToSend } from '../../../app/session.ts'
import type { Context } from '../../../context.ts'
import { orderLimits } from '../../../contract/limits.ts'
import { decimal, formatDecimal } from '../../../contract/money/decimal.ts'
import { Failure, interruption } from '../../../errors.ts'
import { resumeBatch } from '../../../journal/batches/approvals.ts'
import { getBatch, recordStart, type StopReason } from '../../../journal/batches/batches.ts'
import { type DeliveredCards, retryFailed } from '../../../journal/batches/cards.ts'
import type { Grouping, WantedCard } from '../../../journal/batches/slots.ts'
import { readApprovalFacts } from '../../../journal/limits.ts'
import { isCovered, needsApproval } from '../../../operations/approval.ts'
import { type BatchEnd, createCounter } from '../../../operations/batch/batch-run.ts'
import { createPace } from '../../../operations/batch/pace.ts'
import { formatProductKey } from '../../../operations/batch/plan/rows.ts'
import { type BatchSummary, summarizeBatch } from '../../../operations/batch/summary.ts'
import { sanitize } from '../../../ui/terminal/text.ts'
import { describeCount } from '../../../ui/text/formats.ts'
import type { RunOptions } from '../buy-spec.ts'
import { createCancelledFailure, createReplacedFailure, refuseCancelled } from '../cancelled.ts'
import type { BatchToRun } from '../open-batch.ts'
import { formatSpentOf } from '../screens/batches.ts'
import { awaitApproval, refusePreparing } from './await-approval.ts'
import { buyBatch } from './buy-batch.ts'
import { askAboutSamePlan, askForConsent, chooseCap } from './consent.ts'
import { reportEnd } from './report-end.ts'
import { findNamedBatch, readRunInput, saveBatch } from './run-input.ts'

/** Returns the exit code. */
export const runBatch = async (context: Context, options: RunOptions): Promise<number> => {
  const { clock, random } = context
  const account = await accountOf(context, options)
  const planned = await readRunInput(context, account, options)
  const pace = createPace({ max: options.parallel, clock, random })
  await using opened = await openSession(context, options, account, pace.observe)
  printAccount(context, account)
  warnOfShortLived(context, account, opened.journals.place)
  const session = await openToSend(opened, { spends: true })
  const { journal } = session
  await preloadOutput(context, options)

  const batch =
    planned === undefined
      ? await findNamedBatch(journal, session.owner, options)
      : await saveBatch(context, journal, planned)
  refuseCancelled(batch)
  const run: BatchToRun = { context, options, session, journal, batch }
  if (options.retryFailed) await collectLate(run)
  const summary = await summarizeBatch(journal.read, batch)
  const { open, unknown, failed } = summary.cards
  if (options.retryFailed && failed === 0) writeNote(context, 'No failed cards\n')
  if (open + unknown + (options.retryFailed ? failed : 0) === 0) return await reportEnd(run)

  const stopped = options.worker ? await joinBatch(run, summary) : await startBatch(run, summary)
  const counter = createCounter()
  const end: BatchEnd =
    stopped === undefined ? await buyBatch(run, pace, counter) : { kind: 'stopped', reason: stopped }
  return await reportEnd(run, { end, counter, endedAt: session.clock.now() })
}

/** Records the consent to a cap, and the approval of that cap. */
const startBatch = async (run: BatchToRun, summary: BatchSummary): Promise<undefined> => {
  const { options, session, journal, batch } = run
  const refuseSame = await askAboutSamePlan(run)
  const cap = await chooseCap(run)
  // Without --wait-approval, a missing approval fails before the prompt. With it, the user may leave during the wait.
  if (options.waitApproval === undefined) await awaitApproval(run, cap)
  await askForConsent(run, summary, cap)
  // The approval may have expired during the prompt.
  const checkApproval = await awaitApproval(run, cap)
  const start = { maxTotal: formatDecimal(cap), at: session.clock.now(), refuseSame, checkApproval }
  if (await recordStart(journal, batch, start)) {
    // Not before startBatch: a later run would buy the cards of a refused run.
    if (options.retryFailed) await wantFailedAgain(run)
    return
  }
  const isReplaced = (await getBatch(journal.read, batch.number)) === undefined
  throw isReplaced ? createReplacedFailure(batch) : createCancelledFailure(batch)
}

/**
 * For a worker: another process has started the batch, so the consent is in the journal. Throws if nobody has
 * started it. Returns why the batch has stopped, if it has: then the worker buys nothing.
 */
const joinBatch = async (
  { context, journal, batch }: BatchToRun,
  { spent, cards }: BatchSummary,
): Promise<StopReason | undefined> => {
  const { name, number, startedAt, stopped } = batch
  if (startedAt === undefined) {
    throw new Failure('usage', `the batch ${name} is not started, so a worker cannot take part in it`, {
      field: '--worker',
      fix: (suggest) => suggest`batch run ${name}`,
    })
  }
  refusePreparing(batch, await readApprovalFacts(journal.read, number))
  const isResumed =
    stopped === 'approval' &&
    (await resumeBatch(journal, number, (facts, consented) => {
      const cap = decimal(consented)
      return !needsApproval(cap, facts.limits) || isCovered(cap, facts.approvedCaps)
    }))
  if (stopped !== undefined && !isResumed) return stopped
  writeNote(
    context,
    `Taking part in the batch ${sanitize(name)}: ${formatSpentOf(spent, batch)} spent, ` +
      `${cards.delivered} of ${cards.ordered} cards delivered\n`,
  )
  return undefined
}

/** The service may have delivered failed cards meanwhile. They must not be bought again. */
const collectLate = async ({ context, session, batch }: BatchToRun): Promise<DeliveredCards> => {
  const { collectLateCards } = await import('../../../operations/batch/collect-cards.ts')
  const { late, delivered } = await collectLateCards(session, batch)
  if (late > 0)
    writeNote(context, `The service has delivered ${describeCount(late, 'failed card')} meanwhile\n`)
  return delivered
}

/** Packs the failed cards into new orders, each with one product: a product that fails again fails alone. */
const wantFailedAgain = async (run: BatchToRun): Promise<void> => {
  const { context, journal, batch } = run
  let count: number | undefined
  // The prompt and the wait for an approval may have taken hours.
  do {
    if (context.interrupted.aborted)
      throw interruption(context.interrupted, 'interrupted; no failed card was bought again')
    count = await retryFailed(journal, batch.number, packByProduct, await collectLate(run))
  } while (count === undefined)
  if (count > 0) writeNote(context, `Buying ${describeCount(count, 'failed card')} again\n`)
}

const packByProduct: Grouping = (cards) => {
  const orderOf: number[] = []
  let orders = 0
  const products = Map.groupBy(cards.keys(), (index) => formatProductKey(cards[index] as WantedCard))
  for (const theirs of products.values()) {
    for (const [at, index] of theirs.entries())
      orderOf[index] = orders + Math.floor(at / orderLimits.quantityPerSku)
    orders += Math.ceil(theirs.length / orderLimits.quantityPerSku)
  }
  return orderOf
}
