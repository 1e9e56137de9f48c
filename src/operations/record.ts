// Writes to the journal before and after a call. If the intent cannot be written, nothing is sent. If the outcome cannot
// be written, the error still says what happened.
import { Failure } from '../errors.ts'
import { rewrite } from './failures/order-failure.ts'

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

export type Written<Result> = {
  /** Undefined if the journal could not be written. */
  readonly result: Result | undefined
  /** Throws an error with the order id, which is not in the journal. */
  orThrow(kind: 'unknown' | 'local-state', facts: string, orderId: string): void
  /** Adds the journal's problem to a different failure. */
  addTo(failure: Failure): Failure
}

export const recordOutcome = async <Result>(work: () => Promise<Result>): Promise<Written<Result>> => {
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
