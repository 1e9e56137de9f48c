// create --idempotent when another process orders with the same reference at the same time.
import { Failure } from '../../errors.ts'

/** The advice for a second order of the reference would buy twice. */
export const explainLostRace =
  (isIdempotent: boolean) =>
  (error: unknown): never => {
    if (!isIdempotent || !(error instanceof Failure) || error.kind !== 'duplicate') throw error
    throw new Failure('duplicate', error.message, {
      ...error.details,
      fix: 'Another process uses this reference now. Run the same command again in a minute: it continues the order of the reference.',
      retryable: true,
      cause: error,
    })
  }
