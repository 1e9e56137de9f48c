// Asks the service for the orders of deliveries, at most five times a second, and updates the journal.
import type { Api } from '../../client/api.ts'
import type { Outcome } from '../../client/outcome.ts'
import type { Clock } from '../../contract/clock.ts'
import type { Order } from '../../contract/schemas.ts'
import { isFinal } from '../../contract/states.ts'
import type { Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { ReceivedTable } from '../../journal/received.ts'
import { createAlarm } from '../alarm.ts'
import { noteAnswer } from '../order-update.ts'
import { createGate, findBackoff } from './backoff.ts'
import { type Check, createWaitingChecks, type WaitingCheck } from './waiting-checks.ts'

/** `order` is undefined if the service does not know it. */
export type Checked = Check & { readonly order: Order | undefined }

type Options = {
  readonly api: Pick<Api, 'get'>
  readonly journal: Journal
  readonly received: Pick<ReceivedTable, 'recordChecked'>
  readonly owner: Owner
  readonly clock: Clock
  readonly onChecked: (checked: Checked) => void
  /** Called when a check fails and will be repeated. */
  readonly onProblem: (orderId: string, reason: string) => void
}

const spacingMs = 200
const maxRunning = 5
/** Of orders that the journal does not have. */
const maxUnknown = 10_000
const longestPauseMs = 60_000
const maxEarly = 5

export type CheckQueue = ReturnType<typeof createCheckQueue>

export const createCheckQueue = (options: Options) => {
  const { api, journal, received, owner, clock, onChecked, onProblem } = options
  const waitingChecks = createWaitingChecks()
  const running = new Set<Promise<void>>()
  const gate = createGate(longestPauseMs)
  const alarm = createAlarm(clock)
  let nextStart = 0

  const wait = (waiting: WaitingCheck): void => {
    waitingChecks.add(waiting)
    alarm.ring()
  }

  const repeat = (waiting: WaitingCheck, ms: number): void =>
    wait({ ...waiting, tries: waiting.tries + 1, dueAt: clock.monotonic() + ms })

  const retry = (waiting: WaitingCheck, reason: string, ms: number): void => {
    onProblem(waiting.check.orderId, reason)
    repeat(waiting, ms)
  }

  const finish = async (
    { check }: WaitingCheck,
    order: Order | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    if (order !== undefined) await noteAnswer({ journal, owner }, order, clock.now())
    await received.recordChecked(owner.account, { orderId: check.orderId, state: order?.state }, check.number)
    if (!signal.aborted || order !== undefined) onChecked({ ...check, order })
  }

  /** Longer than the pause of all checks, so that an order that always fails does not hold up the others. */
  const findPauseAfter = ({ tries }: WaitingCheck): number =>
    Math.max(gate.close(clock.monotonic()) + 2 * spacingMs, findBackoff(tries + 1, longestPauseMs))

  const run = async (waiting: WaitingCheck, signal: AbortSignal): Promise<void> => {
    const { orderId } = waiting.check
    const outcome = await api.get(orderId, { signal })
    if (signal.aborted && outcome.kind !== 'done') return
    if (isEarly(waiting.check, outcome) && waiting.tries < maxEarly)
      return repeat(waiting, findBackoff(waiting.tries + 1))
    if (outcome.kind !== 'done' && !isRefusedAlone(outcome))
      return retry(waiting, describeOutcome(outcome), findPauseAfter(waiting))
    gate.open()
    try {
      await finish(waiting, outcome.kind === 'done' ? outcome.data : undefined, signal)
    } catch (error) {
      retry(waiting, (error as Error).message, findBackoff(waiting.tries + 1, longestPauseMs))
    }
  }

  /** How long until the next check may start. */
  const findPause = (now: number): number => {
    if (running.size >= maxRunning) return longestPauseMs
    const first = Math.min(waitingChecks.findNextDue(), now + longestPauseMs)
    return Math.max(first, nextStart, gate.until) - now
  }

  return {
    add: (check: Check): void => wait({ check, tries: 0, dueAt: 0 }),
    isFull: (): boolean => waitingChecks.countOther() >= maxUnknown,

    /** Runs until aborted. Checks that did not end are repeated after the next start. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        const now = clock.monotonic()
        const isFree = running.size < maxRunning && now >= nextStart && now >= gate.until
        const waiting = isFree ? waitingChecks.takeDue(now) : undefined
        if (waiting === undefined) {
          await alarm.sleep(Math.max(1, findPause(now)), signal)
          continue
        }
        nextStart = now + spacingMs
        const work: Promise<void> = run(waiting, signal)
          .catch((error: Error) => retry(waiting, error.message, longestPauseMs))
          .finally(() => {
            running.delete(work)
            alarm.ring()
          })
        running.add(work)
      }
      await Promise.all(running)
    },
  }
}

const isNotFound = (outcome: Outcome<Order>): boolean =>
  outcome.kind === 'refused' && outcome.refusal === 'order-not-found'

/** The service refuses this id, for example because its form is wrong. Other orders can be read. */
const isRefusedAlone = (outcome: Outcome<Order>): boolean => {
  if (outcome.kind === 'refused') return outcome.refusal !== 'credentials'
  const status = outcome.kind === 'unknown' ? (outcome.status ?? 0) : 0
  return status >= 400 && status < 500 && ![407, 408, 425, 429].includes(status)
}

/** A delivery may arrive before the service shows its order, or the final state that the delivery names. */
const isEarly = ({ isOwn, state }: Check, outcome: Outcome<Order>): boolean =>
  outcome.kind === 'done'
    ? state !== undefined && isFinal(state) && !isFinal(outcome.data.state)
    : isRefusedAlone(outcome) && (isOwn || !isNotFound(outcome))

const describeOutcome = (outcome: Exclude<Outcome<Order>, { kind: 'done' }>): string => {
  if (outcome.kind !== 'refused') return outcome.reason
  if (outcome.refusal === 'credentials') return 'the service rejects the key'
  return outcome.message === '' ? `HTTP ${outcome.status}` : outcome.message
}
