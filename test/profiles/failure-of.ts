// The Failure that work ends with; anything else that it throws, or nothing, is none.
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

/** All that could be shown of it: message, details, stack, cause. */
export const everythingOf = (failure: Failure): string =>
  inspect(failure, { depth: null, showHidden: true }) + JSON.stringify(failure.details)
