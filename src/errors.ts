// The typed errors: thrown anywhere, caught once in run.ts, mapped to an exit code once.
import type { ExitName } from './exit-codes.ts'

type Details = {
  /** What to type or do next. */
  readonly fix?: string
  /** Where the fault lies: a flag, a file, a path in a document. */
  readonly field?: string
  readonly status?: number
  readonly orderId?: string
  readonly retryable?: boolean
  /** The refusal says that what was asked for is so already. */
  readonly already?: true
  /** From this moment on, ordering anew is safe. */
  readonly safeFrom?: string
  /** Everything that is wrong with a document, a line each. */
  readonly violations?: readonly string[]
  readonly cause?: unknown
}

/** An error that a person can act on; anything else that is thrown is a defect. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: ExitName
  readonly details: Details

  constructor(kind: ExitName, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.kind = kind
    this.details = details
  }
}
