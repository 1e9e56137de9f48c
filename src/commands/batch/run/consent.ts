// Asks the user for consent to a batch and its cap, once. In a script, --max-total is the consent.
import type { Context } from '../../../context.ts'
import { type Decimal, formatDecimal, parseDecimal, zero } from '../../../contract/decimal.ts'
import { dayMs } from '../../../contract/duration.ts'
import { Failure, interruption } from '../../../errors.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { BatchStart } from '../../../journal/batches/batch-table.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { Summarized } from '../../../operations/batch/summary.ts'
import type { Account } from '../../../profiles/account.ts'
import { nameActor } from '../../../text/actor-name.ts'
import { type FaceValue, formatFaceValues } from '../../../ui/screens/batch/batches.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { describeCount, formatMoney } from '../../../ui/text/amounts.ts'
import { formatWaitingWarnings, writeProse } from '../../shared/notes.ts'
import { canPrompt } from '../../shared/options.ts'
import type { RunOptions } from '../buy-spec.ts'
import { findBatchFaceValues, findFaceValueIn } from '../face-values.ts'
import type { OpenedBatch } from '../open-batch.ts'
import { maxTotalOf } from '../print-batch.ts'

type Prompting = Pick<RunOptions, 'yes' | 'noInput'>

/** Whether the user is asked before money is spent. */
export const isAsked = (context: Context, { yes, noInput }: Prompting): boolean =>
  !yes && canPrompt(context, { noInput })

/** Whether somebody has consented to at least this cap before. */
const isConsented = (batch: Batch, cap: Decimal): boolean => maxTotalOf(batch)?.gte(cap) === true

/** Returns the cap of --max-total, of the last run, or that the user types. */
export const findCap = async (
  context: Context,
  account: Account,
  opened: OpenedBatch,
  options: Prompting & Pick<RunOptions, 'maxTotal'>,
): Promise<Decimal> => {
  const { batch } = opened
  const cap = options.maxTotal ?? maxTotalOf(batch)
  const asks = isAsked(context, options)
  if (cap === undefined && !asks) {
    const needed = findFaceValueIn(batch.wallet, await findBatchFaceValues(context, account, opened))
    throw new Failure('usage', '--max-total is missing: it is the consent to spend; nothing was sent', {
      field: '--max-total',
      fix: (suggest) =>
        needed === undefined
          ? 'Add --max-total and the cap of the batch.'
          : suggest`batch run ${batch.name} ${{ 'max-total': formatDecimal(needed) }}`,
    })
  }
  if (cap !== undefined && isConsented(batch, cap)) return cap
  // On a terminal that cannot prompt.
  if (!options.yes && context.stdin.isTerminal && !asks) {
    throw new Failure('usage', 'batch run needs --yes, because it cannot prompt', {
      field: '--yes',
      fix: 'Use --yes to spend without a prompt.',
    })
  }
  const faceValues = await findBatchFaceValues(context, account, opened)
  const faceValue = findFaceValueIn(batch.wallet, faceValues)
  const chosen = cap ?? (await promptForCap(context, batch, faceValues))
  if (faceValue?.gt(chosen) === true) {
    const [low, high] = [chosen, faceValue].map((amount) => formatMoney(amount, batch.wallet))
    context.stderr.warn(`the cap of ${low} is below the face value of ${high}; the batch stops at the cap`)
  }
  return chosen
}

/** In a script, --max-total is the consent. */
export const askForConsent = async (
  context: Context,
  { batch, summary: { cards, orders, spent } }: Summarized,
  cap: Decimal,
  options: Prompting,
): Promise<void> => {
  if (isConsented(batch, cap) || !isAsked(context, options)) return
  const limit = `spend at most ${formatMoney(cap, batch.wallet)}`
  const question = spent.gt(zero)
    ? `Continue the batch and ${limit}, of which ${formatMoney(spent, batch.wallet)} is already spent?`
    : `Buy ${describeCount(cards.ordered, 'card')} in ${describeCount(orders, 'order')} and ${limit}?`
  context.stderr.write(formatWaitingWarnings(context))
  if (!(await context.confirm(question))) throw createNoConsent(context, batch)
}

const createNoConsent = ({ interrupted }: Context, { startedAt }: Batch): Failure =>
  interruption(
    interrupted,
    startedAt === undefined
      ? 'the batch was not started; nothing was spent'
      : 'the batch was not continued; nothing more was spent',
  )

/** Offers the face value, because fees and discounts are not known before the orders are created. */
const promptForCap = async (
  context: Context,
  batch: Batch,
  faceValues: readonly FaceValue[],
): Promise<Decimal> => {
  const offered = findFaceValueIn(batch.wallet, faceValues)
  const initial = offered && formatDecimal(offered)
  writeProse(
    context,
    `The face value is ${formatFaceValues(faceValues)}. Exchange rates, fees and discounts change the total.\n`,
  )
  for (;;) {
    const text = await context.prompt(`Spend at most (${sanitize(batch.wallet)})`, initial)
    if (text === undefined) throw createNoConsent(context, batch)
    const cap = parseDecimal(text.trim())
    if (cap?.gt(zero) === true) return cap
    context.stderr.write('Type an amount such as 100 or 99.50.\n')
  }
}

type Same = Prompting & Pick<RunOptions, 'allowDuplicate'>

/**
 * The same plan under another name is probably a mistake. Returns a check for the transaction that starts the batch,
 * because another process may start the same plan during the prompt.
 */
export const refuseSamePlan = async (
  context: Context,
  batches: Batches,
  batch: Batch,
  options: Same,
): Promise<BatchStart['refuseSame']> => {
  if (options.allowDuplicate || batch.startedAt !== undefined) return undefined
  const since = context.clock.now() - dayMs
  const accepted = await batches.findSameDemand(batch, since)
  const [same] = accepted
  if (same !== undefined) {
    if (!isAsked(context, options)) throw createSamePlanFailure(same)
    context.stderr.write(`${sanitize(describeSame('The batch', same))}.\n`)
    if (!(await context.confirm('Buy the same products again?'))) throw createNoConsent(context, batch)
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
const describeSame = (subject: 'the batch' | 'The batch', { name, by }: Batch): string =>
  `${subject} ${name}${by?.role ? ` of ${nameActor(by)}` : ''}, started in the last 24 hours, buys the same products`

const createSamePlanFailure = (same: Batch): Failure =>
  new Failure('duplicate', `${describeSame('the batch', same)}; nothing was sent`, {
    fix: (suggest) =>
      `See that batch: ${suggest`batch show ${same.name}`}. To buy the products again, use --allow-duplicate.`,
  })
