// The journal around a call. Before it: what cannot be written is not sent. After the answer: what happened has
// happened, whether or not it can be written.
import { shellWord } from '../contract/shell-word.ts'
import { Failure } from '../errors.ts'

/** Where it cannot be written: how things stand without the call. */
export const beforehand = <Result>(write: () => Result, facts: string, orderId?: string): Result => {
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

export const afterwards = (write: () => void) => {
  const problem = problemOf(write)
  return {
    /** What is certain goes to whoever reads the error: it stands nowhere else. */
    orThrow: (facts: string, orderId: string): void => {
      if (problem === undefined) return
      throw new Failure('unknown', `${facts}; the journal could not be written: ${problem.message}`, {
        orderId,
        fix: `Keep the id. Look at it: orderctl get ${shellWord(orderId)}`,
        cause: problem,
      })
    },
    /** With a failure that says by itself what happened. */
    beside: (failure: Failure): Failure =>
      problem === undefined
        ? failure
        : new Failure(
            failure.kind,
            `${failure.message}; the journal could not be written: ${problem.message}`,
            failure.details,
          ),
  }
}

// Whatever it was, what the answer said must not be hidden by it.
const problemOf = (write: () => void): Error | undefined => {
  try {
    write()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
