// The states of an order after its confirmation, computed from the time (order-service.md 3).
import type { Behaviour } from './catalogue.ts'

/** Fixed when the order is confirmed. */
export type Schedule = {
  readonly confirmedAt: number
  readonly processingAt: number
  readonly finalAt: number
}

/** The fields of an order line that decide its outcome. `short`: the stock ran out before the confirmation. */
export type OutcomeLine = { readonly sku: string; readonly behaviour?: Behaviour; readonly short?: boolean }

export const forcibleOutcomes = ['successful', 'partial', 'failed', 'rejected'] as const
export type ForcedOutcome = (typeof forcibleOutcomes)[number]

export type ConfirmResult = {
  readonly state: string
  readonly delivered: ReadonlySet<string>
  readonly refunded: ReadonlySet<string>
}

const slowProcessingMs = 60_000

/** An order is `confirmed` for a quarter of its processing time, and `processing` for the rest. */
export const scheduleOutcome = (
  confirmedAt: number,
  processingMs: number,
  lines: readonly OutcomeLine[],
): Schedule => {
  const isSlow = lines.some((line) => line.behaviour === 'slow')
  const duration = isSlow ? Math.max(slowProcessingMs, processingMs) : processingMs
  return {
    confirmedAt,
    processingAt: confirmedAt + Math.floor(duration / 4),
    finalAt: confirmedAt + duration,
  }
}

export const canEndAs = (outcome: ForcedOutcome, lines: readonly OutcomeLine[]): boolean =>
  outcome !== 'partial' || lines.length > 1

export const decideOutcome = (
  lines: readonly OutcomeLine[],
  forced: ForcedOutcome | undefined,
): ConfirmResult => {
  const all = new Set(lines.map(({ sku }) => sku))
  const none: ReadonlySet<string> = new Set()
  const hasBehaviour = (behaviour: Behaviour) =>
    forced === undefined && lines.some((line) => line.behaviour === behaviour)
  if (forced === 'rejected' || hasBehaviour('reject'))
    return { state: 'rejected', delivered: none, refunded: all }
  // An order in an undocumented state delivers no card and refunds nothing.
  if (hasBehaviour('odd-state')) return { state: 'under-review', delivered: none, refunded: none }
  const refunded = new Set(listFailed(lines, forced).map(({ sku }) => sku))
  const delivered = all.difference(refunded)
  const state = delivered.size === 0 ? 'failed' : refunded.size === 0 ? 'successful' : 'partial'
  return { state, delivered, refunded }
}

const listFailed = (lines: readonly OutcomeLine[], forced: ForcedOutcome | undefined) => {
  if (forced === 'successful') return []
  if (forced === 'failed') return lines
  const failed = lines.filter((line) => line.behaviour === 'fail' || line.short)
  const isMixed = failed.length > 0 && failed.length < lines.length
  return forced === 'partial' && !isMixed ? lines.slice(-1) : failed
}
