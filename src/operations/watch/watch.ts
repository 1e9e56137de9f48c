// Polls orders until each is final or has reached the requested state. Also looks at what other processes record in the
// journal.
import type { Outcome } from '../../client/outcome.ts'
import { type Clock, createAlarm, within } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import { hasReached, isFinal, pendingState } from '../../contract/states.ts'
import { toMilliseconds } from '../../contract/timestamp.ts'
import { Failure, interruption } from '../../errors.ts'
import type { ShownOrder } from '../../journal/orders/list-orders.ts'
import type { Suggest } from '../../text/suggest.ts'
import { assumeExpiry, hasExpired } from '../expiry.ts'
import { createReadFailure, createSpentFailure } from '../outcome-failures.ts'
import { type Asking, isSameOrder, requestOrder } from '../read.ts'
import { createOrderChanges, lookEveryMs, type ReadShownOrders } from './order-changes.ts'

export type WatchSettings = Asking & {
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

/** A state that only the journal has shown, because another process received it from the service. */
export type Noticed = { readonly uid: string; readonly state: string; readonly hasCards: boolean }

/** The last state of an order, with the response that showed it. */
type Watched =
  | { readonly uid: string; readonly state: string; readonly response: Order }
  | (Noticed & { readonly response?: undefined })

/** Returns the last state of each order, in the given sequence. Without `onNotice`, each has its response. */
export const watch = async (orderIds: readonly string[], options: WatchSettings): Promise<Watched[]> => {
  const { clock, interrupted, timeoutMs } = options
  // A timeout or an interruption also aborts a request in progress.
  const poll = (signal: AbortSignal) => pollUntilDone(orderIds, options, signal)
  return timeoutMs === undefined ? poll(interrupted) : within(clock, timeoutMs, interrupted, poll)
}

const firstIntervalMs = 1_000
const maxIntervalMs = 10_000
const growth = 1.5

const pollUntilDone = async (orderIds: readonly string[], options: WatchSettings, signal: AbortSignal) => {
  const { clock, interrupted, timeoutMs, intervalMs, random } = options
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeoutMs
  const progress = createProgress(orderIds)
  const { open, urgent } = progress
  const pause = createPauser(progress, options)
  let interval = intervalMs ?? firstIntervalMs
  /** The time until the next poll of all orders. */
  let left = 0

  for (;;) {
    if (interrupted.aborted) {
      const rest = open.size === 1 ? 'the order goes on' : 'the orders go on'
      throw interruption(interrupted, `stopped watching; ${rest}`, describeOpen(open))
    }
    const due = left > 0 ? [...urgent] : [...open]
    urgent.clear()
    const changes = await Promise.all(due.map((id) => readOnce(id, progress, options, signal)))
    if (open.size === 0) return listWatched(progress, orderIds)
    if (interrupted.aborted) continue
    if (signal.aborted || clock.monotonic() >= deadline)
      throw new Failure('timed-out', `timed out; not final yet: ${[...open].join(' ')}`, {
        ...describeOpen(open),
        retryable: true,
      })
    const isChanged = changes.includes(true)
    if (left <= 0 || isChanged) {
      if (intervalMs === undefined)
        interval = isChanged ? firstIntervalMs : Math.min(interval * growth, maxIntervalMs)
      // Jitter keeps many watchers from polling at the same moment.
      left = intervalMs ?? interval * (0.8 + 0.4 * random())
    }
    left = await pause(Math.max(0, Math.min(left, deadline - clock.monotonic())))
  }
}

/** Scripts read the order id from the details. */
const describeOpen = (open: ReadonlySet<string>) => ({
  orderId: open.size === 1 ? [...open][0] : undefined,
  fix: (suggest: Suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
})

const createProgress = (orderIds: readonly string[]) => ({
  open: new Set(orderIds),
  /** The last response for each order. */
  responses: new Map<string, Order>(),
  /** What the journal has shown since the last response. */
  noticed: new Map<string, Noticed>(),
  /** The number of failed reads of each order. */
  failedReads: new Map<string, number>(),
  /** Orders to ask the service about at once. */
  urgent: new Set<string>(),
})

type Progress = ReturnType<typeof createProgress>

const getState = ({ responses, noticed }: Progress, id: string): string | undefined =>
  (noticed.get(id) ?? responses.get(id))?.state

/** In the given sequence. Omits orders that nothing has shown. */
const listWatched = ({ responses, noticed }: Progress, orderIds: readonly string[]): Watched[] =>
  orderIds.flatMap((id): Watched[] => {
    const notice = noticed.get(id)
    const response = responses.get(id)
    if (notice !== undefined) return [notice]
    return response === undefined ? [] : [{ uid: response.uid, state: response.state, response }]
  })

/** Failed reads before watch gives up on an order that it never saw. */
const maxFailedReads = 5

/** Returns whether the state is new. */
const readOnce = async (id: string, progress: Progress, options: WatchSettings, signal: AbortSignal) => {
  const { responses, noticed, open, failedReads } = progress
  const { expiresAt, forState, known = false, onState, onEnd, onPollError } = options
  const earlier = noticed.get(id)
  const outcome = await requestOrder(options, id, signal)
  // The journal has shown the last state meanwhile.
  if (!open.has(id)) return false
  if (outcome.kind !== 'done') {
    if (signal.aborted) return false
    const wasSeen = responses.has(id)
    const count = (failedReads.get(id) ?? 0) + 1
    failedReads.set(id, count)
    const isHopeless = count >= maxFailedReads && !wasSeen && !known
    if (isHopeless || !isTemporary(outcome, wasSeen, known))
      throw known ? createSpentFailure(outcome, id) : createReadFailure(outcome, { orderId: id })
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
  const { serverTime } = outcome
  const findExpiry = () => expiresAt?.(id) ?? assumeExpiry(toMilliseconds(order.createdDate))
  // No documented state means 'expired': the order stays pending.
  const isExpired =
    order.state === pendingState && serverTime !== undefined && hasExpired(findExpiry(), serverTime)
  if (hasEnded(order.state, forState) || isExpired) {
    open.delete(id)
    onEnd?.(id)
  }
  if (before === order.state) return false
  await onState(order)
  return true
}

const hasEnded = (state: string, forState: string | undefined): boolean =>
  isFinal(state) || (forState !== undefined && hasReached(state, forState))

/** An address that never responded, or an order that was never seen, is a mistake of the user. */
const isTemporary = (
  outcome: Exclude<Outcome<Order>, { kind: 'done' }>,
  wasSeen: boolean,
  known: boolean,
): boolean => {
  if (outcome.kind === 'unknown') return true
  if (outcome.kind === 'not-sent') return wasSeen || known
  if (outcome.refusal === 'credentials') return false
  return wasSeen || (known && outcome.refusal === 'order-not-found')
}

const createPauser = (progress: Progress, options: WatchSettings) => {
  const { clock, interrupted, forState, readShown, onNotice, onEnd, onTick } = options
  const { open, responses, noticed, urgent } = progress
  const alarm = createAlarm(clock)

  /** Believes a state that comes after the last known one. For any other state, watch asks the service. */
  const noteChange = (shown: ShownOrder, isFirstLook: boolean): void => {
    const { orderId: uid, state } = shown
    const response = responses.get(uid)
    const before = getState(progress, uid)
    if (!open.has(uid) || response === undefined || before === undefined || before === state) return
    if (!isSameOrder(shown, response)) return
    const isLater = hasReached(state, before)
    // The first look may show an old state, which the response has corrected.
    if (isFirstLook && !isLater) return
    if (onNotice === undefined || isFirstLook || !isLater) return void urgent.add(uid)
    const notice = { uid, state, hasCards: (shown.delivered ?? 0) > 0 }
    noticed.set(uid, notice)
    if (hasEnded(state, forState)) {
      open.delete(uid)
      onEnd?.(uid)
    }
    onNotice(notice)
  }

  const look = createOrderChanges({
    clock,
    read: readShown,
    onChange: (shown, before) => {
      noteChange(shown, before === undefined)
      if (urgent.size > 0 || open.size === 0) alarm.ring()
    },
  })
  const tickMs = onTick === undefined && readShown === undefined ? Number.POSITIVE_INFINITY : lookEveryMs

  /** Returns early if an order must be read at once, or none is left. Returns what is left of the time. */
  return async (ms: number): Promise<number> => {
    let left = ms
    while (left > 0 && !interrupted.aborted && urgent.size === 0 && open.size > 0) {
      look(open)
      const slice = Math.min(left, tickMs)
      const isRung = await alarm.sleep(slice, interrupted)
      if (!isRung) left -= slice
      onTick?.()
    }
    return left
  }
}
