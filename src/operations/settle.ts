// Finds out what became of a confirm that was not answered by a valid success: asks for the order, for a while.
import { withDeadline } from '../client/deadline.ts'
import type { Order } from '../contract/schemas.ts'
import { isPastPending, pendingState } from '../contract/states.ts'
import type { Deps } from './deps.ts'

/** When the order is asked for, counted from the moment at which the answer came or was lost. */
const afterMs = [1_000, 2_000, 5_000, 10_000, 20_000, 40_000]

/** Bounds the whole, however long the single calls take. */
export const settlingMs = 80_000

export type Settled =
  /** The confirm took effect, or another one of this order did. */
  | { readonly kind: 'confirmed'; readonly order: Order }
  /** The service refused, and the order is not confirmed so far. */
  | { readonly kind: 'unconfirmed'; readonly order: Order }
  | { readonly kind: 'unknown'; readonly order?: Order }

export type SettleOptions = {
  readonly orderId: string
  /** An answer came, so the order can be asked for at once. */
  readonly isAnswered: boolean
  /** The status of the answer says that the service refused before it acted. */
  readonly isRefusal: boolean
  /** Whether an answer is about the order that was confirmed. */
  readonly isSameOrder: (order: Order) => boolean
}

export const settle = (deps: Deps, options: SettleOptions): Promise<Settled> =>
  withDeadline(settlingMs, deps.clock, deps.interrupted, (signal) => askRepeatedly(deps, options, signal))

const askRepeatedly = async (
  { api, clock }: Deps,
  { orderId, isAnswered, isRefusal, isSameOrder }: SettleOptions,
  signal: AbortSignal,
): Promise<Settled> => {
  const startedAt = clock.monotonic()
  let last: Order | undefined
  for (const ms of isAnswered ? [0, ...afterMs] : afterMs) {
    const wait = ms - (clock.monotonic() - startedAt)
    if (wait > 0) await clock.sleep(wait, signal)
    if (signal.aborted) break
    const outcome = await api.get(orderId, { signal })
    if (outcome.kind !== 'done' || !isSameOrder(outcome.data)) continue
    last = outcome.data
    if (isPastPending(last.state)) return { kind: 'confirmed', order: last }
    if (isRefusal && last.state === pendingState) return { kind: 'unconfirmed', order: last }
  }
  return last === undefined ? { kind: 'unknown' } : { kind: 'unknown', order: last }
}
