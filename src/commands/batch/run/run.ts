// The steps of `orderctl batch run`: options → plan or saved batch → consent → bought → shown.
import type { Context } from '../../../context.ts'
import { type Decimal, decimal } from '../../../contract/decimal.ts'
import { Failure } from '../../../errors.ts'
import { resumeBatch } from '../../../journal/batches/approvals.ts'
import type { Batch, StopReason } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import { openBatches } from '../../../journal/batches/batches.ts'
import type { Grouping } from '../../../journal/batches/slot-cards.ts'
import { isCovered, needsApproval } from '../../../operations/approval.ts'
import { createCounter } from '../../../operations/batch/batch-run.ts'
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
import { outputOf, sessionOf } from '../../shared/options.ts'
import { preloadOutput } from '../../shared/output/preload-output.ts'
import { openSession, openToSend } from '../../shared/session.ts'
import { refuseCancelled } from '../cancelled.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { maxTotalOf } from '../print-batch.ts'
import { planInputOf } from '../read-plan.ts'
import type { RunOptions } from '../spec.ts'
import { buyBatch } from './buy-batch.ts'
import { askForCap, refuseSamePlan } from './consent.ts'
import { reportEnd } from './report-end.ts'
import { findOrSaveBatch, readRunInput } from './run-input.ts'

/** Returns the exit code. */
export const runBatch = async (context: Context, options: RunOptions): Promise<number> => {
  const { clock, random } = context
  const { worker: isWorker, retryFailed: retriesFailed, waitApproval: waitMs } = options
  const planInput = planInputOf(options)
  const output = outputOf(options)
  const account = await accountOf(context, options)
  const input = await readRunInput(context, account, { ...planInput, worker: isWorker })
  const pace = createPace({ max: options.parallel, clock, random })
  const opened = await openSession(context, sessionOf(options), account, pace.observe)
  try {
    printAccount(context, account)
    warnOfShortLived(context, account, opened.journals.place)
    const session = await openToSend(context, opened, { spends: true })
    const batches = openBatches(session.journal)
    await preloadOutput(output, { isWatched: false })
    await import('../screen.ts')

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
    const counter = createCounter()
    const purchase = { batches, batch, pace, output, counter }
    const { place } = session.journals
    if (isWorker) {
      const { cap, stopped: reason } = await joinBatch(context, planned, summary)
      const end =
        reason === undefined
          ? await buyBatch(context, session, { ...purchase, cap, start: undefined })
          : ({ kind: 'stopped', reason } as const)
      return await reportEnd(context, planned, {
        output,
        end,
        bought: { counter, place, endedAt: session.clock.now() },
      })
    }
    const refuseSame = await refuseSamePlan(context, batches, batch, options)
    const findApproval = async (cap: Decimal) =>
      place.kind === 'file'
        ? undefined
        : (await import('../approval/await-approval.ts')).awaitApproval(context, { ...planned, cap, waitMs })
    // A batch that waits for its approval prompts first, because nobody may be there later.
    const checkCap = async (cap: Decimal): Promise<void> =>
      waitMs === undefined ? void (await findApproval(cap)) : undefined
    const cap = await askForCap(context, batch, summary, { ...options, checkCap })
    const checkApproval = await findApproval(cap)
    // Not before the consent: a later run would buy the cards although the user refused.
    if (retriesFailed) await wantFailedAgain(context, batches, batch)
    const end = await buyBatch(context, session, { ...purchase, cap, start: { refuseSame, checkApproval } })
    return await reportEnd(context, planned, {
      output,
      end,
      bought: { counter, place, endedAt: session.clock.now() },
    })
  } finally {
    await opened.close()
  }
}

type Joined = {
  readonly cap: Decimal
  /** Why the batch has stopped: then the worker buys nothing. */
  readonly stopped: StopReason | undefined
}

/**
 * For a worker: another process has started the batch, so the consent is in the journal. Throws if nobody has
 * started it.
 */
const joinBatch = async (
  { stderr }: Pick<Context, 'stderr'>,
  { journal, batch }: OpenedBatch,
  { spent, cards }: BatchSummary,
): Promise<Joined> => {
  const { name, number, startedAt, stopped } = batch
  const cap = maxTotalOf(batch)
  if (startedAt === undefined || cap === undefined) {
    throw new Failure('usage', `the batch ${name} is not started, so a worker cannot take part in it`, {
      field: '--worker',
      fix: (suggest) => `Start it: ${suggest`batch run ${name} --max-total AMOUNT`}`,
    })
  }
  const continues = async (): Promise<boolean> =>
    resumeBatch(journal, number, ({ limits, approvedCaps }, consented) => {
      const total = decimal(consented)
      return !needsApproval(total, limits) || isCovered(total, approvedCaps)
    })
  if (stopped !== undefined && !(stopped === 'approval' && (await continues()))) return { cap, stopped }
  writeNote(
    { stderr },
    `Taking part in the batch ${sanitize(name)}: ${formatSpentOf(spent, batch)} spent, ` +
      `${cards.delivered} of ${cards.ordered} cards delivered\n`,
  )
  return { cap, stopped: undefined }
}

/** The service may have delivered failed cards meanwhile. They must not be bought again. */
const collectLate = async (
  { stderr }: Context,
  session: Session,
  { batches, batch }: Pick<OpenedBatch, 'batches' | 'batch'>,
): Promise<void> => {
  const { collectLateCards } = await import('../../../operations/batch/collect-cards.ts')
  const count = await collectLateCards(session, batches, batch)
  if (count > 0) {
    writeNote({ stderr }, `The service has delivered ${describeCount(count, 'failed card')} meanwhile\n`)
  }
}

/** Packs the failed cards into new orders, each with one product: a product that fails again fails alone. */
const wantFailedAgain = async ({ stderr }: Context, batches: Batches, { number }: Batch): Promise<void> => {
  const count = await batches.retryFailed(number, packByProduct)
  if (count > 0) writeNote({ stderr }, `Buying ${describeCount(count, 'failed card')} again\n`)
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
