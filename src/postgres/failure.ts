// Explains why a PostgreSQL database cannot be used, and what to do.
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'

/** The cause is an error of the network or of pg, or the server's last message. */
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
  /** Of the transaction, if it was committed. */
  readonly result: unknown

  constructor(address: string, cause: unknown, result?: unknown) {
    super('local-state', `the connection to ${address} was lost during a commit`, {
      advice: 'It is unknown whether the change was saved.',
      cause,
    })
    this.result = result
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

const checkHost = 'Check the host and the port, and that the server runs and accepts connections.'
const waitAndRepeat = 'Run the command again later.'
const grant = 'Ask the owner of its tables to run orderctl journal migrate --grant USER.'

/**
 * The pattern matches an error's code (SQLSTATE, or Node's), a space and its message. ADDRESS, USER and REASON stand
 * for the address, its user, and the message.
 */
type Row = readonly [pattern: RegExp, what: string, advice: string, canSucceedLater?: 'transient']

/** Why a connection could not be made. A text without ADDRESS follows "cannot connect to ADDRESS: ". */
const attempts: readonly Row[] = [
  // PgBouncer sends only the second message of these two, and the last two of the next three.
  [
    /^28P01|^08P01 SASL authentication failed$/,
    'the password is wrong',
    'Check the password, and the user in the address. PGPASSWORD and ~/.pgpass come before a prompt.',
  ],
  [
    /^3D000|^08P01 no such database|^08P01 database ".*" does not exist$/,
    'the database does not exist',
    'Check its name in the address. To create it, use createdb.',
  ],
  [/^42501/, 'the role USER may not connect', `${grant} That also lets the role connect.`],
  [/^28000.*no encryption$/, 'the server wants TLS', 'Add sslmode=require to the address.'],
  [/^28000/, 'REASON', "Ask the server's administrator for access."],
  [/^(53300|57P03)/, 'REASON', waitAndRepeat, 'transient'],
  // Node tries all addresses of a name, and its error then has no message.
  [/^ECONNREFUSED/, 'connection refused', checkHost, 'transient'],
  [/^ENOTFOUND/, 'the host does not exist', 'Check the host name.'],
  [
    /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/,
    "the server's certificate is not trusted: REASON",
    'Use the name in the certificate as the host. For a private authority, set sslrootcert in the address.',
  ],
  [
    /^ .*does not support SSL/,
    'the server does not offer TLS',
    'Turn on ssl on the server. Only if the network is private, add sslmode=disable to the address.',
  ],
  [/^E[A-Z]+ |^ Connection terminated/, 'REASON', checkHost, 'transient'],
]

/** Raised by journal/shared-journal.ts. */
const limitOfRole = /^P0001 the limit \S+ of the role/

/** Why the server refused a statement, or ended the connection. Any other refusal is a defect of orderctl. */
const refusals: readonly Row[] = [
  [
    /^25006/,
    'ADDRESS is read-only',
    'The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.',
  ],
  [
    /^42501 permission denied for table limits$/,
    'the role USER may not change limits in ADDRESS; nothing was changed',
    'Ask the owner of its tables to run orderctl journal migrate --grant-limits USER.',
  ],
  [/^42501/, 'the role USER lacks a permission in ADDRESS: REASON', grant],
  [limitOfRole, 'REASON', 'A colleague with a different role can run this command.'],
  // A conflict, a time limit, a shortage or a shutdown. The outcome of a call is then kept on this machine.
  [/^(25P03|40001|40P01|53|55P03|57)/, 'ADDRESS is busy or shuts down: REASON', waitAndRepeat, 'transient'],
  [/^(58|XX)/, 'ADDRESS failed internally: REASON', "Check the server's log, then run the command again."],
]

const otherAttempt: Row = [/^/, 'REASON', checkHost]

/** A connection ended after it was made. */
const otherLoss: Row = [/^/, 'the connection to ADDRESS was lost: REASON', waitAndRepeat, 'transient']

const listRows = (lost: ConnectionLost | undefined): readonly Row[] => {
  if (lost === undefined) return refusals
  return lost.when === 'connecting' ? [...attempts, ...refusals, otherAttempt] : [...refusals, otherLoss]
}

/** Explains a network or server error. Returns any other error unchanged. */
export const toPostgresFailure = (
  error: unknown,
  { text, user }: Pick<Address, 'text' | 'user'>,
): unknown => {
  if (!(error instanceof Error) || error instanceof Failure) return error
  const lost = error instanceof ConnectionLost ? error : undefined
  const cause = (lost?.cause ?? error) as NodeJS.ErrnoException
  const key = `${cause.code ?? ''} ${cause.message}`
  const row = listRows(lost).find(([pattern]) => pattern.test(key))
  if (row === undefined) return error
  const [pattern, what, advice, canSucceedLater] = row
  const message =
    pattern === limitOfRole || what.includes('ADDRESS') ? what : `cannot connect to ADDRESS: ${what}`
  const words: Readonly<Record<string, string>> = { ADDRESS: text, USER: user, REASON: getErrorReason(cause) }
  const fill = (line: string): string => line.replace(/ADDRESS|USER|REASON/g, (word) => words[word] ?? word)
  const retryable = canSucceedLater === 'transient'
  return new Failure('local-state', fill(message), {
    advice: fill(advice),
    retryable,
    cause: error,
  })
}
