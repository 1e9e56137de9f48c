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

export type Outcome = {
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

export const decideOutcome = (lines: readonly OutcomeLine[], forced: ForcedOutcome | undefined): Outcome => {
  const all = lines.map((line) => line.sku)
  const refundAll = (state: string): Outcome => ({ state, delivered: new Set(), refunded: new Set(all) })
  const hasBehaviour = (behaviour: Behaviour) => lines.some((line) => line.behaviour === behaviour)
  if (forced === 'rejected' || (forced === undefined && hasBehaviour('reject'))) return refundAll('rejected')
  // An order in an undocumented state delivers no card and refunds nothing.
  if (forced === undefined && hasBehaviour('odd-state')) {
    return { state: 'under-review', delivered: new Set(), refunded: new Set() }
  }
  const refunded = new Set(findFailedLines(lines, forced))
  const delivered = new Set(all.filter((sku) => !refunded.has(sku)))
  if (delivered.size === 0) return refundAll('failed')
  return { state: refunded.size === 0 ? 'successful' : 'partial', delivered, refunded }
}

const findFailedLines = (lines: readonly OutcomeLine[], forced: ForcedOutcome | undefined): string[] => {
  const failed = lines.filter((line) => line.behaviour === 'fail' || line.short).map((line) => line.sku)
  switch (forced) {
    case 'successful':
      return []
    case 'failed':
      return lines.map((line) => line.sku)
    case 'partial':
      return failed.length > 0 && failed.length < lines.length
        ? failed
        : lines.slice(-1).map((line) => line.sku)
    default:
      return failed
  }
}
