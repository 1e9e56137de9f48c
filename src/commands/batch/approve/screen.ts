// What an approver sees: before the prompt the plan, the cap, who asks for it, and an earlier approval; then the result.
import type { Context } from '../../../context.ts'
import { type Decimal, decimal, formatDecimal, zero } from '../../../contract/decimal.ts'
import type { ApprovalState } from '../../../journal/batches/approvals.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import { findCovering } from '../../../operations/approval.ts'
import { type BatchRow, createKeyReader, type Product } from '../../../operations/batch/plan/rows.ts'
import type { Summarized } from '../../../operations/batch/summary.ts'
import { type RequestedView, renderPlan, renderRequested } from '../../../ui/screens/batch/batch-plan.ts'
import type { FaceValue } from '../../../ui/screens/batch/batches.ts'
import { listEarlierFields } from '../../../ui/screens/limits/approvals.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { formatMoney } from '../../../ui/text/amounts.ts'
import { formatClock } from '../../../ui/text/time.ts'
import { viewOf } from '../../shared/output/view-of.ts'

type Requested = Summarized & {
  readonly rows: readonly BatchRow[]
  readonly faceValues: readonly FaceValue[]
  readonly state: ApprovalState
  readonly cap: Decimal
}

/** The largest sum first. */
const addUpProducts = (rows: readonly BatchRow[]): RequestedView['products'] => {
  const readKey = createKeyReader()
  const products = new Map<string, Product & { readonly cards: number }>()
  for (const row of rows) {
    const key = readKey(row)
    products.set(key, { ...row, cards: (products.get(key)?.cards ?? 0) + row.quantity })
  }
  return [...products.values()]
    .map((product) => ({ ...product, sum: product.quote.times(decimal(String(product.cards))) }))
    .toSorted((one, other) => other.sum.cmp(one.sum))
}

export const requestScreen = (
  context: Context,
  { batch, summary, rows, faceValues, state, cap }: Requested,
): string => {
  const view = viewOf(context, context.clock.now(), context.stderr)
  const money = (amount: Decimal): string => formatMoney(amount, batch.wallet)
  const fields = [
    ['Spent', summary.spent.gt(zero) ? money(summary.spent) : undefined] as const,
    ['Cap', view.theme.strong(money(cap))] as const,
    ...listEarlierFields(state, batch.wallet, view),
  ]
  const showRows = view.suggest`batch show ${batch.name} --rows`
  const tables = renderRequested(
    { columns: batch.columns, rows, products: addUpProducts(rows), showRows },
    view,
  )
  return `${tables}\n${renderPlan({ batch, summary, faceValues, fields }, view)}\n`
}

type Approved = Pick<Requested, 'state' | 'cap'> & { readonly until: number }

/** `state` is that before the approval. */
export const approvedLines = (
  context: Context,
  { name, wallet }: Pick<Batch, 'name' | 'wallet'>,
  { state: { request, approvals }, cap, until }: Approved,
): { readonly line: string; readonly notes: readonly string[] } => {
  const view = viewOf(context)
  const money = (amount: Decimal): string => formatMoney(amount, wallet)
  const [shownName, role] = [sanitize(name), sanitize(request?.role ?? '')]
  const isLess = request !== undefined && cap.lt(decimal(request.cap))
  const larger = findCovering(cap, approvals)
  const isLarger = larger !== undefined && cap.lt(decimal(larger.cap))
  return {
    line: `Approved the batch ${shownName} up to ${money(cap)} until ${formatClock(until, view)}`,
    notes: [
      ...(isLess
        ? [`This is less than the cap of ${money(decimal(request.cap))} that ${role} asked for.`]
        : []),
      ...(isLarger
        ? [
            `The approval by ${sanitize(larger.role)} up to ${money(decimal(larger.cap))} also stays valid until ${formatClock(larger.until, view)}.`,
          ]
        : []),
      `Buy the batch: ${view.suggest`batch run ${name} ${{ 'max-total': formatDecimal(cap) }}`}`,
    ],
  }
}
