// Explains why a PostgreSQL database cannot be used, and what to do.
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'

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

type Explanation = {
  readonly what: string
  readonly fix: string
  /** The same command may succeed later. */
  readonly retryable?: boolean
}
type Row = readonly [what: string, fix: string]
/** Keyed by SQLSTATE, or by the code of an error of Node. */
type Table = Readonly<Record<string, Row>>

const checkHost = 'Check the host and the port, and that the server runs and accepts connections.'
const tryLater = 'Run the command again when the server is ready.'
const wrongPassword: Row = [
  'the password is wrong',
  'Check the password, and the user in the address. PGPASSWORD and ~/.pgpass come before a prompt.',
]
const missingDatabase: Row = [
  'the database does not exist',
  'Check its name in the address: psql --list shows the databases of a server. To create it, use createdb.',
]
const untrusted: Row = [
  'the certificate of the server is not trusted',
  'Set sslrootcert in the address to the certificate of the authority that signed it.',
]
const noTls: Row = [
  'the server does not offer TLS',
  'Turn on ssl on the server. Only if the network is private, add sslmode=disable to the address.',
]

/** Why a connection could not be made. Follows "cannot connect to ADDRESS: ". */
const attempts: Table = {
  '28P01': wrongPassword,
  '3D000': missingDatabase,
  '53300': [
    'too many connections',
    'Run the command again later, or raise max_connections, or use PgBouncer.',
  ],
  '57P03': ['the server is starting or stopping', tryLater],
  ECONNREFUSED: ['connection refused', checkHost],
  ENOTFOUND: ['the host does not exist', 'Check the name of the host.'],
  EAI_AGAIN: ['the name of the host cannot be looked up', 'Check the network and the name of the host.'],
  ENOENT: [
    'the folder has no socket of PostgreSQL',
    'Check the folder and the port, and that the server runs.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'the certificate of the server is for another host',
    'Use the name in the certificate as the host, or add sslmode=verify-ca to the address.',
  ],
  CERT_HAS_EXPIRED: ['the certificate of the server has expired', 'Renew the certificate on the server.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_UNTRUSTED: untrusted,
}

/** Why the server ended a connection. */
const endings: Table = {
  '57P01': ['the server of ADDRESS shut down', tryLater],
  '57P02': ['the server of ADDRESS crashed and restarts', tryLater],
  '57P04': ['the database ADDRESS was dropped', 'Create it with createdb.'],
  '25P03': ['the server of ADDRESS ended a transaction that paused too long', 'Run the command again.'],
}

const busy: Row = ['ADDRESS is too busy', 'Other transactions change the same rows. Run the command again.']

/** Why the server refused a statement. Any other error is a defect of orderctl. REASON is the message of the server. */
const refusals: Table = {
  '25006': [
    'ADDRESS is read-only',
    'The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.',
  ],
  '40001': busy,
  '40P01': busy,
  '53100': [
    'ADDRESS has no disk space: REASON',
    'Free disk space on the server, then run the command again.',
  ],
  '53200': ['ADDRESS is out of memory', 'Free memory on the server, then run the command again.'],
  '55P03': ['ADDRESS is locked by another transaction', 'Run the command again later.'],
  '57014': ['ADDRESS took too long to answer', 'Run the command again when the server is less busy.'],
  '58030': ['ADDRESS cannot read or write its disk: REASON', 'Check the disk and the log of the server.'],
  XX001: ['ADDRESS is damaged: REASON', 'Check the log of the server, and restore a backup.'],
  XX002: ['ADDRESS has a damaged index: REASON', 'Check the log of the server, and run REINDEX.'],
}

/** The same command may succeed later. */
const transientCodes = [
  ...['53300', '57P01', '57P02', '57P03', '25P03', '40001', '40P01', '55P03', '57014'],
  ...['ECONNREFUSED', 'EAI_AGAIN', 'ENOENT'],
  ...['ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'],
]

type Place = Pick<Address, 'text' | 'user'>

/** Converts an error of the network or the server to a failure. Returns any other error unchanged. */
export const toFailure = (error: unknown, place: Place): unknown => {
  if (!(error instanceof Error) || error instanceof Failure) return error
  const explanation =
    error instanceof ConnectionLost ? explainLost(error, place) : explainRefusal(error, place)
  if (explanation === undefined) return error
  const { what, fix, retryable = false } = explanation
  return new Failure('local-state', what, { fix, retryable, cause: error })
}

const explainRefusal = (error: NodeJS.ErrnoException, { text, user }: Place): Explanation | undefined => {
  if (error.code !== '42501') return findRow(refusals, error, text)
  const what = `the role ${user} lacks a permission in ${text}: ${error.message}`
  return { what, fix: `${writeGrant(user)}.` }
}

const explainLost = ({ cause, when, isTimeout }: ConnectionLost, { text, user }: Place): Explanation => {
  const error = cause as NodeJS.ErrnoException
  const ending = findRow(endings, error, text)
  if (ending !== undefined) return ending
  if (when === 'connecting') {
    const { what, ...rest } = explainAttempt(error, isTimeout, user)
    return { what: `cannot connect to ${text}: ${what}`, ...rest }
  }
  if (isTimeout) return { what: `no answer from ${text} (${error.message})`, fix: checkHost, retryable: true }
  const reason = 'severity' in error ? `: ${error.message}` : ''
  return { what: `the connection to ${text} was lost${reason}`, fix: tryLater, retryable: true }
}

const findRow = (
  table: Table,
  { code = '', message }: NodeJS.ErrnoException,
  address: string,
): Explanation | undefined => {
  const [what, fix] = table[code] ?? []
  if (what === undefined || fix === undefined) return undefined
  const filled = what.replace(/ADDRESS|REASON/g, (word) => (word === 'ADDRESS' ? address : message))
  return { what: filled, fix, retryable: transientCodes.includes(code) }
}

const explainAttempt = (error: NodeJS.ErrnoException, isTimeout: boolean, user: string): Explanation => {
  const { code = '', message } = error
  const isTransient = transientCodes.includes(code)
  const known = attempts[code] ?? findByMessage(message)
  if (known !== undefined) return { what: known[0], fix: known[1], retryable: isTransient }
  if (code === '42501')
    return {
      what: `the role ${user} may not connect`,
      fix: `${writeGrant(user)}. That also lets the role connect.`,
    }
  if (code === '28000') return explainLogin(message, user)
  if (isTimeout) return { what: `no answer (${message})`, fix: checkHost, retryable: true }
  if (message.startsWith('Connection terminated'))
    return { what: 'the server ended the connection', fix: checkHost, retryable: true }
  return { what: getErrorReason(error), fix: checkHost, retryable: isTransient }
}

/** PgBouncer reports the first two with the code of a protocol violation, and pg the last one without a code. */
const findByMessage = (message: string): Row | undefined => {
  if (message === 'SASL authentication failed') return wrongPassword
  if (/^no such database|^database ".*" does not exist$/.test(message)) return missingDatabase
  return message.includes('does not support SSL') ? noTls : undefined
}
const explainLogin = (message: string, user: string): Explanation => {
  if (message.endsWith('no encryption'))
    return { what: 'the server wants TLS', fix: 'Add sslmode=require to the address.' }
  return message.endsWith('is not permitted to log in')
    ? { what: message, fix: `An administrator of the server can change that: ALTER ROLE "${user}" LOGIN` }
    : { what: message, fix: 'Ask the administrator of the server for access (pg_hba.conf).' }
}

const writeGrant = (user: string): string =>
  `Ask the owner of its tables to run orderctl journal migrate --grant ${user}`
