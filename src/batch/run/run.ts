// The steps of `orderctl batch run`: options → what it buys (the rows of a file and of flags, or a batch of the journal) → cap →
// approval and consent → bought, with progress → shown.

import { statSync } from 'node:fs'
import { accountOf, printAccount } from '../../app/account.ts'
import { openSession } from '../../app/open-session.ts'
import { openToSend, warnOfShortLived } from '../../app/open-to-send.ts'
import { formatOf, preloadOutput } from '../../app/output/output.ts'
import { writeNote, writeProse } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { orderLimits } from '../../contract/limits.ts'
import { formatDecimal, zero } from '../../contract/money/decimal.ts'
import { formatSafeTime } from '../../contract/time.ts'
import { Failure, interruption } from '../../errors.ts'
import { readApproval, resumeBatch } from '../../journal/batches/approvals.ts'
import {
  type Batch,
  findBatches,
  recordStart,
  recordStop,
  type StopReason,
} from '../../journal/batches/batches.ts'
import { type DeliveredCards, retryFailed } from '../../journal/batches/cards.ts'
import { type Grouping, listBuyers, type WantedCard } from '../../journal/batches/slots.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Owner } from '../../journal/orders/entries.ts'
import { mayRun } from '../../operations/approval.ts'
import { formatProductKey } from '../../operations/batch-limits.ts'
import { createPace, type Pace } from '../../operations/pace.ts'
import type { Account } from '../../profiles/account.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { buySlots } from '../buy/buy-slots.ts'
import { collectLateCards } from '../buy/collect-cards.ts'
import { type BatchEnd, type BatchQueue, createQueue, listSlots } from '../buy/queue.ts'
import { type BatchToRun, describeMissing, findBatch, findChange, refuseCancelled } from '../open-batch.ts'
import { noteEqualRows, type ReadPlan, readPlan, savePlan } from '../plan.ts'
import { approvedFields, formatSpentOf, nameBuyer, renderReading } from '../screens/batches.ts'
import type { RunOptions } from '../spec.ts'
import { type BatchSummary, maxTotalOf, type OpenedBatch, summarizeBatch } from '../summary.ts'
import { askAboutSamePlan, askForConsent, awaitApproval, chooseCap, refusePreparing } from './consent.ts'
import { createProgressReader, showBatchProgress } from './progress.ts'
import { reportEnd } from './report-end.ts'

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
  await preloadOutput(context, options, approvedFields)

  const batch =
    planned === undefined
      ? await findNamedBatch(journal, session.owner, options)
      : await keepPlan(context, journal, planned)
  refuseCancelled(batch)
  const run: BatchToRun = { context, options, session, journal, batch }
  if (options.retryFailed) await collectLate(run)
  const { summary } = await summarizeBatch(run)
  const { open, unknown, failed } = summary.cards
  if (options.retryFailed && failed === 0)
    writeNote(context, `No failed cards${open > 0 ? `; buying ${describeCount(open, 'open card')}` : ''}\n`)
  if (open + unknown + (options.retryFailed ? failed : 0) === 0) return await reportEnd(run)

  const stopped = options.worker ? await joinBatch(run, summary) : await startBatch(run, summary)
  const queue = createQueue(batch.lastSlot)
  const end: BatchEnd =
    stopped === undefined ? await buyBatch(run, pace, queue) : { kind: 'stopped', reason: stopped }
  return await reportEnd(run, { end, queue, endedAt: session.clock.now() })
}

/** Records the consent to a cap, and the approval of that cap. */
const startBatch = async (run: BatchToRun, summary: BatchSummary): Promise<undefined> => {
  const { options, session, journal, batch } = run
  const refuseSame = await askAboutSamePlan(run)
  const cap = await chooseCap(run)
  // Without --wait, a missing approval fails before the prompt. With it, the user may leave during the wait.
  if (options.wait === undefined) await awaitApproval(run, cap)
  await askForConsent(run, summary, cap)
  // The approval may have expired during the prompt.
  await awaitApproval(run, cap)
  const start = { maxTotal: formatDecimal(cap), at: session.clock.now(), refuseSame }
  if (await recordStart(journal, batch, start)) {
    // Not before the start is recorded: a later run would buy the cards of a refused run.
    if (options.retryFailed) await wantFailedAgain(run)
    return
  }
  throw await findChange(run)
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
      fix: (suggest) => suggest`batch show ${name}`,
    })
  }
  const approval = await readApproval(journal.read, batch)
  if (approval !== undefined) refusePreparing(batch, approval)
  const isAllowed = approval === undefined || mayRun(maxTotalOf(batch) ?? zero, approval)
  const isResumed = stopped === 'approval' && isAllowed && (await resumeBatch(journal, number))
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
  const { late, delivered } = await collectLateCards(session, batch)
  if (late > 0)
    writeNote(context, `The service has delivered ${describeCount(late, 'failed card')} meanwhile\n`)
  return delivered
}

/** Packs the failed cards into new orders, each with one product: a product that fails again fails alone. */
const wantFailedAgain = async (run: BatchToRun): Promise<void> => {
  const { context, journal, batch } = run
  let count: number | undefined
  let delivered: DeliveredCards
  // The prompt and the wait for an approval may have taken hours.
  do {
    if (context.interrupted.aborted)
      throw interruption(context.interrupted, 'interrupted; no failed card was bought again')
    delivered = await collectLate(run)
    count = await retryFailed(journal, batch.number, packByProduct, delivered)
  } while (count === undefined)
  if ([...delivered.values()].includes('open'))
    context.stderr.warn('an order is not final any more, so its failed cards were not bought again')
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

/** Returns undefined if the argument names a batch. With --worker, the argument always names a batch. */
const readRunInput = async (
  context: Context,
  account: Account,
  options: RunOptions,
): Promise<ReadPlan | undefined> => {
  const { file, product, sheet, map, ignore, name, worker } = options
  if (worker) return undefined
  if (file === undefined || file === '-' || isFile(context.absolute(file)))
    return readPlan(context, account, options)
  const isGiven = {
    ...{ '--product': product.length > 0, '--map': map.length > 0 },
    ...{ '--sheet': sheet !== undefined, '--ignore': ignore.length > 0, '--name': name !== undefined },
  }
  const [misplaced] = Object.entries(isGiven).find(([, given]) => given) ?? []
  if (misplaced === undefined) return undefined
  throw new Failure('usage', `${misplaced} needs a file, but the file ${file} does not exist`, {
    field: misplaced,
    advice: `Check the name of the file. To continue the batch ${file}, omit ${misplaced}.`,
  })
}

/** A pipe, such as that of `<(…)`, is read like a file. */
const isFile = (path: string): boolean => {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Finds the batch that the argument names. */
const findNamedBatch = async (
  journal: Journal,
  owner: Owner,
  { file = '', worker, wallet }: RunOptions,
): Promise<Batch> => {
  const batch = await findBatch(journal, owner, file, worker ? undefined : createNoInputFailure)
  if (wallet !== undefined && wallet !== batch.wallet) {
    const problem = `--wallet is ${wallet}, but the batch ${batch.name} pays from ${batch.wallet}`
    throw new Failure('usage', problem, {
      field: '--wallet',
      advice: 'To continue the batch, omit --wallet.',
    })
  }
  return batch
}

const keepPlan = async (context: Context, journal: Journal, read: ReadPlan) => {
  const { plan, reading, unsold } = read
  const at = context.clock.now()
  if (unsold !== undefined) {
    // A batch that was started goes on, even if the product file has changed since.
    const found = await findBatches(journal.read, plan.account, plan.name)
    if (!found.some(({ id, startedAt }) => id === plan.id && startedAt !== undefined)) throw unsold
  }
  const { batch, isNew } = await savePlan(journal, plan, { at, replacesPlan: false })
  if (batch.startedAt === undefined) {
    if (reading !== undefined)
      writeNote(context, `${renderReading(reading, viewOf(context, undefined, context.stderr))}\n`)
    noteEqualRows(context, plan)
  } else if (!isNew) writeNote(context, `Continuing the batch ${sanitize(batch.name)}\n`)
  return batch
}

const createNoInputFailure = (named: string, profile: string): Failure =>
  new Failure('usage', `there is no file '${named}', and ${describeMissing(named, profile)}`, {
    fix: (suggest) => suggest`batch list`,
    advice: 'Check the name of the file.',
  })

/** Call it for a batch that was started. */
export const buyBatch = async (run: BatchToRun, pace: Pace, queue: BatchQueue): Promise<BatchEnd> => {
  const { context, options, session, journal, batch } = run
  const { interrupted, random } = context
  const readState = await createProgressReader(context, run)
  const endProgress = showBatchProgress(context, {
    isShown: formatOf(options) === 'screen',
    read: async () => ({ ...(await readState()), trouble: queue.trouble }),
    waiting: session.waiting,
  })
  const sayInterrupted = (): void => {
    const pending = listSlots(queue, 'calling', 'settling').length
    if (pending === 0) return
    writeProse(
      context,
      `Interrupted: waiting for the responses to ${describeCount(pending, 'pending order')}. Press Ctrl-C again to leave at once.\n`,
    )
  }
  interrupted.addEventListener('abort', sayInterrupted, { once: true })
  try {
    const onWaiting = createWaitingNotice(context, run)
    const end = await buySlots({ session, batch, pace, queue, random, onWaiting })
    if (end.kind === 'stopped' && end.reason !== 'cancelled')
      await recordStop(journal, batch.number, end.reason, session.clock.now())
    return end
  } catch (error) {
    // Orders may be bought, so the result is still reported.
    if (error instanceof Failure && error.kind === 'local-state') return { kind: 'ended', failure: error }
    throw error
  } finally {
    interrupted.removeEventListener('abort', sayInterrupted)
    await endProgress()
  }
}

/** Names each buyer once. */
const createWaitingNotice = (
  { stderr }: Pick<Context, 'stderr'>,
  { journal, batch }: Pick<OpenedBatch, 'journal' | 'batch'>,
): (() => Promise<void>) => {
  const named = new Set<string>()
  return async () => {
    for (const buyer of await listBuyers(journal.read, batch.number)) {
      const { buying, waiting, until } = buyer
      const name = nameBuyer(buyer)
      if (named.has(name)) continue
      named.add(name)
      const next =
        until === undefined ? '' : ` If that run died, this one continues at ${formatSafeTime(until)}.`
      writeProse(
        { stderr },
        `Waiting for ${describeCount(buying + waiting, 'order')} of another run: ${name}.${next}\n`,
      )
    }
  }
}
