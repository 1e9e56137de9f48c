// What an approver sees: before the prompt the plan, the cap, who asks for it, and an earlier approval; then the result.

import type { Context } from '../../../context.ts'
import { type Decimal, decimal, formatDecimal, zero } from '../../../contract/money/decimal.ts'
import type { ApprovalState } from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batches.ts'
import { findCovering } from '../../../operations/approval.ts'
import { type BatchRow, formatProductKey } from '../../../operations/batch/plan/rows.ts'
import type { Summarized } from '../../../operations/batch/summary.ts'
import { listEarlierFields } from '../../../ui/screens/limits.ts'
import { sanitize } from '../../../ui/terminal/text.ts'
import { viewOf } from '../../../ui/terminal/view.ts'
import { formatClock, formatMoney } from '../../../ui/text/formats.ts'
import type { FaceValue } from '../screens/batches.ts'
import { type RequestedView, renderPlan, renderRequested } from '../screens/planned.ts'

/** The largest sum first. */
const addUpProducts = (rows: readonly BatchRow[]): RequestedView['products'] =>
  [...Map.groupBy(rows, formatProductKey).values()]
    .flatMap(([product, ...more]) => {
      if (product === undefined) return []
      const cards = more.reduce((sum, { quantity }) => sum + quantity, product.quantity)
      return [{ ...product, cards, sum: decimal(product.quote).times(decimal(String(cards))) }]
    })
    .toSorted((one, other) => other.sum.cmp(one.sum))

type Request = Summarized & {
  readonly rows: readonly BatchRow[]
  readonly faceValues: readonly FaceValue[]
  readonly state: ApprovalState
  readonly cap: Decimal
}

export const renderRequest = (
  context: Context,
  { batch, summary, rows, faceValues, state, cap }: Request,
): string => {
  const { name, wallet, columns } = batch
  const view = viewOf(context, context.clock.now(), context.stderr)
  const fields = [
    ['Spent', summary.spent.gt(zero) ? formatMoney(summary.spent, wallet) : undefined] as const,
    ['Cap', view.theme.strong(formatMoney(cap, wallet))] as const,
    ...listEarlierFields(state, wallet, view),
  ]
  const showRows = view.suggest`batch show ${name} --rows`
  const tables = renderRequested({ columns, rows, products: addUpProducts(rows), showRows }, view)
  return `${tables}\n${renderPlan({ batch, summary, faceValues, fields }, view)}\n`
}

export type Granted = {
  /** Before this approval. */
  readonly state: ApprovalState
  readonly cap: Decimal
  readonly until: number
}

/** Returns the line of the result, and notes about it. */
export const renderApproved = (
  context: Context,
  { name, wallet }: Batch,
  { state: { request, approvals }, cap, until }: Granted,
): string[] => {
  const view = viewOf(context)
  const money = (amount: Decimal): string => formatMoney(amount, wallet)
  const lines = [`Approved the batch ${sanitize(name)} up to ${money(cap)} until ${formatClock(until, view)}`]
  const asked = request && decimal(request.cap)
  if (asked !== undefined && cap.lt(asked))
    lines.push(
      `This is less than the cap of ${money(asked)} that ${sanitize(request?.role ?? '')} asked for.`,
    )
  const other = findCovering(cap, approvals)
  if (other !== undefined && cap.lt(decimal(other.cap)))
    lines.push(
      `The approval by ${sanitize(other.role)} up to ${money(decimal(other.cap))} also stays valid until ${formatClock(other.until, view)}.`,
    )
  return [
    ...lines,
    `Buy the batch: ${view.suggest`batch run ${name} ${{ 'max-total': formatDecimal(cap) }}`}`,
  ]
}
