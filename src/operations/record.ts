// Writes to the journal before and after a call. If the intent cannot be written, nothing is sent. If the outcome cannot
// be written, the error still says what happened.
import { Failure } from '../errors.ts'

/** `facts`: what is true if the call is not sent. */
export const recordIntent = async <Result>(
  work: () => Promise<Result>,
  { facts, orderId }: { readonly facts: string; readonly orderId?: string },
): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(error.kind, `${error.message}; ${facts}`, {
      ...error.details,
      orderId: orderId ?? error.details.orderId,
    })
  }
}

/** For work before the first request: `facts` is added to a failure of the journal. */
export const withFacts = async <Result>(facts: string, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'local-state' || error.message.includes(facts))
      throw error
    throw new Failure(error.kind, `${error.message}; ${facts}`, error.details)
  }
}

export type Recorded<Result> = {
  /** Undefined if the journal could not be written. */
  readonly result: Result | undefined
  /** Throws an error with the order id, which the journal does not have. */
  orThrow(kind: 'unknown' | 'local-state', facts: string, orderId: string): void
  /** Adds the problem of the journal to another failure. */
  addTo(failure: Failure): Failure
}

export const recordOutcome = async <Result>(work: () => Promise<Result>): Promise<Recorded<Result>> => {
  let result: Result | undefined
  let problem: Error | undefined
  try {
    result = await work()
  } catch (error) {
    // Catches everything: no error of the journal may hide the response of the service.
    problem = error instanceof Error ? error : new Error(String(error))
  }
  return {
    result,
    orThrow: (kind, facts, orderId) => {
      if (problem === undefined) return
      throw new Failure(kind, `${facts}; the journal could not be written: ${problem.message}`, {
        orderId,
        fix: (suggest) => `Write down the order id. Show the order: ${suggest`get ${orderId}`}`,
        cause: problem,
      })
    },
    addTo: (failure) =>
      problem === undefined
        ? failure
        : new Failure(
            failure.kind,
            `${failure.message}; the journal could not be written: ${problem.message}`,
            failure.details,
          ),
  }
}
