// Explains why a connection to PostgreSQL could not be made, or why it ended.
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'
import type { ConnectionLost } from './lost-connection.ts'

/** Follows "cannot connect to ADDRESS: ". */
type Explanation = {
  readonly reason: string
  readonly fix: string
  /** The same command may succeed later. */
  readonly isTransient?: true
}

/** Why the server ended a connection. */
type Ending = Pick<Explanation, 'fix' | 'isTransient'> & { readonly what: (address: string) => string }

const checkHost = 'Check the host and the port, and that the server runs and accepts connections.'
const tryLater = 'Run the command again when the server is ready.'
const wrongPassword: Explanation = {
  reason: 'the password is wrong',
  fix: 'Check the password, and the user in the address. PGPASSWORD and ~/.pgpass come before a prompt.',
}
const missingDatabase: Explanation = {
  reason: 'the database does not exist',
  fix: 'Check its name in the address: psql --list shows the databases of a server. To create it, use createdb.',
}

/** Keyed by SQLSTATE, or by the code of an error of Node. */
const explanations: ReadonlyMap<string, Explanation> = new Map(
  Object.entries({
    '28P01': wrongPassword,
    '3D000': missingDatabase,
    '53300': {
      reason: 'too many connections',
      fix: 'Run the command again later, or raise max_connections, or use PgBouncer.',
      isTransient: true,
    },
    '57P03': { reason: 'the server is starting or stopping', fix: tryLater, isTransient: true },
    ECONNREFUSED: { reason: 'connection refused', fix: checkHost, isTransient: true },
    ENOTFOUND: { reason: 'the host does not exist', fix: 'Check the name of the host.' },
    EAI_AGAIN: {
      reason: 'the name of the host cannot be looked up',
      fix: 'Check the network and the name of the host.',
      isTransient: true,
    },
    ENOENT: {
      reason: 'the folder has no socket of PostgreSQL',
      fix: 'Check the folder and the port, and that the server runs.',
      isTransient: true,
    },
    ERR_TLS_CERT_ALTNAME_INVALID: {
      reason: 'the certificate of the server is for another host',
      fix: 'Use the name in the certificate as the host, or add sslmode=verify-ca to the address.',
    },
    CERT_HAS_EXPIRED: {
      reason: 'the certificate of the server has expired',
      fix: 'Renew the certificate on the server.',
    },
  }),
)

/** Keyed by SQLSTATE. */
const endings: ReadonlyMap<string, Ending> = new Map(
  Object.entries<Ending>({
    '57P01': { what: (address) => `the server of ${address} shut down`, fix: tryLater, isTransient: true },
    '57P02': {
      what: (address) => `the server of ${address} crashed and restarts`,
      fix: tryLater,
      isTransient: true,
    },
    '57P04': { what: (address) => `the database ${address} was dropped`, fix: 'Create it with createdb.' },
    '25P03': {
      what: (address) => `the server of ${address} ended a transaction that paused too long`,
      fix: 'Run the command again.',
      isTransient: true,
    },
  }),
)

const networkCodes = new Set(['ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'])

const untrusted = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'],
])

/** PgBouncer reports these with the code of a protocol violation. */
const explainPgBouncer = (message: string): Explanation | undefined => {
  if (message === 'SASL authentication failed') return wrongPassword
  return /^no such database|^database ".*" does not exist$/.test(message) ? missingDatabase : undefined
}

export const writeGrant = (user: string): string =>
  `Ask the owner of its tables to run orderctl journal migrate --grant ${user}`

const explainRefusal = (message: string, user: string): Explanation => {
  if (message.endsWith('no encryption'))
    return { reason: 'the server wants TLS', fix: 'Add sslmode=require to the address.' }
  return message.endsWith('is not permitted to log in')
    ? { reason: message, fix: `An administrator of the server can change that: ALTER ROLE "${user}" LOGIN` }
    : { reason: message, fix: 'Ask the administrator of the server for access (pg_hba.conf).' }
}

const explainAttempt = (error: NodeJS.ErrnoException, isTimeout: boolean, user: string): Explanation => {
  const { code = '', message } = error
  const known = explanations.get(code) ?? explainPgBouncer(message)
  if (known !== undefined) return known
  if (code === '42501')
    return {
      reason: `the role ${user} may not connect`,
      fix: `${writeGrant(user)}. That also lets the role connect.`,
    }
  if (isTimeout) return { reason: `no answer (${message})`, fix: checkHost, isTransient: true }
  if (untrusted.has(code)) {
    return {
      reason: 'the certificate of the server is not trusted',
      fix: 'Set sslrootcert in the address to the certificate of the authority that signed it.',
    }
  }
  if (code === '28000') return explainRefusal(message, user)
  // pg reports these two without a code.
  if (message.includes('does not support SSL')) {
    return {
      reason: 'the server does not offer TLS',
      fix: 'Turn on ssl on the server. Only if the network is private, add sslmode=disable to the address.',
    }
  }
  if (message.startsWith('Connection terminated'))
    return { reason: 'the server ended the connection', fix: checkHost, isTransient: true }
  const isNetwork = networkCodes.has(code)
  return { reason: getErrorReason(error), fix: checkHost, ...(isNetwork ? { isTransient: true } : {}) }
}

export const explainLostConnection = (
  { cause, when, isTimeout }: ConnectionLost,
  { text: address, user }: Pick<Address, 'text' | 'user'>,
): { readonly what: string; readonly fix: string; readonly retryable: boolean } => {
  const error = cause as NodeJS.ErrnoException
  const ending = endings.get(error.code ?? '')
  if (ending !== undefined) {
    const { what, fix, isTransient = false } = ending
    return { what: what(address), fix, retryable: isTransient }
  }
  if (when === 'connecting') {
    const { reason, fix, isTransient = false } = explainAttempt(error, isTimeout, user)
    return { what: `cannot connect to ${address}: ${reason}`, fix, retryable: isTransient }
  }
  if (isTimeout)
    return { what: `no answer from ${address} (${error.message})`, fix: checkHost, retryable: true }
  const reason = 'severity' in error ? `: ${error.message}` : ''
  return { what: `the connection to ${address} was lost${reason}`, fix: tryLater, retryable: true }
}
