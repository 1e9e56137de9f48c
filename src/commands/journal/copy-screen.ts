// What `orderctl journal copy` prints.
import type { Context } from '../../context.ts'
import { decimal } from '../../contract/money/decimal.ts'
import type { CopiedLimit, CopyResult } from '../../journal/copy/copy-journal.ts'
import { formatBudget } from '../../ui/screens/limits.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { describeCount, formatMoney } from '../../ui/text/formats.ts'

export const toCopyData = ({ limits, ...result }: CopyResult) => {
  const toAmounts = (all: readonly CopiedLimit[]) =>
    all.map(({ amount, ...limit }) => ({ ...limit, amount: decimal(amount) }))
  const { copied, kept, refused } = limits
  return {
    ...result,
    limits: { copied: toAmounts(copied), kept: toAmounts(kept), refused: toAmounts(refused) },
  }
}

export const printCopy = ({ stdout, stderr }: Context, result: CopyResult): void => {
  const { orders, inBoth, batches, reveals, copiedBefore, renamed, limits } = result
  const counts = `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}`
  const lines = [
    copiedBefore
      ? 'The shared journal already has the orders of this file.'
      : `Copied ${counts} and ${describeCount(reveals, 'reveal')}.`,
    ...(inBoth > 0 ? [`The shared journal already had ${describeCount(inBoth, 'order')}.`] : []),
    ...renamed.map(
      ({ from, to }) =>
        `The batch ${sanitize(from)} is now named ${sanitize(to)}, because another batch has its name.`,
    ),
    ...limits.copied.map((limit) => `Copied the limit ${describeLimit(limit)}.`),
    ...limits.kept.map((limit) => `The shared journal keeps its limit ${describeLimit(limit)}.`),
  ]
  stdout.write(lines.map((line) => `${line}\n`).join(''))
  for (const limit of limits.refused)
    stderr.warn(
      `the limit ${describeLimit(limit)} was not copied, because your database role may not change limits`,
    )
}

/** '500.00 USD per day of the account eu' */
const describeLimit = ({ kind, currency, amount, account }: CopiedLimit): string => {
  const approval = `${formatMoney(decimal(amount), currency)} for approvals`
  const limit = kind === 'approval' ? approval : formatBudget({ kind, currency, amount })
  return account === null ? limit : `${limit} of the account ${sanitize(account)}`
}
