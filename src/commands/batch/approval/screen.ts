// What an approver sees before the prompt: the plan, the cap, who asks for it, and an earlier approval.
import type { Context } from '../../../context.ts'
import { type Decimal, zero } from '../../../contract/decimal.ts'
import type { ApprovalState } from '../../../journal/batches/approvals.ts'
import { renderPlan } from '../../../ui/screens/batch/batch-plan.ts'
import { listEarlierFields } from '../../../ui/screens/limits/approvals.ts'
import { formatMoney } from '../../../ui/text/money.ts'
import { viewOf } from '../../shared/output/view-of.ts'
import type { FaceValue } from '../face-values.ts'
import type { Summarized } from '../screen.ts'

type Requested = Summarized & {
  readonly faceValues: readonly FaceValue[]
  readonly state: ApprovalState
  readonly cap: Decimal
}

export const requestScreen = (
  context: Context,
  { batch, summary, faceValues, state, cap }: Requested,
): string => {
  const view = viewOf(context, context.clock.now(), context.stderr)
  const money = (amount: Decimal): string => formatMoney(amount, batch.wallet)
  const fields = [
    ['Spent', summary.spent.gt(zero) ? money(summary.spent) : undefined] as const,
    ['Cap', view.theme.strong(money(cap))] as const,
    ...listEarlierFields(state, batch.wallet, view),
  ]
  return `${renderPlan({ batch, summary, faceValues, fields }, view)}\n`
}
