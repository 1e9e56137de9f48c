// Opens connections with the password that they need. pg's pool keeps a few, and lends each to one user at a time.

import { readFileSync, statSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Pool, type PoolClient } from 'pg'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'
import { type Connection, createConnectionClass, type Limits } from './connection.ts'
import { ConnectionLost } from './failure.ts'
import { describePasswordFile, lookUpPassword, type PasswordSources, writePasswordLine } from './password.ts'

export type PoolOptions = PasswordSources & {
  readonly address: Address
  /** Asks a person or a command for the password. Called once at most, if the server wants one and none is found. */
  readonly askPassword?: () => Promise<string | undefined>
  readonly limits: Limits
}

type Lent = Connection & PoolClient

export const createPool = (options: PoolOptions) => {
  const { address, askPassword, limits } = options
  const closing = new AbortController()
  const closed = closing.signal
  const mode = options.platform === 'win32' ? '' : ' (mode 0600)'
  const missing = new Failure(
    'local-state',
    `cannot connect to ${address.text}: the server asks for a password`,
    {
      advice: `Put it into PGPASSWORD, or add this line to ${describePasswordFile(options)}${mode}: ${writePasswordLine(address)}`,
    },
  )
  const warnings = new Set<string>()
  const warn = (text: string): void => {
    if (!warnings.has(text)) options.warn(text)
    warnings.add(text)
  }
  let asked: Promise<string | undefined> | undefined
  let given: string | undefined
  // Each connection looks up the password again, because a process may outlive it.
  const password = (): string => {
    const found = given ?? lookUpPassword(address, { ...options, warn })
    if (found === undefined) throw missing
    return found
  }

  const pool = new Pool({
    Client: createConnectionClass({ address, tls: createTlsOptions(address), password, limits, closed }),
    max: limits.connections,
    // An idle connection stays, and does not keep the process alive.
    ...{ idleTimeoutMillis: 0, allowExitOnIdle: true },
  })
  // An idle connection failed, and the pool has discarded it.
  pool.on('error', () => {})
  let trusted = new WeakSet<object>()
  pool.on('connect', (connection) => trusted.add(connection))

  /** Throws `missing` if the server asks for a password, and there is none. */
  const take = async (): Promise<Lent> => {
    const connection = (await pool.connect().catch((error) => {
      throw error === missing
        ? error
        : new ConnectionLost('connecting', closed.aborted ? closed.reason : error)
    })) as Lent
    if (trusted.has(connection)) return connection
    connection.destroy()
    connection.release(true)
    return take()
  }

  const lend = async (): Promise<Lent> => {
    closed.throwIfAborted()
    given = await asked
    try {
      return await take()
    } catch (error) {
      if (error !== missing) throw error
    }
    // Asking may take longer than the server waits for a response.
    asked ??= askPassword?.() ?? Promise.resolve(undefined)
    given = await asked
    if (given === undefined) throw missing
    return take()
  }

  return {
    /** Lends an idle connection, or opens one, or waits until one is free. */
    use: async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
      const connection = await lend()
      try {
        return await work(connection)
      } finally {
        connection.release(!connection.isOpen())
      }
    },
    /** Discards the connections of now before their next use. After a failure, they have probably failed too. */
    discardIdle: (): void => {
      trusted = new WeakSet()
    },
    /** Closes all connections at once. Statements that are running fail. */
    close: (): void => closing.abort(new Error('the database is closed')),
  }
}

/** Returns false if the connection is not encrypted. */
const createTlsOptions = ({ tls: { mode, rootCertificate } }: Address): ConnectionOptions | false => {
  if (mode === 'disable') return false
  // With a root certificate, libpq treats `require` as `verify-ca`.
  if (mode === 'require' && rootCertificate === undefined) return { rejectUnauthorized: false }
  const isFile = rootCertificate !== undefined && rootCertificate !== 'system'
  return {
    // NODE_TLS_REJECT_UNAUTHORIZED must not turn off the check.
    rejectUnauthorized: true,
    ...(isFile && { ca: readCertificate(rootCertificate) }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  }
}

const readCertificate = (file: string): string => {
  const refuse = (message: string, advice: string, cause?: unknown): Failure =>
    new Failure('local-state', message, { advice, cause })
  let text: string
  try {
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    text = readFileSync(file, 'latin1')
  } catch (error) {
    throw refuse(
      `cannot read the root certificate ${file}: ${getErrorReason(error)}`,
      'Check sslrootcert in the address of the database, or PGSSLROOTCERT.',
      error,
    )
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw refuse(
    `the root certificate ${file} is not a certificate in PEM format`,
    "Set sslrootcert, or PGSSLROOTCERT, to the PEM file of the authority that signed the server's certificate.",
  )
}
