// Explains why a PostgreSQL database cannot be used, and what to do.
import { Failure } from '../errors.ts'
import type { Address } from './address.ts'
import { explainLostConnection, writeGrant } from './connection-failure.ts'
import { ConnectionLost } from './lost-connection.ts'

/** Follows the address. */
type Explanation = { readonly what: string; readonly fix: string; readonly retryable?: true }

const busy = {
  what: 'is too busy',
  fix: 'Other transactions change the same rows. Run the command again.',
  retryable: true,
} as const

/** Keyed by SQLSTATE. Any other error of a statement is a defect of orderctl. */
const explanations: ReadonlyMap<string, Explanation> = new Map(
  Object.entries<Explanation>({
    '25006': {
      what: 'is read-only',
      fix: 'The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.',
    },
    '40001': busy,
    '40P01': busy,
    '53100': { what: 'has no disk space', fix: 'Free disk space on the server, then run the command again.' },
    '53200': { what: 'is out of memory', fix: 'Free memory on the server, then run the command again.' },
    '55P03': {
      what: 'is locked by another transaction',
      fix: 'Run the command again later.',
      retryable: true,
    },
    '57014': {
      what: 'took too long to answer',
      fix: 'Run the command again when the server is less busy.',
      retryable: true,
    },
    '58030': { what: 'cannot read or write its disk', fix: 'Check the disk and the log of the server.' },
    XX001: { what: 'is damaged', fix: 'Check the log of the server, and restore a backup.' },
    XX002: { what: 'has a damaged index', fix: 'Check the log of the server, and run REINDEX.' },
  }),
)

/** What PostgreSQL says names the table or the file. */
const hasDetail = (code: string): boolean => ['53100', '58030', 'XX001', 'XX002'].includes(code)

/** Converts an error of the network or the server to a failure. Returns any other error unchanged. */
export const toFailure = (error: unknown, address: Pick<Address, 'text' | 'user'>): unknown => {
  if (error instanceof ConnectionLost) {
    const { what, fix, retryable } = explainLostConnection(error, address)
    return new Failure('local-state', what, { fix, retryable, cause: error })
  }
  if (!(error instanceof Error) || error instanceof Failure) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code === '42501') {
    const what = `the role ${address.user} lacks a permission in ${address.text}: ${message}`
    return new Failure('local-state', what, { fix: `${writeGrant(address.user)}.`, cause: error })
  }
  const explanation = explanations.get(code)
  if (explanation === undefined) return error
  const { what, fix, retryable = false } = explanation
  const detail = hasDetail(code) ? `: ${message}` : ''
  return new Failure('local-state', `${address.text} ${what}${detail}`, { fix, retryable, cause: error })
}
