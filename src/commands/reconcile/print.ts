// Prints what reconcile found out about each order, and the next step. Also says why it ends with an error.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import { formatUtcTime } from '../../contract/timestamp.ts'
import { Failure, type Fix } from '../../errors.ts'
import type { Entry, Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, listLimits } from '../../journal/limits/limits.ts'
import { needsApproval } from '../../operations/approval.ts'
import type { Reconciled } from '../../operations/reconcile.ts'
import {
  describeUnknownOrders,
  nextStep,
  type ReconciledRow,
  renderReconciled,
} from '../../ui/screens/reconciled.ts'
import type { View } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { type EntryNames, entryData, findEntryNames } from '../shared/journal/entry-data.ts'
import type { OutputOptions } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { viewOf } from '../shared/output/view-of.ts'

export type Result = { readonly was: string; readonly reconciled: Reconciled }

/** Returns the printed rows. `owner` is undefined if no order can be confirmed. */
export const printAll = async (
  context: Context,
  all: readonly Result[],
  { journal, owner }: { readonly journal: Journal; readonly owner: Owner | undefined },
  options: OutputOptions,
): Promise<readonly ReconciledRow[]> => {
  const view = viewOf(context)
  const entries = all.map(({ reconciled }) => reconciled.entry)
  const names = await findEntryNames(journal, entries)
  // The totals above which a batch needs an approval. They matter only to orders that can still be confirmed.
  const limits = owner && entries.some(isUnconfirmed) ? await listLimits(journal, owner.account) : []
  const rows = all.map((each) => rowOf(each, names, limits))
  await outputFor(context, options).print({
    data: () =>
      entries.map((entry, index) => ({
        ...entryData(entry, names, view.now),
        ...rowData(rows[index] as ReconciledRow, view),
      })),
    ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
    screen: () => rows.map((row) => renderReconciled(row, view)).join(''),
  })
  return rows
}

const isUnconfirmed = ({ state, batch }: Entry): boolean => state === 'created' && batch === undefined

const isAbove = ({ total, wallet }: Entry, limits: readonly Limit[]): boolean => {
  const amount = total && parseDecimal(total)
  const ofWallet = limits.filter(({ kind, currency }) => kind === 'approval' && currency === wallet)
  return amount
    ? needsApproval(
        amount,
        ofWallet.map((limit) => limit.amount),
      )
    : false
}

const rowOf = ({ was, reconciled }: Result, names: EntryNames, limits: readonly Limit[]): ReconciledRow => {
  const { entry, unproven, provenAt, problem } = reconciled
  const { orderId, reference, state, batch } = entry
  return {
    orderId,
    reference,
    was,
    state,
    provenAt,
    batch: batch === undefined ? undefined : names.batches.get(batch),
    needsApproval: isUnconfirmed(entry) && isAbove(entry, limits),
    isUnproven: unproven !== undefined,
    problem: problem?.message,
  }
}

const rowData = (row: ReconciledRow, view: View) => ({
  was: row.was,
  isUnproven: row.isUnproven,
  ...(row.provenAt === undefined ? {} : { safeFrom: formatUtcTime(row.provenAt) }),
  ...(row.problem === undefined ? {} : { problem: row.problem }),
  next: nextStep(row, view),
})

/**
 * If both happen, reports an unproven confirm rather than a service that does not respond. `named` is the order or batch
 * in the command. A screen names the next step of each order, so the failure does not repeat the step.
 */
export const findFailure = (
  rows: readonly ReconciledRow[],
  problems: readonly Failure[],
  named: string | undefined,
  now: number,
  isScreen: boolean,
): Failure | undefined => {
  const [row, ...others] = rows.filter(({ isUnproven }) => isUnproven)
  if (row === undefined) return createProblemFailure(problems, rows.length)
  const message = describeUnknownOrders([row, ...others].map(({ orderId = '' }) => orderId))
  if (others.length > 0) {
    const fix: Fix = (suggest) => `Do not order again. Check again later: ${suggest`reconcile ${named}`}`
    return new Failure('unknown', message, isScreen ? {} : { fix })
  }
  const { orderId, provenAt } = row
  return new Failure('unknown', message, {
    orderId,
    safeFrom: provenAt === undefined ? undefined : formatUtcTime(provenAt),
    fix: isScreen ? undefined : (suggest) => nextStep(row, { now, suggest }),
  })
}

const createProblemFailure = (problems: readonly Failure[], count: number): Failure | undefined => {
  const [first] = problems
  if (first === undefined || count === 1) return first
  const { orderId: _, ...details } = first.details
  const all = `${problems.length} of ${describeCount(count, 'order')}`
  return new Failure(first.kind, `${all} could not be checked: ${first.message}`, details)
}
