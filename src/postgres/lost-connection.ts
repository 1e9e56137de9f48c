// The errors of a connection that failed, and what is then known about the database.
import { Failure } from '../errors.ts'

/** The cause is the error of the network or of pg, or the last words of the server. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
  /** `connecting`: no connection was made. `statement`: the server may have received the statement. */
  readonly when: 'connecting' | 'statement'
  readonly isTimeout: boolean

  constructor(when: ConnectionLost['when'], cause: unknown) {
    super('the connection to PostgreSQL failed', { cause })
    this.when = when
    this.isTimeout = (cause as NodeJS.ErrnoException).code === timeoutCode
  }
}

/** The connection failed after COMMIT was sent, so the transaction may or may not be on disk. */
export class UnknownCommit extends Failure {
  constructor(address: string, cause: unknown) {
    super('local-state', `the connection to ${address} was lost during a commit`, {
      fix: 'It is unknown whether the change was saved.',
      cause,
    })
  }
}

const timeoutCode = 'ETIMEDOUT'

export const createTimeout = (what: string, ms: number): Error =>
  Object.assign(new Error(`${what} took longer than ${ms} ms`), { code: timeoutCode })

/** Also finds the reason of a Failure. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof ConnectionLost || (error instanceof Error && isConnectionLost(error.cause))

type ServerError = Error & { readonly code: string; readonly severity: string }

/** Whether the server refused a statement. The connection can be used again. */
export const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'
