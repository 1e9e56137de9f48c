// Polls the open orders of a batch until each is final. Reads an order at once if the journal shows that it is. A batch
// has at most 72 open orders, so each has a timer of its own.
import { createAlarm, repeat } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import { isFinal } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { createSpentFailure } from '../outcome-failures.ts'
import { type Asking, requestOrder } from '../read.ts'
import type { Session } from '../session.ts'
import { createOrderChanges, lookEveryMs, type ReadShownOrders } from '../watch/order-changes.ts'
import type { Pace } from './pace.ts'

export type PollerSession = Asking &
  Pick<Session, 'clock' | 'interrupted'> &
  Pick<Pace, 'ready'> & {
    /** At least 0 and less than 1. */
    readonly random: () => number
    /** How many orders may be read at once now. At least one always may. */
    readonly concurrency: () => number
    /** What the journal shows of the orders. */
    readonly readShown?: ReadShownOrders | undefined
    /** Called after each read: with why it failed, or undefined. */
    readonly onRead?: (problem: Failure | undefined) => void
  }

export type PollResult =
  | { readonly kind: 'final'; readonly order: Order }
  /** The poller was stopped or interrupted. */
  | { readonly kind: 'stopped' }
  /** The order was not final for too long, as in an undocumented state that never changes. */
  | { readonly kind: 'slow'; readonly state: string }
  /** Too many reads in a row failed. The failure is that of the last read. */
  | { readonly kind: 'lost'; readonly failure: Failure }

const firstIntervalMs = 250
const maxIntervalMs = 10_000
const growth = 1.5

/** Consecutive failed reads before an order counts as lost. They take about 2 minutes. */
const maxFailedReads = 20

/** A batch that waits longer would hold up its other orders. */
const maxWaitMs = 30 * 60_000

type OpenOrder = PromiseWithResolvers<PollResult> & { readonly alarm: ReturnType<typeof createAlarm> }

export type Poller = ReturnType<typeof createPoller>

export const createPoller = (session: PollerSession) => {
  const { clock, interrupted, random, concurrency, ready, readShown, onRead } = session
  const open = new Map<string, OpenOrder>()
  const reading = new Set<Promise<Order | Failure>>()
  const waiting: (() => void)[] = []
  const stopping = new AbortController()
  const signal = AbortSignal.any([interrupted, stopping.signal])

  const admit = (): void => {
    if (reading.size < Math.max(1, concurrency())) waiting.shift()?.()
  }

  /** Waits until the order may be read. */
  const read = async (orderId: string): Promise<Order | Failure> => {
    await ready(signal)
    const { promise, resolve } = Promise.withResolvers<Order | Failure>()
    waiting.push(() => {
      const done = readOrFail(session, orderId, signal).finally(() => {
        reading.delete(done)
        admit()
      })
      reading.add(done)
      resolve(done)
      admit()
    })
    admit()
    return promise
  }

  const poll = async (orderId: string, { alarm }: OpenOrder): Promise<PollResult> => {
    const since = clock.monotonic()
    let failedReads = 0
    let intervalMs = firstIntervalMs
    await alarm.sleep(intervalMs, signal)
    for (;;) {
      if (signal.aborted) return { kind: 'stopped' }
      const found = await read(orderId)
      onRead?.(found instanceof Failure ? found : undefined)
      failedReads = found instanceof Failure ? failedReads + 1 : 0
      if (found instanceof Failure) {
        if (failedReads >= maxFailedReads) return { kind: 'lost', failure: found }
      } else if (isFinal(found.state)) return { kind: 'final', order: found }
      // An undocumented state may still change.
      else if (clock.monotonic() - since > maxWaitMs) return { kind: 'slow', state: found.state }
      intervalMs = Math.min(intervalMs * growth, maxIntervalMs)
      // Jitter spreads the reads of orders that were confirmed together.
      await alarm.sleep(Math.round(intervalMs * (0.81 + 0.38 * random())), signal)
    }
  }

  const look = createOrderChanges({
    clock,
    read: readShown,
    // The cards are only in a response.
    onChange: ({ orderId, state }) => {
      if (isFinal(state)) open.get(orderId)?.alarm.ring()
    },
  })
  let isLooking = false
  const lookWhileOpen = async (): Promise<void> => {
    if (isLooking || readShown === undefined) return
    isLooking = true
    await repeat(clock, signal, () => {
      look(open.keys())
      return open.size > 0 ? lookEveryMs : undefined
    })
    isLooking = false
  }

  const untilFinal = async (orderId: string): Promise<PollResult> => {
    if (signal.aborted) return { kind: 'stopped' }
    const known = open.get(orderId)
    if (known !== undefined) return known.promise
    const order = { ...Promise.withResolvers<PollResult>(), alarm: createAlarm(clock) }
    open.set(orderId, order)
    void lookWhileOpen()
    poll(orderId, order)
      .then(order.resolve, order.reject)
      .finally(() => open.delete(orderId))
    return order.promise
  }

  const stopAll = (): void => {
    for (const order of open.values()) order.resolve({ kind: 'stopped' })
  }
  signal.addEventListener('abort', stopAll, { once: true })

  return {
    /** Rejects only on a defect. */
    untilFinal,
    /** Aborts the reads in progress. All open orders are `stopped`. */
    stop: () => stopping.abort(),
    /** Stops, and resolves when no read is in progress, so that the journal can be closed. */
    finish: async () => {
      stopping.abort()
      while (reading.size > 0) await Promise.allSettled(reading)
    },
  }
}

const readOrFail = (session: Asking, orderId: string, signal: AbortSignal): Promise<Order | Failure> =>
  requestOrder(session, orderId, signal).then(
    (outcome) => (outcome.kind === 'done' ? outcome.data : createSpentFailure(outcome, orderId)),
    (error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    },
  )
