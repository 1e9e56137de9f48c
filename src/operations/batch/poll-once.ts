// Asks the service once about an order that a batch waits for.
import type { Order } from '../../contract/schemas.ts'
import { isFinal } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import type { Spending } from '../deps.ts'
import { createSpentFailure } from '../outcome-failures.ts'

/** Consecutive failed reads before an order counts as lost. They take about 2 minutes. */
const maxFailedReads = 20

/** A batch that waits longer would hold up its other orders. */
const maxWaitMs = 30 * 60_000

export type PollResult =
  | { readonly kind: 'final'; readonly order: Order }
  /** The poller was stopped or interrupted. */
  | { readonly kind: 'stopped' }
  /** The order was not final for too long, as in an undocumented state that never changes. */
  | { readonly kind: 'slow'; readonly state: string }
  /** Too many reads in a row failed. The failure is that of the last read. */
  | { readonly kind: 'lost'; readonly failure: Failure }

export type OpenOrder = PromiseWithResolvers<PollResult> & {
  /** Monotonic. */
  readonly since: number
  readonly id: string
  intervalMs: number
  failedReads: number
}

/** Returns undefined if the order must be read again. An undocumented state may still change. */
export const pollOnce = async (
  { api, clock }: Pick<Spending, 'api' | 'clock'>,
  order: OpenOrder,
  signal: AbortSignal,
): Promise<PollResult | undefined> => {
  const found = await readOrFail(api, order.id, signal)
  if (!(found instanceof Failure)) {
    order.failedReads = 0
    if (isFinal(found.state)) return { kind: 'final', order: found }
    const isSlow = clock.monotonic() - order.since > maxWaitMs
    return isSlow ? { kind: 'slow', state: found.state } : undefined
  }
  order.failedReads += 1
  return order.failedReads < maxFailedReads ? undefined : { kind: 'lost', failure: found }
}

const readOrFail = async (
  api: Spending['api'],
  orderId: string,
  signal: AbortSignal,
): Promise<Order | Failure> => {
  try {
    const outcome = await api.get(orderId, { signal })
    return outcome.kind === 'done' ? outcome.data : createSpentFailure(outcome, orderId)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
