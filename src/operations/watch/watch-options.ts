// What a watch is given.
import type { Api } from '../../client/api.ts'
import type { Clock } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import type { ReadShownOrders } from './order-changes.ts'
import type { Noticed } from './progress.ts'

export type WatchOptions = {
  readonly api: Api
  readonly clock: Clock
  readonly random: () => number
  readonly interrupted: AbortSignal
  /** Also stops when an order has reached or passed this state. */
  readonly forState?: string | undefined
  /** Without it, the interval grows while nothing changes, and orders that a listener receives are read rarely. */
  readonly intervalMs?: number | undefined
  readonly timeoutMs?: number | undefined
  /** The orders exist, so `not found` is a temporary response. */
  readonly known?: boolean | undefined
  /** The expiry, if the caller knows it. */
  readonly expiresAt?: (orderId: string) => number | undefined
  /** What the journal shows of the orders. */
  readonly readShown?: ReadShownOrders | undefined
  /** Called for the first state and each change. */
  readonly onState: (order: Order) => void | Promise<void>
  /**
   * Called instead of `onState` for a change that the journal shows. Without it, the service is asked for the order when
   * the journal shows a change.
   */
  readonly onNotice?: ((notice: Noticed) => void) | undefined
  /** Called when an order is not watched any more. */
  readonly onEnd?: (orderId: string) => void
  readonly onPollError: (orderId: string, reason: string) => void
  /** Called once a second between polls. */
  readonly onTick?: () => void
}
