// Polls orders until each is final or has reached the requested state.
import type { Api } from '../client/api.ts'
import type { Outcome } from '../client/outcome.ts'
import type { Clock } from '../contract/clock.ts'
import type { Order } from '../contract/schemas.ts'
import { hasReached, isFinal, pendingState } from '../contract/states.ts'
import { toMilliseconds } from '../contract/timestamp.ts'
import { Failure } from '../errors.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { assumeExpiry, hasExpired } from './expiry.ts'
import { createReadFailure, createSpentFailure } from './outcome-failures.ts'
import { interruption } from './read.ts'

export type WatchOptions = {
  readonly api: Api
  readonly clock: Clock
  readonly random: () => number
  readonly interrupted: AbortSignal
  /** Also stops when an order has reached or passed this state. */
  readonly forState?: string | undefined
  /** Without it, the interval grows while nothing changes. */
  readonly intervalMs?: number | undefined
  readonly timeoutMs?: number | undefined
  /** The orders exist, so `not found` is a temporary answer. */
  readonly known?: boolean | undefined
  /** The expiry, if the caller knows it. */
  readonly expiresAt?: (orderId: string) => number | undefined
  /** Called for the first state and each change. */
  readonly onState: (order: Order) => void | Promise<void>
  /** Called when an order is not watched any more. */
  readonly onEnd?: (orderId: string) => void
  readonly onPollError: (orderId: string, reason: string) => void
  /** Called once a second between polls. */
  readonly onTick?: () => void
}

const firstIntervalMs = 1_000
const maxIntervalMs = 10_000
/** Failed reads before watch gives up on an order that it never saw. */
const maxFailedReads = 5
const growth = 1.5

/** Returns the last answer for each order, in the given sequence. */
export const watch = async (orderIds: readonly string[], options: WatchOptions): Promise<Order[]> => {
  const { clock, interrupted, timeoutMs } = options
  // A timeout or an interruption also aborts a request in progress.
  const timeout = new AbortController()
  const done = new AbortController()
  if (timeoutMs !== undefined) {
    void clock.sleep(timeoutMs, done.signal).then(() => {
      if (!done.signal.aborted) timeout.abort(new Error('timed out'))
    })
  }
  try {
    return await pollUntilDone(orderIds, options, AbortSignal.any([interrupted, timeout.signal]))
  } finally {
    done.abort()
  }
}

type Progress = {
  readonly seen: Map<string, Order>
  readonly open: Set<string>
  /** The number of failed reads of each order. */
  readonly failedReads: Map<string, number>
}

const pollUntilDone = async (
  orderIds: readonly string[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<Order[]> => {
  const { clock, interrupted, timeoutMs, intervalMs, random } = options
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs
  const progress: Progress = { seen: new Map(), open: new Set(orderIds), failedReads: new Map() }
  const { seen, open } = progress
  let interval = intervalMs ?? firstIntervalMs

  for (;;) {
    const changes = await Promise.all([...open].map((id) => pollOnce(id, progress, options, signal)))
    if (open.size === 0) return orderIds.flatMap((id) => seen.get(id) ?? [])
    if (interrupted.aborted) throw createStoppedFailure(interrupted, open)
    if (signal.aborted || clock.monotonic() >= deadline) throw createTimedOutFailure(open)
    if (intervalMs === undefined) {
      interval = changes.includes(true) ? firstIntervalMs : Math.min(interval * growth, maxIntervalMs)
    }
    // Jitter keeps many watchers from polling at the same moment.
    const jittered = intervalMs ?? interval * (0.8 + 0.4 * random())
    await pause(Math.max(0, Math.min(jittered, deadline - clock.monotonic())), options)
    if (interrupted.aborted) throw createStoppedFailure(interrupted, open)
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

// No documented state means 'expired': the order stays pending.
const isExpired = (
  order: Order,
  serverTime: number | undefined,
  expiresAt: WatchOptions['expiresAt'],
): boolean =>
  order.state === pendingState &&
  serverTime !== undefined &&
  hasExpired(expiresAt?.(order.uid) ?? assumeExpiry(toMilliseconds(order.createdDate)), serverTime)

const pollOnce = async (
  id: string,
  { seen, open, failedReads }: Progress,
  { api, expiresAt, forState, known, onState, onEnd, onPollError }: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const outcome = await api.get(id, { signal })
  const before = seen.get(id)
  if (outcome.kind !== 'done') {
    if (signal.aborted) return false
    const count = (failedReads.get(id) ?? 0) + 1
    failedReads.set(id, count)
    const isHopeless = count >= maxFailedReads && before === undefined && known !== true
    if (isHopeless || !isTemporary(outcome, before !== undefined, known === true)) {
      throw known === true ? createSpentFailure(outcome, id) : createReadFailure(outcome, { orderId: id })
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
  ) {
    open.delete(id)
    onEnd?.(id)
  }
  if (before?.state === order.state) return false
  await onState(order)
  return true
}

/** An address that never answered, or an order that was never seen, is a mistake of the user. */
const isTemporary = (
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

const joinIds = (open: ReadonlySet<string>): string => [...open].join(' ')
const quoteIds = (open: ReadonlySet<string>): string => [...open].map(quoteShellWord).join(' ')

/** Scripts read the order id from the details. */
const toDetails = (open: ReadonlySet<string>) => {
  const [orderId] = open.size === 1 ? open : []
  return orderId === undefined ? {} : { orderId }
}

const createTimedOutFailure = (open: ReadonlySet<string>): Failure =>
  new Failure('timed-out', `timed out; not final yet: ${joinIds(open)}`, {
    ...toDetails(open),
    fix: `Keep watching: orderctl watch ${quoteIds(open)}`,
    retryable: true,
  })

const createStoppedFailure = (signal: AbortSignal, open: ReadonlySet<string>): Failure =>
  interruption(signal, `stopped watching; ${open.size === 1 ? 'the order goes on' : 'the orders go on'}`, {
    ...toDetails(open),
    fix: `Keep watching: orderctl watch ${quoteIds(open)}`,
  })
