// Asks the service for the orders of deliveries, at most five times a second, and updates the journal.
import type { Api } from '../../client/api.ts'
import type { Outcome } from '../../client/outcome.ts'
import type { Clock } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Received } from '../../journal/received/received.ts'
import { noteAnswer } from '../order-update.ts'
import { createAlarm } from './alarm.ts'
import { createGate, findBackoff } from './backoff.ts'

export type Check = {
  readonly orderId: string
  /** The number of the delivery in the journal. */
  readonly number: number
  /** Whether the journal has the order. */
  readonly isOwn: boolean
  /** When the delivery was received. */
  readonly at: number
  readonly deliveryId: string | undefined
}

/** `order` is undefined if the service does not know it. */
export type Checked = Check & { readonly order: Order | undefined }

type Options = {
  readonly api: Pick<Api, 'get'>
  readonly journal: Journal
  readonly received: Received
  readonly owner: Owner
  readonly clock: Clock
  readonly onChecked: (checked: Checked) => void
  /** Called when a check fails and will be repeated. */
  readonly onProblem: (orderId: string, reason: string) => void
}

type Waiting = { readonly check: Check; tries: number; dueAt: number }

const spacingMs = 200
const maxRunning = 5
const maxUnknown = 10_000
const longestPauseMs = 60_000
/** A delivery may arrive before the service shows its order. */
const maxMissing = 5

export const createCheckQueue = (options: Options) => {
  const { api, journal, received, owner, clock, onChecked, onProblem } = options
  // Orders of the journal come first, so that a flood of other ids does not delay them.
  const queues = { own: new Map<string, Waiting>(), other: new Map<string, Waiting>() }
  const running = new Set<Promise<void>>()
  const gate = createGate(longestPauseMs)
  const alarm = createAlarm(clock)
  let nextStart = 0

  const wait = (waiting: Waiting): void => {
    const { orderId, isOwn } = waiting.check
    const queue = isOwn ? queues.own : queues.other
    const earlier = queue.get(orderId)
    // One answer serves all deliveries of an order that were received before it.
    if (earlier === undefined || earlier.check.number < waiting.check.number) queue.set(orderId, waiting)
    alarm.ring()
  }

  const retry = (waiting: Waiting, reason: string, ms: number): void => {
    onProblem(waiting.check.orderId, reason)
    wait({ ...waiting, tries: waiting.tries + 1, dueAt: clock.monotonic() + ms })
  }

  const finish = async ({ check }: Waiting, order: Order | undefined, signal: AbortSignal): Promise<void> => {
    const at = clock.now()
    if (order !== undefined) await noteAnswer({ journal, owner }, order, at)
    await received.recordChecked(
      owner.account,
      { orderId: check.orderId, state: order?.state, at },
      check.number,
    )
    if (!signal.aborted || order !== undefined) onChecked({ ...check, order })
  }

  const run = async (waiting: Waiting, signal: AbortSignal): Promise<void> => {
    const { orderId, isOwn } = waiting.check
    const outcome = await api.get(orderId, { signal })
    if (signal.aborted && outcome.kind !== 'done') return
    const isMissing = outcome.kind === 'refused' && outcome.refusal === 'order-not-found'
    if (isMissing && isOwn && waiting.tries < maxMissing)
      return retry(waiting, 'the service does not show it yet', findBackoff(waiting.tries + 1))
    if (outcome.kind !== 'done' && !isMissing)
      return retry(waiting, describeOutcome(outcome), gate.close(clock.monotonic()))
    gate.open()
    try {
      await finish(waiting, outcome.kind === 'done' ? outcome.data : undefined, signal)
    } catch (error) {
      retry(waiting, (error as Error).message, findBackoff(waiting.tries + 1, longestPauseMs))
    }
  }

  const takeDue = (now: number): Waiting | undefined => {
    for (const queue of [queues.own, queues.other]) {
      for (const [orderId, waiting] of queue) {
        if (waiting.dueAt > now) continue
        queue.delete(orderId)
        return waiting
      }
    }
    return undefined
  }

  /** How long until the next check may start. */
  const findPause = (now: number): number => {
    if (running.size >= maxRunning) return longestPauseMs
    let first = now + longestPauseMs
    for (const queue of [queues.own, queues.other]) {
      for (const { dueAt } of queue.values()) first = Math.min(first, dueAt)
    }
    return Math.max(first, nextStart, gate.until) - now
  }

  return {
    add: (check: Check): void => wait({ check, tries: 0, dueAt: 0 }),
    isFull: (): boolean => queues.other.size >= maxUnknown,
    size: (): number => queues.own.size + queues.other.size,

    /** Runs until aborted. Checks that did not end are repeated after the next start. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const now = clock.monotonic()
        const isFree = running.size < maxRunning && now >= nextStart && now >= gate.until
        const waiting = isFree ? takeDue(now) : undefined
        if (waiting === undefined) {
          await alarm.sleep(Math.max(1, findPause(now)), signal)
          continue
        }
        nextStart = now + spacingMs
        const work: Promise<void> = run(waiting, signal).finally(() => {
          running.delete(work)
          alarm.ring()
        })
        running.add(work)
      }
      await Promise.all(running)
    },
  }
}

const describeOutcome = (outcome: Exclude<Outcome<Order>, { kind: 'done' }>): string => {
  if (outcome.kind !== 'refused') return outcome.reason
  if (outcome.refusal === 'credentials') return 'the service rejects the key'
  return outcome.message === '' ? `HTTP ${outcome.status}` : outcome.message
}
