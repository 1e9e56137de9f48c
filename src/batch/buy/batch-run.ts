// The state that a running batch shares: the slots that it works on (ready, in progress, or postponed), and how many of its
// orders may wait for their cards. A service that fails every order is noticed before many are bought.

import { zero } from '../../contract/money/decimal.ts'
import { type Clock, createAlarm } from '../../contract/time.ts'
import type { BudgetDetails, Failure } from '../../errors.ts'
import type { Batch, StopReason } from '../../journal/batches/batches.ts'
import type { Observer } from '../../operations/observe.ts'
import type { Pace } from '../../operations/parallel.ts'
import type { Session } from '../../operations/session.ts'

export type SlotQueue = ReturnType<typeof createSlotQueue>

/**
 * The activity of a slot in progress: it sends requests, waits for the outcome of a confirm, or waits for its cards.
 */
export type Stage = 'calling' | 'settling' | 'delivering'

export const createSlotQueue = (clock: Clock) => {
  let ready = new Set<number>()
  const postponed = new Map<number, number>()
  const working = new Set<Promise<void>>()
  const counts: Record<Stage, number> = { calling: 0, settling: 0, delivering: 0 }
  const alarm = createAlarm(clock)

  return {
    /** Ends `wait`. */
    notify: alarm.ring,
    next: (): number | undefined => {
      const now = clock.monotonic()
      const due = [...postponed].filter(([, at]) => at <= now).map(([slot]) => slot)
      for (const slot of due) postponed.delete(slot)
      // A postponed slot goes first, because its order may expire.
      ready = new Set([...due, ...ready])
      const [slot] = ready
      if (slot !== undefined) ready.delete(slot)
      return slot
    },
    add: (more: readonly number[]): void => {
      for (const slot of more) ready.add(slot)
      alarm.ring()
    },
    dropReady: (): void => ready.clear(),
    postpone: (slot: number, ms: number): void => {
      postponed.set(slot, clock.monotonic() + ms)
    },
    countReady: (): number => ready.size,
    /** The slots that are not in progress. */
    listWaiting: (): number[] => [...ready, ...postponed.keys()],
    count: (stage: Stage): number => counts[stage],
    isIdle: (): boolean => working.size === 0 && ready.size === 0 && postponed.size === 0,

    /** The work begins by calling. */
    start: (work: (enter: (next: Stage) => void) => Promise<void>): void => {
      let stage: Stage = 'calling'
      counts[stage] += 1
      const enter = (next: Stage): void => {
        counts[stage] -= 1
        stage = next
        counts[stage] += 1
        alarm.ring()
      }
      const done = work(enter).finally(() => {
        working.delete(done)
        counts[stage] -= 1
        alarm.ring()
      })
      working.add(done)
    },

    /** Resolves when a slot has ended, one is due again, the time is over, or the signal aborts. */
    wait: async (ms: number, signal: AbortSignal): Promise<void> => {
      const now = clock.monotonic()
      // A slot that is due already waits for a different slot to end.
      const times = [...postponed.values()].filter((at) => at > now)
      await alarm.sleep(Math.min(ms, ...times.map((at) => at - now)), signal)
    },

    finish: async (): Promise<void> => {
      while (working.size > 0) await Promise.all(working)
    },
  }
}

const fewest = 16
export const mostWaiting = 500

type DeliveryLimit = ReturnType<typeof createDeliveryLimit>

export const createDeliveryLimit = () => {
  let limit = fewest
  let successes = 0
  return {
    limit: (): number => limit,
    /** Twice as many may wait when as many have become successful. Half as many after an order that failed. */
    record: (isSuccess: boolean): void => {
      successes = isSuccess ? successes + 1 : 0
      if (!isSuccess) limit = Math.max(1, Math.floor(limit / 2))
      if (successes < limit) return
      limit = Math.min(limit * 2, mostWaiting)
      successes = 0
    },
  }
}

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
