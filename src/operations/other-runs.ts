// Two runs of one job are one purchase: a run waits for the create or confirm that another run has in flight. Then it
// looks again from the start.
import { Failure, type Fix, interruption } from '../errors.ts'
import {
  type Call,
  type Entry,
  findCreateEnd,
  isOpen,
  isPendingCreate,
  wasStarted,
} from '../journal/orders/entry.ts'
import { lookEveryMs } from './observe.ts'
import { reconcile } from './reconcile.ts'
import { withFacts } from './record.ts'
import type { Session } from './session.ts'
import { settlingMs } from './settle.ts'

/** Another run may still record the outcome of the call. */
export class OpenCallFailure extends Failure {
  readonly call: Call

  constructor(call: Call, ...facts: ConstructorParameters<typeof Failure>) {
    super(...facts)
    this.call = call
  }
}

/** The server ends a transaction that is suspended for longer. */
const recordingMs = 10_000

/** By the clock of the journal. */
const findEnd = (call: Call): number => {
  const { operation, outcome, until, respondedAt = until } = call
  if (operation === 'create') return findCreateEnd(call)
  return (outcome === 'unknown' ? respondedAt : until) + settlingMs + recordingMs
}

/** Whether the run that made the call may still record its outcome. */
export const isInFlight = (call: Call, at: number): boolean =>
  call.operation === 'create'
    ? isPendingCreate(call, at)
    : isOpen(call) && wasStarted(call, at) && at < findEnd(call)

export type Waited = { readonly call: Call; readonly entry: Entry; readonly ms: number }

type Options = {
  /** Called when a wait begins. Returns what ends with the wait. */
  readonly onWaiting: (waited: Waited) => { end(): void }
  /** Also runs `work` again if another order took the reference: then it continues with that order. */
  readonly continuesTaken: boolean
}

/** How often the reference may be taken in a row. */
const maxTaken = 3

/** Runs `work`. If it fails because of a call in flight, waits for that call and runs `work` again. */
export const retryAfterOtherRuns = async <Result>(
  session: Session,
  { onWaiting, continuesTaken }: Options,
  work: () => Promise<Result>,
): Promise<Result> => {
  let lastCall = 0
  let taken = 0
  for (;;) {
    try {
      return await work()
    } catch (error) {
      // Each wait is for a newer call, so the same call is never waited for again, even if the clock is set back.
      if (
        error instanceof OpenCallFailure &&
        error.call.number > lastCall &&
        isInFlight(error.call, session.clock.now())
      ) {
        await withFacts(`no ${error.call.operation} was sent`, () =>
          waitForOutcome(session, error.call, onWaiting),
        )
        lastCall = error.call.number
        taken = 0
      } else if (continuesTaken && taken < maxTaken && error instanceof Failure && error.details.isTaken) {
        taken += 1
      } else throw error
    }
  }
}

/** The service is asked at every such look, because the other run may have been killed. */
const looksPerRead = 10

/** Returns when the outcome is recorded or proven, or when the other run cannot record it any more. */
const waitForOutcome = async (session: Session, call: Call, onWaiting: Options['onWaiting']) => {
  const { clock, interrupted, journal } = session
  const entry = await journal.getOrder(call.orderNumber)
  if (entry === undefined) return
  const ms = findEnd(call) - clock.now()
  const endsAt = clock.monotonic() + ms
  const shown = onWaiting({ call, entry, ms })
  try {
    for (let looks = 1; clock.monotonic() < endsAt; looks += 1) {
      await clock.sleep(lookEveryMs, interrupted)
      if (!interrupted.aborted && looks % looksPerRead === 0) await reconcile(session, entry)
      if (interrupted.aborted) throw createInterruption(interrupted, call, entry)
      const now = (await journal.listCalls(call.orderNumber)).find(({ number }) => number === call.number)
      if (now === undefined || !isInFlight(now, clock.now())) return
    }
  } finally {
    shown.end()
  }
}

const createInterruption = (
  interrupted: AbortSignal,
  { operation }: Call,
  { orderId = '', reference = '' }: Entry,
): Failure => {
  if (operation === 'create') {
    const problem = `interrupted while another run creates an order with the reference ${reference}; this run sent nothing`
    return interruption(interrupted, problem)
  }
  const problem = `interrupted while another run confirms the order ${orderId}; this run sent no confirm`
  const fix: Fix = (suggest) => `Show the order: ${suggest`get ${orderId}`}`
  return interruption(interrupted, problem, { orderId, fix })
}
