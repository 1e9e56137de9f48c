// The loop of a listener. It reads the order of each delivery from the service, updates the journal, and then forwards
// the delivery until the target accepts it. The remaining work is in the table, so a new process continues there.
import type { Outcome } from '../../client/api.ts'
import { writeJson } from '../../contract/json.ts'
import type { Order } from '../../contract/schemas.ts'
import { type Clock, createAlarm, dayMs, repeat } from '../../contract/time.ts'
import type { DeliveryTable, Phase, StoredDelivery } from '../../webhooks/deliveries.ts'
import { createReadFailure } from '../failures.ts'
import { type Asking, observeOrder, type ReadOrder } from '../read.ts'
import { isForgotten, showsDelivery, viewOrder } from '../view.ts'

/** Returns why the order must wait. Rejects if all orders must wait. */
type Work = (delivery: StoredDelivery, signal: AbortSignal) => Promise<string | undefined>

type Options = {
  readonly session: Asking
  readonly clock: Clock
  readonly table: Omit<DeliveryTable, 'insert' | typeof Symbol.dispose>
  /** Sends a delivery once. Undefined if deliveries are not forwarded. */
  readonly send: Work | undefined
  /** Records that the codes of an order leave orderctl. */
  readonly reveal: (order: Order) => Promise<void>
  /** `seen` is undefined if the service does not know the order. */
  readonly onChecked: (delivery: StoredDelivery, seen: Pick<ReadOrder, 'data' | 'view'> | undefined) => void
  readonly onForwarded: (delivery: StoredDelivery) => void
  /** The delivery was not forwarded in time, so its body was deleted. */
  readonly onExpired: (delivery: StoredDelivery) => void
  /** An attempt has failed and is repeated after the wait. */
  readonly onFailed: (
    what: Phase | 'read listen.db' | 'clean up',
    reason: string,
    waitMs: number,
    orderId?: string,
  ) => void
}

const limits = {
  check: { most: 5, spacingMs: 100, longestWaitMs: 60_000 },
  forward: { most: 4, spacingMs: 0, longestWaitMs: 300_000 },
}

/** A delivery that is repeated later than this is not recognised as a duplicate. */
export const keptMs = 30 * dayMs
const bodyKeptMs = 7 * dayMs
const cleanUpEveryMs = 60 * 60_000
/** The loop looks for work this often, and when a delivery was received. */
const tickMs = 1_000
const longestPauseMs = 30_000
/** How often the service is asked again for what the delivery reports, but the service does not show yet. */
const maxEarly = 5

/** Doubles after each failure, from 1 s on. */
export const findBackoff = (failures: number, longestMs: number): number =>
  Math.min(1_000 * 2 ** Math.min(failures - 1, 30), longestMs)

export const createDueLoop = (options: Options) => {
  const { session, clock, table, send, onChecked, onForwarded, onExpired, onFailed } = options
  const alarm = createAlarm(clock)
  let cleansAt = 0

  /** One response serves all deliveries of the order that were received before it. */
  const check: Work = async (delivery, signal) => {
    const { known, response } = await observeOrder(session, { orderId: delivery.orderId }, signal)
    if (delivery.tries < maxEarly && isEarly(response, delivery)) return 'not shown yet'
    if (response.kind !== 'done' && !isRefusedAlone(response)) throw createReadFailure(response)
    const data = response.kind === 'done' ? response.data : undefined
    if (data !== undefined && session.seenCards.unrecorded.has(data.uid))
      throw new Error('the journal was not updated')
    const times = { now: clock.now(), serviceNow: response.serverTime }
    const view = viewOrder(known, response, { ...times, wants: 'shown' })
    const shown = view.reading === 'stranger' || send === undefined ? undefined : data
    if (shown !== undefined && delivery.headers === null) await options.reveal(shown)
    const body = shown === undefined ? null : Buffer.from(writeJson(shown))
    table.setChecked(delivery, clock.now(), data?.state ?? null, body)
    onChecked(delivery, data && { data, view })
    return undefined
  }

  const forward: Work = async (delivery, signal) => {
    const problem = await send?.(delivery, signal)
    if (problem !== undefined) return problem
    table.setForwarded(delivery, clock.now())
    onForwarded(delivery)
    return undefined
  }

  const createLane = (phase: Phase, work: Work) => {
    const running = new Map<string, Promise<void>>()
    return { phase, work, ...limits[phase], opensAt: 0, running }
  }
  type Lane = ReturnType<typeof createLane>
  const checking = createLane('check', check)
  const lanes: Lane[] = send === undefined ? [checking] : [checking, createLane('forward', forward)]

  const attempt = async (lane: Lane, delivery: StoredDelivery, signal: AbortSignal): Promise<void> => {
    const { phase, work, longestWaitMs, running } = lane
    const { orderId } = delivery
    const tries = delivery.tries + 1
    let isAway = false
    try {
      const reason = await work(delivery, signal).catch(({ message }: Error) => {
        isAway = true
        return message
      })
      if (reason === undefined || signal.aborted) return
      const now = clock.monotonic()
      // The other side does not respond, or the journal or the table cannot be written.
      if (isAway) lane.opensAt = now + findBackoff(tries, longestPauseMs)
      // Later than the others, so that an order that always fails does not hold them up.
      const due = Math.max(now + findBackoff(tries, longestWaitMs), lane.opensAt + tickMs)
      if (isAway || phase === 'forward') onFailed(phase, reason, due - now, orderId)
      table.postpone(phase, orderId, due, tries, reason)
    } catch (error) {
      // The pause keeps a delivery that cannot be postponed from being sent without end.
      lane.opensAt = clock.monotonic() + longestPauseMs
      onFailed(phase, (error as Error).message, longestPauseMs, orderId)
    } finally {
      running.delete(orderId)
      alarm.ring()
    }
  }

  const startDue = (lane: Lane, now: number, signal: AbortSignal): void => {
    while (now >= lane.opensAt && lane.running.size < lane.most) {
      const delivery = table.findDue(lane.phase, now, lane.running.keys())
      if (delivery === undefined) return
      lane.opensAt = now + lane.spacingMs
      lane.running.set(delivery.orderId, attempt(lane, delivery, signal))
    }
  }

  const cleanUp = (now: number): void => {
    if (now < cleansAt) return
    cleansAt = now + cleanUpEveryMs
    for (const delivery of table.deleteBodies(clock.now() - bodyKeptMs)) onExpired(delivery)
    // The next page comes later, because senders wait meanwhile.
    if (table.deletePage(clock.now() - keptMs)) cleansAt = now + tickMs
  }

  const tryTo = (what: 'read listen.db' | 'clean up', waitMs: number, work: () => void): void => {
    try {
      work()
    } catch (error) {
      onFailed(what, (error as Error).message, waitMs)
    }
  }

  return {
    /** A delivery was received. If no order may be read yet, the loop wakes in time by itself. */
    ring: (): void => {
      if (clock.monotonic() >= checking.opensAt) alarm.ring()
    },

    /** Runs until aborted, and then finishes the attempts in progress. */
    run: async (signal: AbortSignal): Promise<void> => {
      await repeat(alarm, signal, () => {
        const now = clock.monotonic()
        tryTo('read listen.db', tickMs, () => {
          for (const lane of lanes) startDue(lane, now, signal)
        })
        tryTo('clean up', cleanUpEveryMs, () => cleanUp(now))
        const pauses = lanes.map(({ opensAt }) => opensAt - now).filter((ms) => ms > 0)
        return Math.min(tickMs, ...pauses)
      })
      await Promise.all(lanes.flatMap(({ running }) => [...running.values()]))
    },
  }
}

/** The service refuses this id, for example because its form is wrong. Other orders can be read. */
const isRefusedAlone = (outcome: Outcome<Order>): boolean => {
  if (outcome.kind === 'refused') return outcome.refusal !== 'credentials'
  const status = outcome.kind === 'unknown' ? (outcome.status ?? 0) : 0
  return status >= 400 && status < 500 && ![407, 408, 425, 429].includes(status)
}

/** A delivery may arrive before the service shows its order, or the final state that the delivery reports. */
const isEarly = (outcome: Outcome<Order>, { namedState, isOwn }: StoredDelivery): boolean => {
  if (outcome.kind === 'done')
    return showsDelivery(namedState ?? '') !== undefined && showsDelivery(outcome.data.state) === undefined
  return isRefusedAlone(outcome) && (isOwn === 1 || !isForgotten(outcome))
}
