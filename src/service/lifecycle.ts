// Section 3: how an order goes on after its confirmation. States follow from the time. Pure.
import type { Behaviour } from './catalogue.ts'

/** When what happens, fixed at the confirmation. */
export type Schedule = {
  readonly confirmedAt: number
  readonly processingAt: number
  readonly finalAt: number
}

/** One SKU of a confirmed order, as far as its fate depends on it. */
export type FatedLine = { readonly sku: string; readonly behaviour?: Behaviour; readonly short?: boolean }

export const forcibleOutcomes = ['successful', 'partial', 'failed', 'rejected'] as const
export type ForcedOutcome = (typeof forcibleOutcomes)[number]

export type Outcome = {
  readonly state: string
  readonly delivered: ReadonlySet<string>
  /** What failed is refunded. */
  readonly refunded: ReadonlySet<string>
}

const slowMs = 60_000

/** A quarter of the time `confirmed`, the rest `processing`, then the outcome. */
export const schedule = (
  confirmedAt: number,
  processingMs: number,
  lines: readonly FatedLine[],
): Schedule => {
  const slow = lines.some((line) => line.behaviour === 'slow')
  const duration = slow ? Math.max(slowMs, processingMs) : processingMs
  return {
    confirmedAt,
    processingAt: confirmedAt + Math.floor(duration / 4),
    finalAt: confirmedAt + duration,
  }
}

/** A single SKU cannot be partial. */
export const canEndAs = (outcome: ForcedOutcome, lines: readonly FatedLine[]): boolean =>
  outcome !== 'partial' || lines.length > 1

export const outcomeOf = (lines: readonly FatedLine[], forced: ForcedOutcome | undefined): Outcome => {
  const all = lines.map((line) => line.sku)
  const refusedWhole = (state: string): Outcome => ({ state, delivered: new Set(), refunded: new Set(all) })
  const has = (behaviour: Behaviour) => lines.some((line) => line.behaviour === behaviour)
  if (forced === 'rejected' || (forced === undefined && has('reject'))) return refusedWhole('rejected')
  // Nothing is known of such an order: it keeps its money and shows no card.
  if (forced === undefined && has('odd-state')) {
    return { state: 'under-review', delivered: new Set(), refunded: new Set() }
  }
  const refunded = new Set(failing(lines, forced))
  const delivered = new Set(all.filter((sku) => !refunded.has(sku)))
  if (delivered.size === 0) return refusedWhole('failed')
  return { state: refunded.size === 0 ? 'successful' : 'partial', delivered, refunded }
}

const failing = (lines: readonly FatedLine[], forced: ForcedOutcome | undefined): string[] => {
  const own = lines.filter((line) => line.behaviour === 'fail' || line.short).map((line) => line.sku)
  switch (forced) {
    case 'successful':
      return []
    case 'failed':
      return lines.map((line) => line.sku)
    case 'partial':
      return own.length > 0 && own.length < lines.length ? own : lines.slice(-1).map((line) => line.sku)
    default:
      return own
  }
}
