// The dependencies of the operations on one account's orders, and writes to the journal before and after a call. If the intent
// cannot be written, nothing is sent. If the outcome cannot be written, the error still says what happened.

import type { Api } from '../client/api.ts'
import type { Clock } from '../contract/time.ts'
import { Failure } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry, Owner } from '../journal/orders/entries.ts'
import { rewrite } from './failures.ts'
import type { SeenCards } from './identify-cards.ts'

/** An order that was charged more than its total, or in a different currency. */
export type Overcharge = { readonly entry: Entry; readonly charged: string; readonly currency: string }

export type Session = {
  readonly api: Api
  readonly clock: Clock
  readonly interrupted: AbortSignal
  /** Records every create and confirm before it is sent. */
  readonly journal: Journal
  readonly journals: {
    /** For work that a command can do without. If the journal cannot be used, prints only a warning. */
    attempt(purpose: string, work: (journal: Journal) => Promise<void>): Promise<void>
  }
  readonly owner: Owner
  /** Whether the client masks this text in responses. Undefined if the account has no key. */
  readonly containsSecret?: ((text: string) => boolean) | undefined
  /** The service's time, by its last response. */
  serviceNow(): number
  /** Of the orders that it has read. */
  readonly seenCards: SeenCards
  onOvercharge(overcharge: Overcharge): void
}

export type CallProgress = {
  readonly onSending?: () => void
  /** Called if the response was not a valid success, before the order is asked for repeatedly. */
  readonly onSettling?: (reason: string) => void
}

/** Its message reports what was sent. */
class StatedFailure extends Failure {}

/** For work before a request: a failure of the journal also says that the request was not sent. */
export const withFacts = async <Result>(facts: string, work: () => Promise<Result>, orderId?: string) => {
  try {
    return await work()
  } catch (error) {
    const isOfJournal = error instanceof Failure && error.kind === 'local-state'
    if (!isOfJournal || error instanceof StatedFailure) throw error
    throw new StatedFailure(error.kind, `${error.message}; ${facts}`, {
      ...error.details,
      orderId: orderId ?? error.details.orderId,
    })
  }
}

export type OutcomeRecord<Result> = {
  /** Undefined if the journal could not be written. */
  readonly result: Result | undefined
  /** Throws an error with the order id, which is not in the journal. */
  orThrow(kind: 'unknown' | 'local-state', facts: string, orderId: string): void
  /** Adds the journal's problem to a different failure. */
  addTo(failure: Failure): Failure
}

export const tryToRecord = async <Result>(work: () => Promise<Result>): Promise<OutcomeRecord<Result>> => {
  let result: Result | undefined
  let problem: Error | undefined
  try {
    result = await work()
  } catch (error) {
    // Catches everything: no error of the journal may hide the service's response.
    problem = error instanceof Error ? error : new Error(String(error))
  }
  const addProblem = (facts: string): string =>
    `${facts}; the journal could not be written: ${problem?.message}`
  return {
    result,
    orThrow: (kind, facts, orderId) => {
      if (problem === undefined) return
      throw new Failure(kind, addProblem(facts), {
        orderId,
        fix: (suggest) => suggest`get ${orderId}`,
        advice: 'Write down the order id.',
        cause: problem,
      })
    },
    addTo: (failure) => (problem === undefined ? failure : rewrite(failure, addProblem(failure.message))),
  }
}
