// Explains why a PostgreSQL database cannot be used, and what to do.
import { Failure } from '../errors.ts'
import { explainConnectionError } from './connection-failure.ts'
import { ConnectionLost } from './lost-connection.ts'

type Explanation = { readonly what: string; readonly fix: string }

/** Keyed by SQLSTATE. A server that is not listed here has found a defect of orderctl. */
const explanations: ReadonlyMap<string, Explanation> = new Map([
  [
    '25006',
    {
      what: 'is read-only',
      fix: 'The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.',
    },
  ],
  [
    '42501',
    { what: 'denies a permission', fix: 'Ask its owner to grant your role the permissions of orderctl.' },
  ],
  ['53100', { what: 'has no disk space', fix: 'Free disk space on the server, then run the command again.' }],
  ['53200', { what: 'is out of memory', fix: 'Free memory on the server, then run the command again.' }],
  ['55P03', { what: 'is locked by another transaction', fix: 'Run the command again later.' }],
  ['57014', { what: 'took too long to answer', fix: 'Run the command again when the server is less busy.' }],
  ['40001', { what: 'is too busy', fix: 'Other transactions change the same rows. Run the command again.' }],
  ['40P01', { what: 'is too busy', fix: 'Other transactions change the same rows. Run the command again.' }],
  ['58030', { what: 'cannot read or write its disk', fix: 'Check the disk and the log of the server.' }],
  ['XX001', { what: 'is damaged', fix: 'Check the log of the server, and restore a backup.' }],
  ['XX002', { what: 'has a damaged index', fix: 'Check the log of the server, and run REINDEX.' }],
])

/** Converts an error of the network or the server to a failure. Returns any other error unchanged. */
export const toFailure = (error: unknown, address: string): unknown => {
  if (error instanceof Failure || !(error instanceof Error)) return error
  if (error instanceof ConnectionLost) {
    const { what, fix } = explainConnectionError(error)
    return new Failure('local-state', `${what.replace('%s', () => address)}`, { fix, cause: error })
  }
  const { code, message } = error as NodeJS.ErrnoException
  const explanation = explanations.get(code ?? '')
  if (explanation === undefined) return error
  const detail = code === '42501' || code === '53100' ? `: ${message}` : ''
  return new Failure('local-state', `${address} ${explanation.what}${detail}`, {
    fix: explanation.fix,
    cause: error,
  })
}
