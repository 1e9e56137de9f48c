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

type Source = {
  readonly journal: Journal
  /** Undefined if no order can be confirmed. */
  readonly owner: Owner | undefined
}

/** Returns what it printed. */
export const printAll = async (
  context: Context,
  all: readonly Result[],
  { journal, owner }: Source,
  options: OutputOptions,
): Promise<readonly ReconciledRow[]> => {
  const view = viewOf(context)
  const entries = all.map(({ reconciled }) => reconciled.entry)
  const names = await findEntryNames(journal, entries)
  const limits = owner === undefined ? [] : await findApprovalLimits(journal, owner, entries)
  const done = all.map((each) => ({ entry: each.reconciled.entry, row: rowOf(each, names, limits) }))
  const rows = done.map(({ row }) => row)
  await outputFor(context, options).print({
    data: () => done.map(({ entry, row }) => dataOf(entry, row, { names, view })),
    ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
    screen: () => rows.map((row) => renderReconciled(row, view)).join(''),
  })
  return rows
}

const isUnconfirmed = ({ state, batch }: Entry): boolean => state === 'created' && batch === undefined

/** The totals above which the orders need an approval. Only orders that could be confirmed matter. */
const findApprovalLimits = async (
  journal: Journal,
  { account }: Owner,
  entries: readonly Entry[],
): Promise<readonly Limit[]> =>
  entries.some(isUnconfirmed)
    ? (await listLimits(journal, account)).filter(({ kind }) => kind === 'approval')
    : []

const isAbove = ({ total, wallet }: Entry, limits: readonly Limit[]): boolean => {
  const amount = total === undefined ? undefined : parseDecimal(total)
  const ofWallet = limits.filter(({ currency }) => currency === wallet).map((limit) => limit.amount)
  return amount !== undefined && needsApproval(amount, ofWallet)
}

const rowOf = (
  { was, reconciled }: Result,
  { batches }: EntryNames,
  limits: readonly Limit[],
): ReconciledRow => {
  const { entry, unproven, provenAt, problem } = reconciled
  const { orderId, reference, state } = entry
  return {
    orderId,
    reference,
    was,
    state,
    provenAt,
    batch: entry.batch === undefined ? undefined : batches.get(entry.batch),
    needsApproval: isUnconfirmed(entry) && isAbove(entry, limits),
    isUnproven: unproven !== undefined,
    problem: problem?.message,
  }
}

type Shown = { readonly names: EntryNames; readonly view: View }

const dataOf = (entry: Entry, row: ReconciledRow, { names, view }: Shown) => {
  const { was, problem, provenAt, isUnproven } = row
  return {
    ...entryData(entry, names, view.now),
    was,
    isUnproven,
    ...(provenAt === undefined ? {} : { safeFrom: formatUtcTime(provenAt) }),
    ...(problem === undefined ? {} : { problem }),
    next: nextStep(row, view),
  }
}

type Asked = {
  /** The order or batch in the command. */
  readonly named: string | undefined
  readonly now: number
  /** The result is a screen, which names the next step of each order. */
  readonly printsSteps: boolean
}

/** An unproven confirm outweighs a service that does not respond. */
export const findFailure = (
  rows: readonly ReconciledRow[],
  problems: readonly Failure[],
  asked: Asked,
): Failure | undefined => {
  const unproven = rows.filter(({ isUnproven }) => isUnproven)
  return unproven.length > 0
    ? createUnprovenFailure(unproven, asked)
    : createProblemFailure(problems, rows.length)
}

const createUnprovenFailure = (
  unproven: readonly ReconciledRow[],
  { named, now, printsSteps }: Asked,
): Failure => {
  const [row, ...others] = unproven
  const message = describeUnknownOrders(unproven.map(({ orderId = '' }) => orderId))
  if (row === undefined || others.length > 0) {
    const fix: Fix = (suggest) => `Do not order again. Check again later: ${suggest`reconcile ${named}`}`
    return new Failure('unknown', message, printsSteps ? {} : { fix })
  }
  const { orderId, provenAt } = row
  return new Failure('unknown', message, {
    orderId,
    safeFrom: provenAt === undefined ? undefined : formatUtcTime(provenAt),
    fix: printsSteps ? undefined : (suggest) => nextStep(row, { now, suggest }),
  })
}

const createProblemFailure = (problems: readonly Failure[], count: number): Failure | undefined => {
  const [first] = problems
  if (first === undefined || count === 1) return first
  const { orderId: _, ...details } = first.details
  return new Failure(
    first.kind,
    `${problems.length} of ${describeCount(count, 'order')} could not be checked: ${first.message}`,
    details,
  )
}
