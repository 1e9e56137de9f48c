// Returns the Failure that the work throws.
import { inspect } from 'node:util'
import { Failure } from '../../src/errors.ts'

export const failureOf = async (work: () => unknown): Promise<Failure> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Everything that could be shown: message, details, stack and cause. */
export const everythingOf = (failure: Failure): string =>
  inspect(failure, { depth: null, showHidden: true }) + JSON.stringify(failure.details)
