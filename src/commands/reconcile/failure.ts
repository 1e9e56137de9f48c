// The failure of `orderctl reconcile`: why an order could not be checked or settled. The result is printed first.
import { formatUtcTime } from '../../contract/timestamp.ts'
import { Failure, type Fix } from '../../errors.ts'
import type { Suggest } from '../../text/suggest.ts'
import { nextStep, type ReconciledRow } from '../../ui/screens/reconciled.ts'
import { describeCount } from '../../ui/text/counts.ts'
import { describeUnknownOrders } from '../shared/unknown-orders.ts'

type Asked = {
  /** The order or batch in the command. */
  readonly named: string | undefined
  readonly now: number
  /** The result is a screen, which names the next step of each order. */
  readonly printsSteps: boolean
}

/** An unproven confirm outweighs a service that does not answer. */
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
    ...(orderId === undefined ? {} : { orderId }),
    ...(provenAt === undefined ? {} : { safeFrom: formatUtcTime(provenAt) }),
    ...(printsSteps ? {} : { fix: (suggest: Suggest) => nextStep(row, { now, suggest }) }),
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
