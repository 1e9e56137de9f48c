// Asks the user for consent to a batch and its cap, once; in a script, --max-total is the consent. Asks for the approval of a
// batch whose cap needs one, and waits for it.

import {
  canPrompt,
  createPromptFailure,
  formatWaitingWarnings,
  warnProse,
  writeNote,
  writeProse,
} from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { type Decimal, formatDecimal, parseLimit, zero } from '../../contract/money/decimal.ts'
import { dayMs, formatDuration } from '../../contract/time.ts'
import { Failure, interruption } from '../../errors.ts'
import { type ApprovalState, readApproval, requestApproval } from '../../journal/batches/approvals.ts'
import { type Batch, type BatchStart, findSameDemand, getBatch } from '../../journal/batches/batches.ts'
import { listBatchRows } from '../../journal/batches/cards.ts'
import {
  createPreparingFailure,
  createUnapprovedBatchFailure,
  findApprovalStatus,
  findCovering,
  findExpired,
  listBarredRoles,
  mayRun,
  needsApproval,
  writeApprove,
} from '../../operations/approval.ts'
import { nameActor } from '../../text/words.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount, formatMoney } from '../../ui/text/formats.ts'
import { type BatchToRun, createReplacedFailure, refuseCancelled } from '../open-batch.ts'
import { formatFaceValues } from '../screens/batches.ts'
import type { RunOptions } from '../spec.ts'
import { type BatchSummary, findFaceValueIn, findFaceValues, maxTotalOf } from '../summary.ts'

/** Whether the user is asked before money is spent. */
export const asksForConsent = (context: Context, options: Pick<RunOptions, 'yes' | 'noInput'>): boolean =>
  !options.yes && canPrompt(context, options)

/** Whether somebody has consented to at least this cap before. */
const isConsented = (batch: Batch, cap: Decimal): boolean => maxTotalOf(batch)?.gte(cap) === true

/** Returns the cap of --max-total, of the last run, or that the user types. */
export const chooseCap = async (run: BatchToRun): Promise<Decimal> => {
  const { context, options, session, journal, batch } = run
  const cap = options.maxTotal ?? maxTotalOf(batch)
  if (cap !== undefined && isConsented(batch, cap)) return cap
  const asks = asksForConsent(context, options)
  // On a terminal that cannot prompt.
  if (cap !== undefined && !options.yes && context.stdin.isTerminal && !asks)
    throw createPromptFailure('batch run', 'spend')
  const rows = await listBatchRows(journal.read, batch.number)
  const faceValues = await findFaceValues(context, session.account, rows)
  const faceValue = findFaceValueIn(batch.wallet, faceValues)
  if (cap === undefined && !asks) {
    throw new Failure('usage', '--max-total is missing: it is the consent to spend; nothing was sent', {
      field: '--max-total',
      advice: 'Add --max-total and the cap of the batch.',
      fix: (suggest) =>
        faceValue === undefined
          ? undefined
          : suggest`batch run ${batch.name} ${{ 'max-total': formatDecimal(faceValue) }}`,
    })
  }
  const chosen = cap ?? (await promptForCap(run, formatFaceValues(faceValues), faceValue))
  if (faceValue?.gt(chosen) === true) {
    const [low, high] = [chosen, faceValue].map((amount) => formatMoney(amount, batch.wallet))
    warnProse(context, `the cap of ${low} is below the face value of ${high}; the batch stops at the cap`)
  }
  return chosen
}

/** Offers the face value, because fees and discounts are not known before the orders are created. */
const promptForCap = async ({ context, batch }: BatchToRun, faceValues: string, offered?: Decimal) => {
  writeProse(
    context,
    `The face value is ${faceValues}. Exchange rates, fees and discounts change the total.\n`,
  )
  for (;;) {
    const question = `Spend at most (${sanitize(batch.wallet)})`
    const text = await context.prompt(question, offered && formatDecimal(offered))
    if (text === undefined) throw createNoConsent(context, batch)
    const cap = parseLimit(text.trim())
    if (cap?.gt(zero) === true) return cap
    context.stderr.write('Type an amount such as 100 or 99.50.\n')
  }
}

/** In a script, --max-total is the consent. */
export const askForConsent = async (
  { context, options, batch }: BatchToRun,
  { cards, orders, spent }: BatchSummary,
  cap: Decimal,
): Promise<void> => {
  if (isConsented(batch, cap) || !asksForConsent(context, options)) return
  const limit = `spend at most ${formatMoney(cap, batch.wallet)}`
  const question = spent.gt(zero)
    ? `Continue the batch and ${limit}, of which ${formatMoney(spent, batch.wallet)} is already spent?`
    : `Buy ${describeCount(cards.ordered, 'card')} in ${describeCount(orders, 'order')} and ${limit}?`
  context.stderr.write(formatWaitingWarnings(context))
  if (!(await context.askYesNo(question))) throw createNoConsent(context, batch)
}

const createNoConsent = ({ interrupted }: Context, { startedAt }: Batch): Failure =>
  interruption(
    interrupted,
    startedAt === undefined
      ? 'the batch was not started; nothing was spent'
      : 'the batch was not continued; nothing more was spent',
  )

/**
 * The same plan under another name is probably a mistake. Returns a check for the transaction that starts the batch,
 * because another process may start the same plan during the prompt.
 */
export const askAboutSamePlan = async (run: BatchToRun): Promise<BatchStart['refuseSame']> => {
  const { context, options, journal, batch } = run
  if (options.allowDuplicate || batch.startedAt !== undefined) return undefined
  const since = context.clock.now() - dayMs
  const accepted = await findSameDemand(journal.read, batch, since)
  const [same] = accepted
  if (same !== undefined) {
    if (!asksForConsent(context, options)) throw createSamePlanFailure(same)
    writeProse(context, `The ${sanitize(describeSame(same))}.\n`)
    if (!(await context.askYesNo('Buy the same products again?'))) throw createNoConsent(context, batch)
  }
  const numbers = new Set(accepted.map(({ number }) => number))
  return {
    since,
    check: (found) => {
      const started = found.find(({ number }) => !numbers.has(number))
      if (started !== undefined) throw createSamePlanFailure(started)
    },
  }
}

/** Only a shared journal has batches of others. */
const describeSame = ({ name, by }: Batch): string =>
  `batch ${name}${by?.role ? ` of ${nameActor(by)}` : ''}, started in the last 24 hours, buys the same products`

const createSamePlanFailure = (same: Batch): Failure =>
  new Failure('same-products', `the ${describeSame(same)}; nothing was sent`, {
    fix: (suggest) => suggest`batch show ${same.name}`,
    advice: 'To buy the products again, add --allow-duplicate.',
  })

const pollMs = 3_000

/** Throws if the cap needs an approval and gets none. If the approval expires later, the confirms are refused. */
export const awaitApproval = async (run: BatchToRun, cap: Decimal): Promise<void> => {
  const { context, journal, batch, options } = run
  const { wait: waitMs } = options
  const found = await readApproval(journal.read, batch)
  if (found === undefined) return
  refusePreparing(batch, found)
  if (mayRun(cap, found)) return
  await requestApproval(journal, batch.number, { planId: batch.id, cap: formatDecimal(cap) })
  const asked = await readApproval(journal.read, batch)
  const status = asked && findApprovalStatus(batch, asked)
  const refuse = (outcome: string): Failure =>
    createUnapprovedBatchFailure(batch, {
      cap,
      outcome,
      limits: found.ownLimits,
      barred: asked && listBarredRoles(asked),
      expired: findExpired(status),
      smaller: status?.state === 'waiting' ? status.approval : undefined,
    })
  if (waitMs === undefined) throw refuse('nothing was sent')
  const wait = formatDuration(waitMs)
  writeNote(
    context,
    `Waiting up to ${wait} for an approval.\nAnother database role approves the batch: ${writeApprove(context.suggest, batch, cap)}\n`,
  )
  if (!(await waitForApproval(run, cap, waitMs)))
    throw refuse(`no one approved it within ${wait}, and nothing was sent`)
}

/** Throws if the database role may only plan the batch. */
export const refusePreparing = ({ name }: Batch, { mayOnlyPrepare, ownRole }: ApprovalState): void => {
  if (!mayOnlyPrepare) return
  throw createPreparingFailure(ownRole, {
    outcome: 'nothing was sent',
    write: (suggest) => suggest`batch run ${name}`,
  })
}

/** Returns false if nobody approved the cap in time. */
const waitForApproval = async (run: BatchToRun, cap: Decimal, waitMs: number): Promise<boolean> => {
  const { context, journal, batch } = run
  const { clock, interrupted } = context
  const endsAt = clock.monotonic() + waitMs
  for (;;) {
    const leftMs = endsAt - clock.monotonic()
    if (leftMs <= 0) return false
    await clock.sleep(Math.min(pollMs, leftMs), interrupted)
    if (interrupted.aborted) throw interruption(interrupted, 'the batch was not started; nothing was spent')
    const now = await getBatch(journal.read, batch.number)
    if (now === undefined) throw createReplacedFailure(batch)
    refuseCancelled(now)
    const state = await readApproval(journal.read, batch)
    const approval = state && findCovering(cap, state.approvals)
    if (approval !== undefined) writeNote(context, `Approved by ${sanitize(approval.role)}\n`)
    if (approval !== undefined || (state !== undefined && !needsApproval(cap, state.limits))) return true
  }
}
