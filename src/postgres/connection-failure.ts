// Explains why a connection to PostgreSQL could not be made, or why it ended.
import { getErrorReason } from '../files.ts'
import type { ConnectionLost } from './lost-connection.ts'

/** `%s` in `what` is the address. */
type Explanation = { readonly what: string; readonly fix: string }

const checkHost = 'Check the host and the port, and that the server runs and accepts connections.'
const tryLater = 'Run the command again when the server is ready.'

const passwordFix = 'Check the password in PGPASSWORD or ~/.pgpass, and the user in the address.'

/** Keyed by SQLSTATE or the code of Node. */
const byCode: ReadonlyMap<string, Explanation> = new Map([
  ['28P01', { what: 'cannot connect to %s: the password is wrong', fix: passwordFix }],
  ['3D000', { what: 'cannot connect to %s: the database does not exist', fix: 'Create it with createdb.' }],
  [
    '42501',
    {
      what: 'cannot connect to %s: permission denied',
      fix: 'Ask its owner to run GRANT CONNECT for your role.',
    },
  ],
  [
    '53300',
    {
      what: 'cannot connect to %s: too many connections',
      fix: 'Run the command again later, or raise max_connections, or use PgBouncer.',
    },
  ],
  ['57P01', { what: 'the server of %s shut down', fix: tryLater }],
  ['57P02', { what: 'the server of %s crashed and restarts', fix: tryLater }],
  ['57P03', { what: 'cannot connect to %s: the server is starting or stopping', fix: tryLater }],
  ['57P04', { what: 'cannot connect to %s: the database was dropped', fix: 'Create it with createdb.' }],
  [
    '25P03',
    { what: 'the server of %s ended a transaction that paused too long', fix: 'Run the command again.' },
  ],
  ['ECONNREFUSED', { what: 'cannot connect to %s: connection refused', fix: checkHost }],
  [
    'ENOTFOUND',
    { what: 'cannot connect to %s: the host does not exist', fix: 'Check the name of the host.' },
  ],
  [
    'EAI_AGAIN',
    {
      what: 'cannot connect to %s: the name of the host cannot be looked up',
      fix: 'Check the network and the name of the host.',
    },
  ],
  [
    'ENOENT',
    {
      what: 'cannot connect to %s: the folder has no socket of PostgreSQL',
      fix: 'Check the folder and the port, and that the server runs.',
    },
  ],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    {
      what: 'cannot connect to %s: the certificate of the server is for another host',
      fix: 'Use the name in the certificate as the host, or add sslmode=verify-ca to the address.',
    },
  ],
  [
    'CERT_HAS_EXPIRED',
    {
      what: 'cannot connect to %s: the certificate of the server has expired',
      fix: 'Renew the certificate on the server.',
    },
  ],
])

const untrusted = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'],
])

export const explainConnectionError = ({ cause, when, isTimeout }: ConnectionLost): Explanation => {
  const error = cause as NodeJS.ErrnoException
  const code = error.code ?? ''
  const known = byCode.get(code)
  if (known !== undefined) return known
  if (isTimeout) {
    const what = when === 'connecting' ? 'cannot connect to %s: no answer' : 'no answer from %s'
    return { what: `${what} (${error.message})`, fix: checkHost }
  }
  if (untrusted.has(code)) {
    return {
      what: 'cannot connect to %s: the certificate of the server is not trusted',
      fix: 'Set sslrootcert in the address to the certificate of the authority that signed it.',
    }
  }
  if (/does not support SSL/.test(error.message)) {
    return {
      what: 'cannot connect to %s: the server does not offer TLS',
      fix: 'Turn on ssl on the server. Only if the network is private, add sslmode=disable to the address.',
    }
  }
  if (when === 'statement' && !/^\w{5}$/.test(code)) {
    return { what: 'the connection to %s was lost', fix: 'Run the command again when the server is ready.' }
  }
  return { what: `cannot connect to %s: ${getErrorReason(error)}`, fix: checkHost }
}
