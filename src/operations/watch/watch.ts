// Polls orders until each is final or has reached the requested state. Also looks at what other processes record in the
// journal.

import type { Outcome } from '../../client/outcome.ts'
import { type Clock, createAlarm, within } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasReached, pendingState } from '../../contract/states.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { Failure, interruption } from '../../errors.ts'
import type { ShownOrder } from '../../journal/list-orders.ts'
import { assumeExpiry, hasExpired } from '../expiry.ts'
import { createReadFailure, createSpentFailure } from '../outcome-failures.ts'
import { type Asking, requestOrder } from '../read.ts'
import { createOrderChanges, lookEveryMs, type ReadShownOrders } from './order-changes.ts'
import {
  createProgress,
  getState,
  hasEnded,
  listWatched,
  type Noticed,
  noteChange,
  type Progress,
  type Watched,
} from './progress.ts'

const firstIntervalMs = 1_000
const maxIntervalMs = 10_000
const growth = 1.5

/** Returns the last state of each order, in the given sequence. Without `onNotice`, each has its response. */
export const watch = async (orderIds: readonly string[], options: WatchOptions): Promise<Watched[]> => {
  const { clock, interrupted, timeoutMs } = options
  // A timeout or an interruption also aborts a request in progress.
  const poll = (signal: AbortSignal) => pollUntilDone(orderIds, options, signal)
  return timeoutMs === undefined ? poll(interrupted) : within(clock, timeoutMs, interrupted, poll)
}

const pollUntilDone = async (
  orderIds: readonly string[],
  options: WatchOptions,
  signal: AbortSignal,
): Promise<Watched[]> => {
  const { clock, interrupted, timeoutMs, intervalMs, random } = options
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs
  const progress = createProgress(orderIds)
  const { open, urgent } = progress
  const pause = createPauser(progress, options)
  let interval = intervalMs ?? firstIntervalMs
  /** The time until the next poll of all orders. */
  let left = 0

  for (;;) {
    const due = left > 0 ? [...urgent] : [...open]
    urgent.clear()
    const changes = await Promise.all(due.map((id) => readOnce(id, progress, options, signal)))
    if (open.size === 0) return listWatched(progress, orderIds)
    if (interrupted.aborted) throw createStoppedFailure(interrupted, open)
    if (signal.aborted || clock.monotonic() >= deadline) throw createTimedOutFailure(open)
    const isChanged = changes.includes(true)
    if (left <= 0 || isChanged) {
      if (intervalMs === undefined) {
        interval = isChanged ? firstIntervalMs : Math.min(interval * growth, maxIntervalMs)
      }
      // Jitter keeps many watchers from polling at the same moment.
      left = intervalMs ?? interval * (0.8 + 0.4 * random())
    }
    left = await pause(Math.max(0, Math.min(left, deadline - clock.monotonic())))
    if (interrupted.aborted) throw createStoppedFailure(interrupted, open)
  }
}

/** Failed reads before watch gives up on an order that it never saw. */
const maxFailedReads = 5

/** Returns whether the state is new. */
const readOnce = async (
  id: string,
  progress: Progress,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<boolean> => {
  const { responses, noticed, open, failedReads } = progress
  const { expiresAt, forState, known, onState, onEnd, onPollError } = options
  const earlier = noticed.get(id)
  const outcome = await requestOrder(options, id, signal)
  // The journal has shown the last state meanwhile.
  if (!open.has(id)) return false
  const wasSeen = responses.has(id)
  if (outcome.kind !== 'done') {
    if (signal.aborted) return false
    const count = (failedReads.get(id) ?? 0) + 1
    failedReads.set(id, count)
    const isHopeless = count >= maxFailedReads && !wasSeen && known !== true
    if (isHopeless || !isTemporary(outcome, wasSeen, known === true)) {
      throw known === true ? createSpentFailure(outcome, id) : createReadFailure(outcome, { orderId: id })
    }
    onPollError(id, outcome.kind === 'refused' ? outcome.message : outcome.reason)
    return false
  }
  const order = outcome.data
  const notice = noticed.get(id)
  // The journal has shown a later state during the request. The next response shows whether it is true.
  if (notice !== undefined && notice !== earlier && hasReached(notice.state, order.state)) return false
  const before = getState(progress, id)
  responses.set(id, order)
  noticed.delete(id)
  if (hasEnded(order.state, forState) || isExpired(order, outcome.serverTime, expiresAt)) {
    open.delete(id)
    onEnd?.(id)
  }
  if (before === order.state) return false
  await onState(order)
  return true
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

/** An address that never responded, or an order that was never seen, is a mistake of the user. */
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

/** Scripts read the order id from the details. */
const findOnly = (open: ReadonlySet<string>): string | undefined =>
  open.size === 1 ? [...open][0] : undefined

const createTimedOutFailure = (open: ReadonlySet<string>): Failure =>
  new Failure('timed-out', `timed out; not final yet: ${joinIds(open)}`, {
    orderId: findOnly(open),
    fix: (suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
    retryable: true,
  })

const createStoppedFailure = (signal: AbortSignal, open: ReadonlySet<string>): Failure =>
  interruption(signal, `stopped watching; ${open.size === 1 ? 'the order goes on' : 'the orders go on'}`, {
    orderId: findOnly(open),
    fix: (suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
  })

const createPauser = (progress: Progress, options: WatchOptions) => {
  const { clock, interrupted, forState, readShown, onNotice, onEnd, onTick } = options
  const { open, urgent } = progress
  const alarm = createAlarm(clock)

  const onChange = (shown: ShownOrder, before: ShownOrder | undefined): void => {
    const given = { shown, isFirstLook: before === undefined, needsResponse: onNotice === undefined }
    const notice = noteChange(progress, given)
    if (notice !== undefined && hasEnded(notice.state, forState)) {
      open.delete(notice.uid)
      onEnd?.(notice.uid)
    }
    if (notice !== undefined) onNotice?.(notice)
    if (urgent.size > 0 || open.size === 0) alarm.ring()
  }
  const look = createOrderChanges({ clock, read: readShown, onChange })
  const tickMs = onTick === undefined && readShown === undefined ? Number.POSITIVE_INFINITY : lookEveryMs

  /** Returns early if an order must be read at once, or none is left. Returns what is left of the time. */
  return async (ms: number): Promise<number> => {
    let left = ms
    const isOver = (): boolean => left <= 0 || interrupted.aborted || urgent.size > 0 || open.size === 0
    while (!isOver()) {
      look(open)
      const slice = Math.min(left, tickMs)
      const isRung = await alarm.sleep(slice, interrupted)
      if (!isRung) left -= slice
      onTick?.()
    }
    return left
  }
}

export type WatchOptions = Asking & {
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
