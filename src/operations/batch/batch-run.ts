// What the parts of a running batch share.
import type { Decimal } from '../../contract/decimal.ts'
import type { Failure } from '../../errors.ts'
import type { Batch, StopReason } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import type { Spending } from '../deps.ts'
import type { Pace } from './pace.ts'
import type { Poller } from './poller.ts'
import type { RefusedProducts } from './refused-products.ts'

export type BatchRun = {
  readonly deps: Spending
  readonly batches: Batches
  readonly batch: Batch
  /** The highest total of all orders together. */
  readonly cap: Decimal
  readonly pace: Pace
  readonly poller: Poller
  readonly refused: RefusedProducts
  /** The ids of orders that this process created and did not finish. */
  readonly own: Set<string>
  readonly counter: Counter
}

type Counter = {
  /** Orders that are being created, confirmed or awaited. */
  inFlight: number
  /** Orders that this process confirmed. */
  confirmed: number
}

/** How a run of a batch ended. */
export type BatchEnd =
  /** No slot is left that this run can buy. */
  | { readonly kind: 'ended'; readonly failure?: Failure }
  | { readonly kind: 'stopped'; readonly reason: StopReason | 'cancelled' | Failure }
  | { readonly kind: 'interrupted' }
