// Polls all open orders of a batch in one loop until each is final. Reads an order at once if the journal shows that it is.

import type { Order } from '../../contract/schemas.ts'
import { isFinal } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { createSpentFailure } from '../outcome-failures.ts'
import type { Session } from '../session.ts'
import { createOrderChanges, type ReadShownOrders } from '../watch/order-changes.ts'
import { createDueLoop } from './due-loop.ts'
import type { Pace } from './pace.ts'

export type Poller = {
  /** Rejects only on a defect. */
  readonly untilFinal: (orderId: string) => Promise<PollResult>
  /** Aborts the reads in progress. All open orders are `stopped`. */
  readonly stop: () => void
  /** Resolves when no read is in progress, so that the journal can be closed. */
  readonly finish: () => Promise<void>
}

export type PollerSession = Pick<Session, 'api' | 'clock' | 'interrupted'> &
  Pick<Pace, 'ready'> & {
    /** At least 0 and less than 1. */
    readonly random: () => number
    /** How many orders may be read at once now. */
    readonly concurrency: () => number
    /** What the journal shows of the orders. */
    readonly readShown?: ReadShownOrders | undefined
  }

const firstIntervalMs = 250
const maxIntervalMs = 10_000
const growth = 1.5

export const createPoller = (session: PollerSession): Poller => {
  const { clock, interrupted, random, concurrency, ready, readShown } = session
  const open = new Map<string, OpenOrder>()
  const reading = new Set<Promise<void>>()
  const stopping = new AbortController()
  const signal = AbortSignal.any([interrupted, stopping.signal])

  const look = createOrderChanges({
    clock,
    read: readShown,
    // The cards are only in a response.
    onChange: ({ orderId, state }) => {
      const order = open.get(orderId)
      if (order !== undefined && isFinal(state)) loop.hasten(order)
    },
  })

  const read = async (order: OpenOrder): Promise<void> => {
    const result = await pollOnce(session, order, signal).catch((error: unknown) => ({ error }))
    if (result === undefined) {
      order.intervalMs = Math.min(order.intervalMs * growth, maxIntervalMs)
      // Jitter spreads the reads of orders that were confirmed together.
      loop.add(order.intervalMs * (0.8 + 0.4 * random()), order)
      return
    }
    open.delete(order.id)
    if ('error' in result) order.reject(result.error)
    else order.resolve(result)
  }
  const work = (order: OpenOrder): Promise<void> => {
    const done = read(order).finally(() => reading.delete(done))
    reading.add(done)
    return done
  }
  const onTick = readShown && (() => look(open.keys()))
  const loop = createDueLoop({ clock, concurrency, ready, signal, work, onTick })

  const stopAll = (): void => {
    for (const order of open.values()) order.resolve({ kind: 'stopped' })
    open.clear()
  }
  signal.addEventListener('abort', stopAll, { once: true })

  const untilFinal = async (orderId: string): Promise<PollResult> => {
    if (signal.aborted) return { kind: 'stopped' }
    const known = open.get(orderId)
    if (known !== undefined) return known.promise
    const state = { id: orderId, since: clock.monotonic(), intervalMs: firstIntervalMs, failedReads: 0 }
    const order = { ...Promise.withResolvers<PollResult>(), ...state }
    open.set(orderId, order)
    loop.add(firstIntervalMs, order)
    return order.promise
  }

  const finish = async (): Promise<void> => {
    while (reading.size > 0) await Promise.all(reading)
  }

  return { untilFinal, stop: () => stopping.abort(), finish }
}

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

type OpenOrder = PromiseWithResolvers<PollResult> & {
  /** Monotonic. */
  readonly since: number
  readonly id: string
  intervalMs: number
  failedReads: number
}

/** Returns undefined if the order must be read again. An undocumented state may still change. */
const pollOnce = async (
  { api, clock }: Pick<Session, 'api' | 'clock'>,
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
  api: Session['api'],
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
