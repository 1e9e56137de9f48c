// Prints the result of a batch, and how to continue. If the journal cannot be read, prints what this process has bought.

import { warnProse } from '../../app/terminal.ts'
import { zero } from '../../contract/money/decimal.ts'
import { type BudgetDetails, Failure, interruption, joinAdvice, type Remedy } from '../../errors.ts'
import { getBatch } from '../../journal/batches/batches.ts'
import { listBatchRows, listUnknownOrders } from '../../journal/batches/cards.ts'
import { readCommitted } from '../../journal/limits.ts'
import { describeExpiry, findExpired } from '../../operations/approval.ts'
import type { Suggest } from '../../text/suggest.ts'
import { describeDuplicateRows } from '../../ui/cards/card-fields.ts'
import { describeUnknownOrders } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount, formatMoney } from '../../ui/text/formats.ts'
import type { BatchEnd, BatchQueue } from '../buy/queue.ts'
import { type BatchToRun, createCancelledRunFailure } from '../open-batch.ts'
import { printBatch } from '../print-batch.ts'
import { formatSpentOf } from '../screens/batches.ts'
import {
  adviseRest,
  exitCodeOf,
  findFaceValueIn,
  findFaceValues,
  readApprovalStatus,
  reportRows,
  type Summarized,
  summarizeBatch,
} from '../summary.ts'

/** What this process knows without the journal. */
type Result = {
  readonly end: BatchEnd
  readonly queue: BatchQueue
  /** By the clock of the journal. */
  readonly endedAt: number
}

/** Returns the exit code. Throws if the batch is not complete. `result` is undefined if nothing was left to buy. */
export const reportEnd = async (run: BatchToRun, result?: Result): Promise<number> => {
  const { context, options, journal, batch: known } = run
  const lose = (error: unknown): never => {
    throw result === undefined || !(error instanceof Failure)
      ? error
      : createLostFailure(run, result.queue, error)
  }
  const batch = await getBatch(journal.read, known.number).catch(lose)
  // A reset of the sandbox deletes its batches, also while one runs.
  if (batch === undefined) {
    throw new Failure('local-state', `the batch ${known.name} was deleted from the journal while it ran`, {
      fix: (suggest) => suggest`batch list`,
    })
  }
  // Another worker may wait for the response to a confirm. That of a confirm of this process never comes.
  const now = result?.queue.unknown.size === 0 ? result.endedAt : undefined
  const { summary } = await summarizeBatch({ journal, batch }, now).catch(lose)
  const failure = await findFailure({ ...run, batch, summary }, result)
  await printBatch(context, run, options, {
    summarized: { batch, summary },
    printsSteps: failure === undefined,
  })
  if (summary.cards.duplicate > 0) {
    const duplicates = [...(await reportRows(journal.read, batch))].flatMap(({ line, cards }) =>
      cards
        .filter(({ state }) => state === 'duplicate')
        .map(({ order, error }) => ({ line, orderId: order?.orderId, error })),
    )
    const warning = describeDuplicateRows(duplicates)
    if (warning !== undefined) warnProse(context, warning)
  }
  if (failure !== undefined) throw failure
  return exitCodeOf(summary)
}

const findFailure = async (
  { context, session, journal, batch, summary }: BatchToRun & Summarized,
  result: Result | undefined,
): Promise<Failure | undefined> => {
  const end = result?.end
  const { interrupted } = context
  const { cards, spent } = summary
  const run = (suggest: Suggest): string => suggest`batch run ${batch.name}`
  if (cards.unknown > 0) {
    const ids = (await listUnknownOrders(journal.read, batch.number)).map(({ orderId = '' }) => orderId)
    return new Failure('unproven', describeUnknownOrders(ids), {
      orderId: ids.length === 1 ? ids[0] : undefined,
      fix: run,
      advice:
        'Do not order the cards again. Run the batch again later: orderctl buys them only if it has proof that nothing was spent.',
    })
  }
  if (end === undefined) return undefined
  // A cancelled batch has no card to buy, so the run may end before it reads that the batch was cancelled.
  if (batch.cancelledAt !== undefined && end.kind !== 'interrupted' && cards.cancelled > 0)
    return createCancelledRunFailure(batch, summary)
  if (cards.open === 0) return undefined
  const missing =
    cards.ordered === 1
      ? 'the card is still open'
      : `${cards.open} of ${cards.ordered} cards ${cards.open === 1 ? 'is' : 'are'} still open`
  const spentSoFar = `${formatSpentOf(spent, batch)} spent`
  if (end.kind === 'interrupted')
    return interruption(interrupted, `interrupted; ${spentSoFar}; ${missing}`, { fix: run })
  if (end.kind === 'ended') {
    if (end.failure === undefined) return new Failure('unknown', missing, { fix: run })
    const { kind, reason, message, details } = end.failure
    // The advice for one unreachable call is not for a batch, whose other orders may be paid.
    const { fix = run, advice } = kind === 'unavailable' ? {} : details
    if (end.needsNewRows)
      return new Failure(reason, `${message.replace(/\.$/, '')}; nothing was bought`, details)
    const next = fix === run ? undefined : (suggest: Suggest) => `Then continue: ${run(suggest)}`
    const spentNow = result?.queue.spent ?? zero
    const isSpentNow = spentNow.gt(zero)
    const spentFirst = isSpentNow && `this run spent ${formatMoney(spentNow, batch.wallet)}, then stopped: `
    const spentEarlier = !isSpentNow && spent.gt(zero) && `; ${spentSoFar} by earlier runs`
    const problem = `${spentFirst || ''}${message}${spentEarlier || ''}; ${missing}`
    const remedy = { ...details, fix, advice: joinAdvice(advice, next) }
    // The exit codes of most causes say that nothing was spent.
    return new Failure(kind !== 'unknown' && isSpentNow ? 'stopped' : reason, problem, remedy)
  }
  const { name, wallet } = batch
  const createStopped = (problem: string, remedy: Remedy): Failure =>
    new Failure('stopped', `${problem}; ${missing}`, remedy)
  const createNotAllowed = async (problem: string, remedy: Remedy, budget?: BudgetDetails) => {
    // Also counts an order whose confirm was refused, because a refusal is no proof.
    const isUnspent = (await readCommitted(journal.read, batch.number)).orders === 0
    const facts = [problem, isUnspent ? 'nothing was spent' : spentSoFar, missing]
    return new Failure(isUnspent ? 'not-approved' : 'stopped', facts.join('; '), { budget, ...remedy })
  }
  switch (end.reason) {
    case 'cancelled':
      return createCancelledRunFailure(batch, summary)
    case 'cap': {
      const rows = await listBatchRows(journal.read, batch.number)
      const faceValue = findFaceValueIn(batch.wallet, await findFaceValues(context, session.account, rows))
      // The amount that the next order needs.
      const next = end.failure?.details.advice ?? 'To continue, run the batch with a higher --max-total.'
      return createStopped(`the batch ${name} stopped at its cap: ${spentSoFar}`, {
        fix: (suggest) => suggest`batch show ${name}`,
        advice: joinAdvice(next, ...(await adviseRest({ journal, batch }, spent, faceValue))),
      })
    }
    case 'funds':
      return createStopped(`the wallet ${wallet} has too little money for the next order; ${spentSoFar}`, {
        fix: run,
        advice: 'Top up the wallet first.',
      })
    case 'charge': {
      const why = 'stopped, because an order was charged more than its total, or in another currency'
      return createStopped(`the batch ${name} ${why}: ${spentSoFar}`, {
        fix: (suggest) => suggest`list ${{ batch: name }}`,
        advice: (suggest) => `Check the orders, then continue: ${run(suggest)}`,
      })
    }
    case 'budget': {
      const budget = end.failure?.details.budget
      const remedy: Remedy = {
        fix: (suggest) => suggest`profile limits ${batch.profile}`,
        advice: (suggest) => `Continue when the budget allows it: ${run(suggest)}`,
      }
      return createNotAllowed(`the batch ${name} stopped at ${budget?.text ?? 'a budget'}`, remedy, budget)
    }
    case 'approval': {
      const approval = await readApprovalStatus({ journal, batch }, summary)
      const expired = findExpired(approval)
      const problem = expired && describeExpiry(expired, `the approval of the batch ${name}`)
      const advice =
        approval?.state === 'approved'
          ? 'The batch has an approval now.'
          : 'Run the batch again to ask for an approval.'
      return createNotAllowed(problem ?? `the batch ${name} had no valid approval`, { fix: run, advice })
    }
  }
}

const createLostFailure = (
  { batch: { name, wallet } }: BatchToRun,
  { confirmed, spent, unknown }: BatchQueue,
  { message, details }: Failure,
): Failure => {
  const isUnknown = unknown.size > 0
  const ids = [...unknown].map(sanitize).join(', ')
  const facts = [
    `this run has bought ${describeCount(confirmed, 'order')}, ${formatMoney(spent, wallet)} in all`,
    isUnknown &&
      `the outcome of ${describeCount(unknown.size, 'order')} is unknown, and money may have been spent: ${ids}`,
  ]
  const problem = `the batch ${name} stopped, because its journal cannot be used: ${message}`
  const next = (suggest: Suggest): string =>
    `Then run the batch again, on this machine: ${suggest`batch run ${name}`}. It buys no card twice.`
  return new Failure(isUnknown ? 'unproven' : spent.gt(zero) ? 'stopped' : 'local-state', problem, {
    violations: facts.filter((fact) => fact !== false),
    retryable: !isUnknown,
    fix: details.fix,
    advice: joinAdvice(details.advice, next),
    cause: details.cause,
  })
}
