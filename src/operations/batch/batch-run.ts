// The shared state of a running batch.

import { zero } from '../../contract/money/decimal.ts'
import type { BudgetDetails, Failure } from '../../errors.ts'
import type { Batch, StopReason } from '../../journal/batches/batches.ts'
import type { Observer } from '../observe.ts'
import type { Session } from '../session.ts'
import type { DeliveryLimit } from './delivery-limit.ts'
import type { Pace } from './pace.ts'

export type BatchSetup = {
  readonly session: Session
  readonly batch: Batch
  readonly pace: Pace
  readonly counter: Counter
  /** At least 0 and less than 1. */
  readonly random: () => number
  /** Called each time that the run waits because other runs buy all slots that are left. */
  readonly onWaiting: () => Promise<void>
}

export type BatchRun = BatchSetup & {
  readonly observer: Observer
  readonly deliveries: DeliveryLimit
  /** The numbers of the orders that belong to this run, by slot. */
  readonly own: Map<number, number>
  /** The service's message by product, for products that it refused in this run when they were ordered alone. */
  readonly refused: Map<string, string>
}

/** Why a run waits, for example because the service is down. `since` is in milliseconds since the UNIX epoch. */
export type Trouble = { readonly reason: string; readonly since: number }

/** The facts that are known without the journal. */
export type Counter = ReturnType<typeof createCounter>

export const createCounter = () => ({
  /** Orders that are being created or confirmed. */
  countCalling: () => 0,
  /** Whether the service has created an order of the batch, in this run or an earlier one. */
  hasOrder: false,
  /** Orders that this process confirmed. */
  confirmed: 0,
  /** Their totals. */
  spent: zero,
  /** The ids of orders that this process, or an earlier one, may have confirmed. */
  unknown: new Set<string>(),
  /** The reason for the present wait, if any. */
  trouble: undefined as Trouble | undefined,
})

/** Without a failure, clears the trouble: the run no longer waits. */
export const recordTrouble = (counter: Counter, failure: Failure | undefined, now: number): void => {
  counter.trouble = failure && { reason: failure.message, since: counter.trouble?.since ?? now }
}

export type BatchEnd =
  /** No slot is left that this run can buy. */
  { readonly kind: 'ended'; readonly failure?: Failure } | Stopped | { readonly kind: 'interrupted' }

type Stopped = {
  readonly kind: 'stopped'
  readonly reason: StopReason | 'cancelled' | Failure
  /** The budget that does not allow the next order. */
  readonly budget?: BudgetDetails
  /** The next run would end in the same way, because the rows are wrong. */
  readonly needsNewRows?: true
}

export type SlotEnd =
  | { readonly kind: 'done' }
  /** Try the slot again after this time. */
  | { readonly kind: 'later'; readonly ms: number; readonly failure: Failure }
  /** A confirm may have spent, or a confirmed order cannot be read. */
  | {
      readonly kind: 'unknown'
      readonly failure: Failure
      /** Whether the journal had a confirmed order of the slot. */
      readonly isConfirmed: boolean
      readonly isNew?: true
    }
  /** The order is confirmed, but takes too long. A different run collects its cards. */
  | { readonly kind: 'slow'; readonly failure: Failure }
  /** A different run buys the slot. */
  | { readonly kind: 'taken' }
  /** A different run waits for the slot's cards. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'interrupted' }
  | Stopped
