// Prints what reconcile found out about each order, and the next step. Also says why it ends with an error.

import { describeOrders } from '../../app/journal/listed-orders.ts'
import { type OutputOptions, outputFor } from '../../app/output/output.ts'
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/money/decimal.ts'
import { formatUtcTime } from '../../contract/time.ts'
import { Failure } from '../../errors.ts'
import type { Journal } from '../../journal/journal.ts'
import { type Limit, listLimits } from '../../journal/limits.ts'
import type { Entry, Owner } from '../../journal/orders/entries.ts'
import { isUnprovenOrder } from '../../journal/orders/standings.ts'
import { needsApproval } from '../../operations/approval.ts'
import type { Reconciliation } from '../../operations/reconcile.ts'
import { viewOrder } from '../../operations/view.ts'
import { writeNextStep } from '../../ui/screens/next-step.ts'
import {
  describeUnknownOrders,
  type ReconciledRow,
  reconciledFields,
  renderReconciled,
} from '../../ui/screens/orders.ts'
import { describeRefuted, refutedAdvice } from '../../ui/screens/state.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { listNames, readFields } from '../../ui/text/result-fields.ts'

/** `was`: the state before reconcile. */
export type ReconcileResult = Reconciliation & { readonly was: string }

type PrintedRow = ReconciledRow & { readonly failure: Failure | undefined; readonly isUnproven: boolean }

/** Returns the printed rows. `owner` is undefined if no order can be confirmed. */
export const printAll = async (
  context: Context,
  all: readonly ReconcileResult[],
  { journal, owner }: { readonly journal: Journal; readonly owner: Owner | undefined },
  options: OutputOptions,
): Promise<readonly PrintedRow[]> => {
  const view = viewOf(context)
  const entries = all.map(({ entry }) => entry)
  const listed = await describeOrders(journal, all, view.now)
  // The totals above which a batch needs an approval. They matter only to orders that can still be confirmed.
  const limits = owner && entries.some(canConfirm) ? await listLimits(journal.read, owner.account) : []
  const rows = listed.map((order) => {
    const { entry, batch, calls, response, problem: failure } = order
    const times = { now: view.now, serviceNow: response?.serverTime }
    const orderView = viewOrder({ entry, calls }, response, { ...times, wants: 'shown' })
    const { orderId, placedWith } = entry
    const needsApproval = canConfirm(entry) && isAbove(entry, limits)
    const needsOtherRole = limits.some(({ kind, appliesHere }) => kind === 'prepare-only' && appliesHere)
    return {
      ...{ ...order, failure },
      view: orderView,
      next: writeNextStep(
        orderView,
        { orderId, placedWith, batch, needsApproval, needsOtherRole },
        context.suggest,
      ),
      isUnproven: isUnprovenOrder(entry),
      problem: failure?.message,
    }
  })
  await outputFor(context, options).print({
    names: listNames(reconciledFields),
    data: () => rows.map((row) => readFields(reconciledFields, row)),
    ids: entries.map(({ orderId }) => orderId).filter((id) => id !== undefined),
    screen: () => rows.map((row) => renderReconciled(row, view)).join(''),
  })
  return rows
}

const canConfirm = ({ standing, batch }: Entry): boolean =>
  (standing === 'pending' || standing === 'doubtful') && batch === undefined

const isAbove = ({ total, wallet }: Entry, limits: readonly Limit[]): boolean => {
  const amount = parseDecimal(total ?? '')
  const ofWallet = limits.filter(
    (each) => each.kind === 'approval' && each.currency === wallet && each.appliesHere,
  )
  const amounts = ofWallet.map((limit) => limit.amount)
  return amount !== undefined && needsApproval(amount, amounts)
}

/**
 * Reports a wrong decision first, because it does so once, and an unproven confirm before a service that does not respond.
 * A screen shows the next step of each order, so the failure does not repeat the step.
 */
export const findFailure = (rows: readonly PrintedRow[], isScreen: boolean): Failure | undefined => {
  const refuted = rows.filter(({ entry }) => entry.decision === 'refuted')
  const wrong = describeRefuted(refuted.map(({ entry: { orderId = '' } }) => orderId))
  if (wrong !== undefined)
    return new Failure('wrong-decision', wrong, { fix: (suggest) => suggest`list`, advice: refutedAdvice })
  const [row, ...others] = rows.filter(({ isUnproven }) => isUnproven)
  if (row === undefined) return findProblem(rows)
  const message = describeUnknownOrders([row, ...others].map(({ entry: { orderId = '' } }) => orderId))
  if (others.length > 0) {
    return new Failure(
      'unproven',
      message,
      isScreen ? {} : { advice: 'Do not order again. Check again later.' },
    )
  }
  const {
    next,
    view: { provenAt },
    entry: { orderId },
  } = row
  return new Failure('unproven', message, {
    orderId,
    safeFrom: provenAt === undefined ? undefined : formatUtcTime(provenAt),
    ...(isScreen ? {} : { fix: () => next.command, advice: next.advice }),
  })
}

const findProblem = (rows: readonly PrintedRow[]): Failure | undefined => {
  const problems = rows.map(({ failure }) => failure).filter((each) => each !== undefined)
  const [first] = problems
  if (first === undefined || rows.length === 1) return first
  const { orderId: _, ...details } = first.details
  const all = `${problems.length} of ${describeCount(rows.length, 'order')}`
  return new Failure(first.reason, `${all} could not be checked: ${first.message}`, details)
}
