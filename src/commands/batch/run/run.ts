// The steps of `orderctl batch run`: options → plan or saved batch → cap → approval and consent → bought → shown.
import type { Context } from '../../../context.ts'
import { decimal, formatDecimal } from '../../../contract/decimal.ts'
import { Failure } from '../../../errors.ts'
import { resumeBatch } from '../../../journal/batches/approvals.ts'
import type { Batch, StopReason } from '../../../journal/batches/batch.ts'
import type { BatchStart } from '../../../journal/batches/batch-table.ts'
import { type Batches, openBatches } from '../../../journal/batches/batches.ts'
import type { Grouping } from '../../../journal/batches/slot-cards.ts'
import { isCovered, needsApproval } from '../../../operations/approval.ts'
import { type BatchEnd, createCounter } from '../../../operations/batch/batch-run.ts'
import { createPace } from '../../../operations/batch/pace.ts'
import { packCards } from '../../../operations/batch/plan/pack.ts'
import { type BatchSummary, summarizeBatch } from '../../../operations/batch/summary.ts'
import type { Session } from '../../../operations/session.ts'
import { formatSpentOf } from '../../../ui/screens/batch/batches.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { describeCount } from '../../../ui/text/amounts.ts'
import { accountOf, printAccount } from '../../shared/account.ts'
import { warnOfShortLived } from '../../shared/journal/place.ts'
import { writeNote } from '../../shared/notes.ts'
import { outputOf } from '../../shared/options.ts'
import { preloadOutput } from '../../shared/send-order.ts'
import { openSession, openToSend } from '../../shared/session.ts'
import type { RunOptions } from '../buy-spec.ts'
import { createCancelledFailure, createReplacedFailure, refuseCancelled } from '../cancelled.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { awaitApproval } from './await-approval.ts'
import { buyBatch } from './buy-batch.ts'
import { askForConsent, findCap, refuseSamePlan } from './consent.ts'
import { reportEnd } from './report-end.ts'
import { findOrSaveBatch, readRunInput } from './run-input.ts'

/** Returns the exit code. */
export const runBatch = async (context: Context, options: RunOptions): Promise<number> => {
  const { clock, random } = context
  const { retryFailed: retriesFailed, waitApproval: waitMs } = options
  const output = outputOf(options)
  const account = await accountOf(context, options)
  const input = await readRunInput(context, account, options)
  const pace = createPace({ max: options.parallel, clock, random })
  const opened = await openSession(context, options, account, pace.observe)
  try {
    printAccount(context, account)
    const { place } = opened.journals
    warnOfShortLived(context, account, place)
    const session = await openToSend(context, opened, { spends: true })
    const batches = openBatches(session.journal)
    await preloadOutput(output)

    const batch = await findOrSaveBatch(context, batches, session.owner, input)
    refuseCancelled(batch)
    const planned = { journal: session.journal, batches, batch }
    if (retriesFailed) await collectLate(context, session, planned)
    const summary = await summarizeBatch(batches, batch)
    const { open, unknown, failed } = summary.cards
    if (retriesFailed && failed === 0) writeNote(context, 'No failed cards\n')
    if (open + unknown + (retriesFailed ? failed : 0) === 0) {
      return await reportEnd(context, planned, { output })
    }

    let stopped: StopReason | undefined
    if (options.worker) stopped = await joinBatch(context, planned, summary)
    else {
      const refuseSame = await refuseSamePlan(context, batches, batch, options)
      const cap = await findCap(context, account, planned, options)
      // A batch that waits for its approval prompts first, because nobody may be there later.
      if (waitMs === undefined) await awaitApproval(context, { ...planned, cap, waitMs })
      await askForConsent(context, { batch, summary }, cap, options)
      const checkApproval = await awaitApproval(context, { ...planned, cap, waitMs })
      // Not before the consent: a later run would buy the cards although the user refused.
      if (retriesFailed) await wantFailedAgain(context, batches, batch)
      await startBatch(batches, batch, {
        maxTotal: formatDecimal(cap),
        at: session.clock.now(),
        refuseSame,
        checkApproval,
      })
    }

    const counter = createCounter()
    const isShown = output.format === 'screen'
    const end: BatchEnd =
      stopped === undefined
        ? await buyBatch(context, planned, { session, pace, counter, isShown })
        : { kind: 'stopped', reason: stopped }
    const bought = { counter, place, endedAt: session.clock.now() }
    return await reportEnd(context, planned, { output, end, bought })
  } finally {
    await opened.close()
  }
}

const startBatch = async (batches: Batches, batch: Batch, start: BatchStart): Promise<void> => {
  if (await batches.startBatch(batch, start)) return
  const isReplaced = (await batches.getBatch(batch.number)) === undefined
  throw isReplaced ? createReplacedFailure(batch) : createCancelledFailure(batch)
}

/**
 * For a worker: another process has started the batch, so the consent is in the journal. Throws if nobody has
 * started it. Returns why the batch has stopped, if it has: then the worker buys nothing.
 */
const joinBatch = async (
  context: Context,
  { journal, batch }: OpenedBatch,
  { spent, cards }: BatchSummary,
): Promise<StopReason | undefined> => {
  const { name, number, startedAt, stopped } = batch
  if (startedAt === undefined) {
    throw new Failure('usage', `the batch ${name} is not started, so a worker cannot take part in it`, {
      field: '--worker',
      fix: (suggest) => `Start it: ${suggest`batch run ${name}`}`,
    })
  }
  if (stopped !== undefined && stopped !== 'approval') return stopped
  if (stopped === 'approval') {
    const isResumed = await resumeBatch(journal, number, ({ limits, approvedCaps }, consented) => {
      const total = decimal(consented)
      return !needsApproval(total, limits) || isCovered(total, approvedCaps)
    })
    if (!isResumed) return stopped
  }
  writeNote(
    context,
    `Taking part in the batch ${sanitize(name)}: ${formatSpentOf(spent, batch)} spent, ` +
      `${cards.delivered} of ${cards.ordered} cards delivered\n`,
  )
  return undefined
}

/** The service may have delivered failed cards meanwhile. They must not be bought again. */
const collectLate = async (
  context: Context,
  session: Session,
  { batches, batch }: Pick<OpenedBatch, 'batches' | 'batch'>,
): Promise<void> => {
  const { collectLateCards } = await import('../../../operations/batch/collect-cards.ts')
  const count = await collectLateCards(session, batches, batch)
  if (count > 0) {
    writeNote(context, `The service has delivered ${describeCount(count, 'failed card')} meanwhile\n`)
  }
}

/** Packs the failed cards into new orders, each with one product: a product that fails again fails alone. */
const wantFailedAgain = async (context: Context, batches: Batches, { number }: Batch): Promise<void> => {
  const count = await batches.retryFailed(number, packByProduct)
  if (count > 0) writeNote(context, `Buying ${describeCount(count, 'failed card')} again\n`)
}

const packByProduct: Grouping = (cards) => {
  const orderOf: number[] = []
  let orders = 0
  const products = Map.groupBy(
    cards.entries(),
    ([, { sku, productType, quote }]) => `${sku}\n${productType}\n${quote}`,
  )
  for (const theirs of products.values()) {
    const packing = packCards(theirs.map(([, { quote, ...card }]) => ({ ...card, quote: decimal(quote) })))
    for (const [index, [card]] of theirs.entries()) orderOf[card] = orders + (packing.orderOf[index] ?? 0)
    orders += packing.orders
  }
  return orderOf
}
