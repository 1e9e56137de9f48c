// Writes to the journal around a call. If the intent cannot be written, nothing is sent. If the outcome cannot be
// written, the error still says what happened.

import { Failure } from '../errors.ts'
import { quoteShellWord } from '../text/shell-word.ts'

/** `facts` tell how things are without the call. */
export const recordIntent = <Result>(write: () => Result, facts: string, orderId?: string): Result => {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(error.kind, `${error.message}; ${facts}`, {
      ...error.details,
      ...(orderId === undefined ? {} : { orderId }),
    })
  }
}

type Recorded<Result> = {
  /** What the journal returned; undefined if it could not be written. */
  readonly result: Result | undefined
  /** The error has to name the order, because the journal does not. */
  orThrow(kind: 'unknown' | 'local-state', facts: string, orderId: string): void
  /** Adds the journal's problem to a failure that says what happened. */
  beside(failure: Failure): Failure
}

export const recordOutcome = <Result>(write: () => Result): Recorded<Result> => {
  const { result, problem } = attempt(write)
  return {
    result,
    orThrow: (kind, facts, orderId) => {
      if (problem === undefined) return
      throw new Failure(kind, `${facts}; the journal could not be written: ${problem.message}`, {
        orderId,
        fix: `Keep the id. Look at the order: orderctl get ${quoteShellWord(orderId)}`,
        cause: problem,
      })
    },
    beside: (failure) =>
      problem === undefined
        ? failure
        : new Failure(
            failure.kind,
            `${failure.message}; the journal could not be written: ${problem.message}`,
            failure.details,
          ),
  }
}

// Whatever was thrown, it must not hide what the answer said.
const attempt = <Result>(write: () => Result): { result?: Result; problem?: Error } => {
  try {
    return { result: write() }
  } catch (error) {
    return { problem: error instanceof Error ? error : new Error(String(error)) }
  }
}
