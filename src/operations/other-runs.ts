// Two runs of one job are one purchase: a run waits for a pending create or confirm of a different run. Then it starts
// again.

import { type Failure, interruption } from '../errors.ts'
import { type Call, type Entry, getOrder, listCalls } from '../journal/orders/entries.ts'
import { type Session, withFacts } from './dependencies.ts'
import { findCause, findReason } from './failures.ts'
import { lookEveryMs } from './observe.ts'
import { findEnd, isInFlight, isStillInFlight } from './purchase-step.ts'
import { reconcile } from './reconcile.ts'

export type Wait = { readonly call: Call; readonly entry: Entry; readonly ms: number }

type Options = {
  /** Called when a wait begins. Calls `end` when the wait ends. */
  readonly onWaiting: (waited: Wait) => { end(): void }
  /** Also runs `work` again if a different order took the reference: then it continues with that order. */
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
      const { openCall: call } = findCause(error)
      // Each wait is for a newer call, so the same call is never waited for again, even if the clock is set back.
      if (call !== undefined && call.number > lastCall && isInFlight(call, session.clock.now())) {
        await withFacts(`no ${call.operation} was sent`, () => waitForOutcome(session, call, onWaiting))
        lastCall = call.number
        taken = 0
      } else if (continuesTaken && taken < maxTaken && findReason(error) === 'reference-used') {
        taken += 1
      } else throw error
    }
  }
}

/** Each of these attempts asks the service, because the other run may have been killed. */
const looksPerRead = 10

/** Returns when the outcome is recorded or proven, or when the other run cannot record it any more. */
const waitForOutcome = async (session: Session, call: Call, onWaiting: Options['onWaiting']) => {
  const { clock, interrupted, journal } = session
  const entry = await getOrder(journal.read, call.orderNumber)
  if (entry === undefined) return
  const ms = findEnd(call) - clock.now()
  const endsAt = clock.monotonic() + ms
  const shown = onWaiting({ call, entry, ms })
  try {
    for (let looks = 1; clock.monotonic() < endsAt; looks += 1) {
      await clock.sleep(lookEveryMs, interrupted)
      if (!interrupted.aborted && looks % looksPerRead === 0) await reconcile(session, entry)
      if (interrupted.aborted) throw createInterruption(interrupted, call, entry)
      const now = (await listCalls(journal.read, call.orderNumber)).find(
        ({ number }) => number === call.number,
      )
      if (now === undefined || !(await isStillInFlight(session, now))) return
    }
  } finally {
    shown.end()
  }
}

const createInterruption = (
  interrupted: AbortSignal,
  { operation }: Call,
  { orderId, reference = '' }: Entry,
): Failure => {
  const order = orderId === undefined ? `an order with the reference ${reference}` : `the order ${orderId}`
  const problem = `interrupted while another run ${operation}s ${order}; this run sent no ${operation}`
  return interruption(interrupted, problem, {
    orderId,
    fix: (suggest) => (orderId === undefined ? undefined : suggest`get ${orderId}`),
  })
}
