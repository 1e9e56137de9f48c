// Prints what reconcile found out about each order, and the next step. Also says why it ends with an error.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import { formatUtcTime } from '../../contract/timestamp.ts'
import { Failure, type Fix } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, listLimits } from '../../journal/limits/limits.ts'
import type { Entry, Owner } from '../../journal/orders/entry.ts'
import { needsApproval } from '../../operations/approval.ts'
import type { Reconciled } from '../../operations/reconcile.ts'
import {
  describeUnknownOrders,
  nextStep,
  type ReconciledRow,
  renderReconciled,
} from '../../ui/screens/reconciled.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { entryData, findEntryNames } from '../shared/journal/entry-data.ts'
import type { OutputOptions } from '../shared/options.ts'
import { outputFor } from '../shared/output/output.ts'
import { viewOf } from '../shared/output/view-of.ts'

/** `was`: the state before reconcile. */
export type Result = Reconciled & { readonly was: string }

type PrintedRow = ReconciledRow & { readonly failure: Failure | undefined }

/** Returns the printed rows. `owner` is undefined if no order can be confirmed. */
export const printAll = async (
  context: Context,
  all: readonly Result[],
  { journal, owner }: { readonly journal: Journal; readonly owner: Owner | undefined },
  options: OutputOptions,
): Promise<readonly PrintedRow[]> => {
  const view = viewOf(context)
  const entries = all.map(({ entry }) => entry)
  const names = await findEntryNames(journal, entries)
  // The totals above which a batch needs an approval. They matter only to orders that can still be confirmed.
  const limits = owner && entries.some(isUnconfirmed) ? await listLimits(journal, owner.account) : []
  const rows = all.map(({ entry, was, unproven, provenAt, problem: failure }) => {
    const { orderId, reference, state, batch } = entry
    return {
      ...{ entry, orderId, reference, was, state, provenAt, failure },
      batch: batch === undefined ? undefined : names.batches.get(batch),
      needsApproval: isUnconfirmed(entry) && isAbove(entry, limits),
      isUnproven: unproven !== undefined,
      problem: failure?.message,
    }
  })
  await outputFor(context, options).print({
    data: () =>
      rows.map((row) => ({
        ...entryData(row.entry, names, view.now),
        was: row.was,
        isUnproven: row.isUnproven,
        ...(row.provenAt === undefined ? {} : { safeFrom: formatUtcTime(row.provenAt) }),
        ...(row.problem === undefined ? {} : { problem: row.problem }),
        next: nextStep(row, view),
      })),
    ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
    screen: () => rows.map((row) => renderReconciled(row, view)).join(''),
  })
  return rows
}

const isUnconfirmed = ({ state, batch }: Entry): boolean => state === 'created' && batch === undefined

const isAbove = ({ total, wallet }: Entry, limits: readonly Limit[]): boolean => {
  const amount = parseDecimal(total ?? '')
  const ofWallet = limits.filter(({ kind, currency }) => kind === 'approval' && currency === wallet)
  const amounts = ofWallet.map((limit) => limit.amount)
  return amount !== undefined && needsApproval(amount, amounts)
}

/**
 * If both happen, reports an unproven confirm rather than a service that does not respond. `named` is the order or batch
 * in the command. A screen names the next step of each order, so the failure does not repeat the step.
 */
export const findFailure = (
  rows: readonly PrintedRow[],
  named: string | undefined,
  now: number,
  isScreen: boolean,
): Failure | undefined => {
  const [row, ...others] = rows.filter(({ isUnproven }) => isUnproven)
  if (row === undefined) return findProblem(rows)
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

const findProblem = (rows: readonly PrintedRow[]): Failure | undefined => {
  const problems = rows.map(({ failure }) => failure).filter((each) => each !== undefined)
  const [first] = problems
  if (first === undefined || rows.length === 1) return first
  const { orderId: _, ...details } = first.details
  const all = `${problems.length} of ${describeCount(rows.length, 'order')}`
  return new Failure(first.kind, `${all} could not be checked: ${first.message}`, details)
}
