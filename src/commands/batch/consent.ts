// Asks the user for consent to a batch and its cap, once. In a script, --max-total is the consent.
import type { Context } from '../../context.ts'
import { type Decimal, parseDecimal, zero } from '../../contract/decimal.ts'
import { Failure } from '../../errors.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import { type BatchSummary, summarizeBatch } from '../../operations/batch/summary.ts'
import { interruption } from '../../operations/read.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../ui/text/money.ts'
import type { RunOptions } from './options.ts'

type Consent = Pick<RunOptions, 'maxTotal' | 'asks' | 'allowDuplicate'>

/** Returns the cap. */
export const askForCap = async (
  context: Context,
  batch: Batch,
  summary: BatchSummary,
  { maxTotal, asks, needsYes }: Consent & Pick<RunOptions, 'needsYes'>,
): Promise<Decimal> => {
  const consented = batch.maxTotal === undefined ? undefined : parseDecimal(batch.maxTotal)
  const isCovered = consented !== undefined && (maxTotal === undefined || maxTotal.lte(consented))
  if (isCovered) return maxTotal ?? consented
  if (!asks && maxTotal === undefined) throw createMissingCapFailure(batch)
  if (needsYes) {
    throw new Failure('usage', 'batch run needs --yes, because it cannot prompt', {
      field: '--yes',
      fix: 'Use --yes to spend without a prompt.',
    })
  }
  const cap = maxTotal ?? (await promptForCap(context, batch))
  if (asks && !(await context.confirm(formatQuestion(batch, summary, cap)))) {
    throw interruption(context.interrupted, 'the batch was not started; nothing was spent')
  }
  return cap
}

const createMissingCapFailure = ({ name }: Batch): Failure =>
  new Failure('usage', '--max-total is missing: it is the consent to spend; nothing was sent', {
    field: '--max-total',
    fix: `orderctl batch run ${quoteShellWord(name)} --max-total AMOUNT`,
  })

const promptForCap = async (context: Context, { wallet }: Batch): Promise<Decimal> => {
  for (;;) {
    const text = await context.prompt(`Spend at most (${sanitize(wallet)}):`)
    if (text === undefined) {
      throw interruption(context.interrupted, 'the batch was not started; nothing was spent')
    }
    const cap = parseDecimal(text.trim())
    if (cap?.gt(zero) === true) return cap
    context.stderr.write('Type an amount such as 100 or 99.50.\n')
  }
}

const formatQuestion = ({ wallet }: Batch, { cards, orders, spent }: BatchSummary, cap: Decimal): string => {
  const limit = `spend at most ${formatMoney(cap, wallet)}`
  return spent.gt(zero)
    ? `Continue the batch and ${limit}, of which ${formatMoney(spent, wallet)} is already spent?`
    : `Buy ${count(cards.ordered, 'card')} in ${count(orders, 'order')} and ${limit}?`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const dayMs = 24 * 60 * 60 * 1000

/** The same plan under another name is probably a mistake. */
export const refuseSamePlan = async (
  context: Context,
  batches: Batches,
  batch: Batch,
  { allowDuplicate, asks }: Consent,
): Promise<void> => {
  if (allowDuplicate || batch.startedAt !== undefined) return
  const same = batches
    .findSameDemand(batch, context.clock.now() - dayMs)
    .find((other) => other.cancelledAt === undefined || summarizeBatch(batches, other).spent.gt(zero))
  if (same === undefined) return
  const what = `the batch ${same.name}, started in the last 24 hours, buys the same products`
  if (!asks) {
    throw new Failure('duplicate', `${what}; nothing was sent`, {
      fix: `Continue that batch: orderctl batch run ${quoteShellWord(same.name)}. To buy the same again, use --allow-duplicate.`,
    })
  }
  context.stderr.write(`${sanitize(what.replace('the batch', 'The batch'))}.\n`)
  if (await context.confirm('Buy the same products again?')) return
  throw interruption(context.interrupted, 'the batch was not started; nothing was spent')
}
