// Watches orders until each is final, or in the state that is waited for.
import type { Api } from '../client/api.ts'
import type { Outcome } from '../client/outcome.ts'
import type { Clock } from '../contract/clock.ts'
import type { Order } from '../contract/schemas.ts'
import { hasReached, isFinal } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { readFailure, spentFailure } from './failure-of.ts'
import { interruption } from './read.ts'

export type WatchOptions = {
  readonly api: Api
  readonly clock: Clock
  readonly random: () => number
  readonly interrupted: AbortSignal
  /** Stops there too, or past it. */
  readonly forState?: string | undefined
  /** Fixed; else it grows while nothing happens. */
  readonly intervalMs?: number | undefined
  readonly timeoutMs?: number | undefined
  /** The orders exist: one that is not found is not found yet. */
  readonly known?: boolean | undefined
  /** Told of the first state and of each change. */
  readonly onState: (order: Order) => void | Promise<void>
  readonly onPollError: (orderId: string, reason: string) => void
  /** Told before each wait. */
  readonly onWait?: () => void
}

const firstIntervalMs = 1_000
const longestIntervalMs = 10_000
const growth = 1.5

/** The last state seen of each order, in the order given. */
export const watch = async (orderIds: readonly string[], options: WatchOptions): Promise<Order[]> => {
  const { clock, interrupted, timeoutMs } = options
  // Neither a time-out nor an interruption waits for an answer that is under way.
  const late = new AbortController()
  const over = new AbortController()
  if (timeoutMs !== undefined) {
    void clock.sleep(timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) late.abort(new Error('time is up'))
    })
  }
  try {
    return await rounds(orderIds, options, AbortSignal.any([interrupted, late.signal]))
  } finally {
    over.abort()
  }
}

const rounds = async (
  orderIds: readonly string[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<Order[]> => {
  const { clock, interrupted, timeoutMs, intervalMs, random } = options
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeoutMs
  const seen = new Map<string, Order>()
  const open = new Set(orderIds)
  let interval = intervalMs ?? firstIntervalMs

  for (;;) {
    const changes = await Promise.all([...open].map((id) => poll(id, seen, open, options, signal)))
    if (open.size === 0) return orderIds.flatMap((id) => seen.get(id) ?? [])
    if (interrupted.aborted) throw stopped(interrupted, open)
    if (signal.aborted || clock.now() >= deadline) throw timedOut(open)
    if (intervalMs === undefined) {
      interval = changes.includes(true) ? firstIntervalMs : Math.min(interval * growth, longestIntervalMs)
    }
    options.onWait?.()
    // Spread, so that many watchers do not ask at the same moment.
    const jittered = intervalMs ?? interval * (0.8 + 0.4 * random())
    await clock.sleep(Math.max(0, Math.min(jittered, deadline - clock.now())), interrupted)
    if (interrupted.aborted) throw stopped(interrupted, open)
  }
}

const poll = async (
  id: string,
  seen: Map<string, Order>,
  open: Set<string>,
  { api, forState, known, onState, onPollError }: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const outcome = await api.get(id, { signal })
  const before = seen.get(id)
  if (outcome.kind !== 'done') {
    if (signal.aborted) return false
    if (!mayPass(outcome, before !== undefined, known === true)) {
      throw known === true ? spentFailure(outcome, id) : readFailure(outcome, { orderId: id })
    }
    onPollError(id, outcome.kind === 'refused' ? outcome.message : outcome.reason)
    return false
  }
  const order = outcome.data
  seen.set(id, order)
  if (isFinal(order.state) || (forState !== undefined && hasReached(order.state, forState))) open.delete(id)
  if (before?.state === order.state) return false
  await onState(order)
  return true
}

/** What can pass is waited out; an address that never answered, or an order that was never seen, is a mistake. */
const mayPass = (
  outcome: Exclude<Outcome<Order>, { kind: 'done' }>,
  wasSeen: boolean,
  known: boolean,
): boolean => {
  switch (outcome.kind) {
    case 'unknown':
      return true
    case 'not-sent':
      return wasSeen || known
    case 'refused':
      if (outcome.refusal === 'credentials') return false
      return wasSeen || (known && outcome.refusal === 'order-not-found')
  }
}

const names = (open: ReadonlySet<string>): string => [...open].join(' ')

const timedOut = (open: ReadonlySet<string>): Failure =>
  new Failure('timed-out', `stopped waiting; not final yet: ${names(open)}`, {
    fix: `The order goes on. orderctl watch ${names(open)}`,
    retryable: true,
  })

const stopped = (signal: AbortSignal, open: ReadonlySet<string>): Failure =>
  interruption(signal, `stopped watching; the order goes on: ${names(open)}`, {
    fix: `orderctl watch ${names(open)}`,
  })
