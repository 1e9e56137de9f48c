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

const advices = {
  access: "Ask the server's administrator for access (pg_hba.conf).",
  authority: 'Set sslrootcert in the address to the certificate of the authority that signed it.',
  certificate: 'Renew the certificate on the server.',
  connections: 'Run the command again later, or raise max_connections, or use PgBouncer.',
  database:
    'Check its name in the address: psql --list shows the databases of a server. To create it, use createdb.',
  grant: 'Ask the owner of its tables to run orderctl journal migrate --grant USER.',
  host: 'Check the host and the port, and that the server runs and accepts connections.',
  hostInCertificate: 'Use the name in the certificate as the host, or add sslmode=verify-ca to the address.',
  hostName: 'Check the host name.',
  later: 'Run the command again later.',
  limits: 'Ask the owner of its tables to run orderctl journal migrate --grant-limits USER.',
  login: 'An administrator of the server can change that: ALTER ROLE "USER" LOGIN',
  network: 'Check the network and the host name.',
  noTls: 'Turn on ssl on the server. Only if the network is private, add sslmode=disable to the address.',
  password: 'Check the password, and the user in the address. PGPASSWORD and ~/.pgpass come before a prompt.',
  primary:
    'The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.',
  retry: 'Run the command again.',
  rows: 'Other transactions change the same rows. Run the command again.',
  serverLog: "Check the server's log, then run the command again.",
  socket: 'Check the folder and the port, and that the server runs.',
  tls: 'Add sslmode=require to the address.',
  whenLessBusy: 'Run the command again when the server is less busy.',
  whenReady: 'Run the command again when the server is ready.',
}

/**
 * The pattern matches an error's code (SQLSTATE, or Node's), a space and its message. ADDRESS, USER and REASON stand
 * for the address, its user, and the message.
 */
type Row = readonly [pattern: RegExp, what: string, advice: string, canSucceedLater?: 'transient']

const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED)/

/** Why a connection could not be made. A text without ADDRESS follows "cannot connect to ADDRESS: ". */
const attempts: readonly Row[] = [
  // PgBouncer sends only the second message of these two, and the last two of the next three.
  [/^28P01|^08P01 SASL authentication failed$/, 'the password is wrong', advices.password],
  [
    /^3D000|^08P01 no such database|^08P01 database ".*" does not exist$/,
    'the database does not exist',
    advices.database,
  ],
  [/^42501/, 'the role USER may not connect', `${advices.grant} That also lets the role connect.`],
  [/^28000.*no encryption$/, 'the server wants TLS', advices.tls],
  [/^28000.*is not permitted to log in$/, 'REASON', advices.login],
  [/^28000/, 'REASON', advices.access],
  [/^53300/, 'too many connections', advices.connections, 'transient'],
  [/^57P03/, 'the server is starting or stopping', advices.whenReady, 'transient'],
  [/^ECONNREFUSED/, 'connection refused', advices.host, 'transient'],
  [/^ETIMEDOUT/, 'no response (REASON)', advices.host, 'transient'],
  [/^(ECONNRESET|EPIPE|E(HOST|NET)(DOWN|UNREACH))/, 'REASON', advices.host, 'transient'],
  [/^ENOTFOUND/, 'the host does not exist', advices.hostName],
  [/^EAI_AGAIN/, 'the host name cannot be resolved', advices.network, 'transient'],
  [/^ENOENT/, 'the folder contains no PostgreSQL socket', advices.socket, 'transient'],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    "the server's certificate is for a different host",
    advices.hostInCertificate,
  ],
  [/^CERT_HAS_EXPIRED/, "the server's certificate has expired", advices.certificate],
  [untrusted, "the server's certificate is not trusted", advices.authority],
  // pg reports these two without a code.
  [/^ .*does not support SSL/, 'the server does not offer TLS', advices.noTls],
  [/^ Connection terminated/, 'the server ended the connection', advices.host, 'transient'],
]

/** Raised by journal/shared-journal.ts. */
const limitOfRole = /^P0001 the limit \S+ of the role/

/** Why the server refused a statement, or ended the connection. Any other refusal is a defect of orderctl. */
const refusals: readonly Row[] = [
  [/^25006/, 'ADDRESS is read-only', advices.primary],
  [/^25P03/, 'the server of ADDRESS ended a transaction that paused too long', advices.retry, 'transient'],
  [/^(40001|40P01)/, 'ADDRESS is too busy', advices.rows, 'transient'],
  [
    /^42501 permission denied for table limits$/,
    'the role USER may not change limits in ADDRESS; nothing was changed',
    advices.limits,
  ],
  [/^42501/, 'the role USER lacks a permission in ADDRESS: REASON', advices.grant],
  [/^55P03/, 'ADDRESS is locked by another transaction', advices.later, 'transient'],
  [/^57014/, 'ADDRESS took too long to respond', advices.whenLessBusy, 'transient'],
  [/^57P/, 'the server of ADDRESS shut down', advices.whenReady, 'transient'],
  [limitOfRole, 'REASON', 'A colleague with a different role can run this command.'],
  // A shortage or error of the server itself. The outcome of a call is then kept on this machine.
  [/^53/, 'ADDRESS lacks a resource: REASON', advices.later, 'transient'],
  [/^(58|XX)/, 'ADDRESS failed internally: REASON', advices.serverLog],
]

const otherAttempt: Row = [/^/, 'REASON', advices.host]

/** Why a connection ended after it was made. */
const losses: readonly Row[] = [
  [/^ETIMEDOUT/, 'no response from ADDRESS (REASON)', advices.host, 'transient'],
  // A PostgreSQL code. Node's codes begin with E.
  [/^[^E ]\w{4} /, 'the connection to ADDRESS was lost: REASON', advices.whenReady, 'transient'],
  [/^/, 'the connection to ADDRESS was lost', advices.whenReady, 'transient'],
]

const listRows = (lost: ConnectionLost | undefined): readonly Row[] => {
  if (lost === undefined) return refusals
  return lost.when === 'connecting' ? [...attempts, ...refusals, otherAttempt] : [...refusals, ...losses]
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
