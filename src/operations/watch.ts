// Watches orders until each is final, or in the state that is waited for.
import type { Api } from '../client/api.ts'
import type { Outcome } from '../client/outcome.ts'
import type { Clock } from '../contract/clock.ts'
import type { Order } from '../contract/schemas.ts'
import { hasReached, isFinal, pendingState } from '../contract/states.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import { Failure } from '../errors.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { assumedExpiry, hasExpired } from './expiry.ts'
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
  /** Where it is known when an order expires. */
  readonly expiresAt?: (orderId: string) => number | undefined
  /** Told of the first state and of each change. */
  readonly onState: (order: Order) => void | Promise<void>
  readonly onPollError: (orderId: string, reason: string) => void
  /** Told each second of a wait. */
  readonly onTick?: () => void
}

const firstIntervalMs = 1_000
const longestIntervalMs = 10_000
/** So often may an address answer nonsense before it is taken for a wrong one. */
const patience = 5
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

type Memory = {
  readonly seen: Map<string, Order>
  readonly open: Set<string>
  /** How often each could not be read. */
  readonly unread: Map<string, number>
}

const rounds = async (
  orderIds: readonly string[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<Order[]> => {
  const { clock, interrupted, timeoutMs, intervalMs, random } = options
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs
  const memory: Memory = { seen: new Map(), open: new Set(orderIds), unread: new Map() }
  const { seen, open } = memory
  let interval = intervalMs ?? firstIntervalMs

  for (;;) {
    const changes = await Promise.all([...open].map((id) => poll(id, memory, options, signal)))
    if (open.size === 0) return orderIds.flatMap((id) => seen.get(id) ?? [])
    if (interrupted.aborted) throw stopped(interrupted, open)
    if (signal.aborted || clock.monotonic() >= deadline) throw timedOut(open)
    if (intervalMs === undefined) {
      interval = changes.includes(true) ? firstIntervalMs : Math.min(interval * growth, longestIntervalMs)
    }
    // Spread, so that many watchers do not ask at the same moment.
    const jittered = intervalMs ?? interval * (0.8 + 0.4 * random())
    await pause(Math.max(0, Math.min(jittered, deadline - clock.monotonic())), options)
    if (interrupted.aborted) throw stopped(interrupted, open)
  }
}

const tickMs = 1_000

const pause = async (ms: number, { clock, interrupted, onTick }: WatchOptions): Promise<void> => {
  if (onTick === undefined) return clock.sleep(ms, interrupted)
  for (let left = ms; left > 0 && !interrupted.aborted; left -= tickMs) {
    await clock.sleep(Math.min(left, tickMs), interrupted)
    onTick()
  }
}

// It stays pending for ever: no documented state says 'expired'.
const isExpired = (
  order: Order,
  serverTime: number | undefined,
  expiresAt: WatchOptions['expiresAt'],
): boolean =>
  order.state === pendingState &&
  serverTime !== undefined &&
  hasExpired(expiresAt?.(order.uid) ?? assumedExpiry(toMilliseconds(order.createdDate)), serverTime)

const poll = async (
  id: string,
  { seen, open, unread }: Memory,
  { api, expiresAt, forState, known, onState, onPollError }: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const outcome = await api.get(id, { signal })
  const before = seen.get(id)
  if (outcome.kind !== 'done') {
    if (signal.aborted) return false
    const count = (unread.get(id) ?? 0) + 1
    unread.set(id, count)
    const isHopeless = count >= patience && before === undefined && known !== true
    if (isHopeless || !mayPass(outcome, before !== undefined, known === true)) {
      throw known === true ? spentFailure(outcome, id) : readFailure(outcome, { orderId: id })
    }
    onPollError(id, outcome.kind === 'refused' ? outcome.message : outcome.reason)
    return false
  }
  const order = outcome.data
  seen.set(id, order)
  if (
    isFinal(order.state) ||
    isExpired(order, outcome.serverTime, expiresAt) ||
    (forState !== undefined && hasReached(order.state, forState))
  )
    open.delete(id)
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
const words = (open: ReadonlySet<string>): string => [...open].map(quoteShellWord).join(' ')

/** A script reads the id, not the message. */
const detailsOf = (open: ReadonlySet<string>) => {
  const [orderId] = open.size === 1 ? open : []
  return orderId === undefined ? {} : { orderId }
}

const timedOut = (open: ReadonlySet<string>): Failure =>
  new Failure('timed-out', `stopped waiting; not final yet: ${names(open)}`, {
    ...detailsOf(open),
    fix: `The order goes on. orderctl watch ${words(open)}`,
    retryable: true,
  })

const stopped = (signal: AbortSignal, open: ReadonlySet<string>): Failure =>
  interruption(signal, `stopped watching; the order goes on: ${names(open)}`, {
    ...detailsOf(open),
    fix: `orderctl watch ${words(open)}`,
  })
