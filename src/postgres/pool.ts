// Opens connections with the password that they need, keeps a few, and lends each to one user at a time.

import { readFileSync, statSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'
import { type Connection, connect, type Limits } from './connection.ts'
import { describePasswordFile, lookUpPassword, type PasswordSources, writePasswordLine } from './password.ts'

export type PoolOptions = PasswordSources & {
  readonly address: Address
  /** Asks a person or a command for the password. Called once at most, if the server wants one and none is found. */
  readonly askPassword?: () => Promise<string | undefined>
  readonly limits: Limits
}

export const createPool = (options: PoolOptions) => {
  const closing = new AbortController()
  const open = createConnector(options, closing.signal)
  const idle: Connection[] = []
  const waiting: (() => void)[] = []
  let places = options.limits.connections

  const take = async (): Promise<Connection> => {
    const ready = idle.pop()
    if (ready === undefined) return open()
    // A connection may fail while it is idle.
    return ready.isOpen() ? ready : take()
  }

  return {
    /** Lends an idle connection, or opens one, or waits until one is free. */
    use: async <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> => {
      if (places === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else places -= 1
      try {
        const connection = await take()
        connection.setIdle(false)
        try {
          return await work(connection)
        } finally {
          connection.setIdle(true)
          idle.push(connection)
        }
      } finally {
        // A waiting user gets this place.
        const next = waiting.shift()
        if (next === undefined) places += 1
        else next()
      }
    },
    /** Closes the connections that are not in use. After a failure, they have probably failed too. */
    discardIdle: (): void => {
      for (const connection of idle.splice(0)) connection.destroy()
    },
    /** Closes all connections at once. Statements that are running fail. */
    close: (): void => closing.abort(new Error('the database is closed')),
  }
}

const createConnector = (options: PoolOptions, closed: AbortSignal): (() => Promise<Connection>) => {
  const { address, askPassword, limits } = options
  const tls = createTlsOptions(address)
  // Each connection looks up the password again, because a process may outlive it.
  const warnings = new Set<string>()
  const warn = (text: string): void => {
    if (!warnings.has(text)) options.warn(text)
    warnings.add(text)
  }
  let asked: Promise<string | undefined> | undefined

  /** Returns undefined if the server asks for a password, and there is none. */
  const tryConnect = async (given: string | undefined): Promise<Connection | undefined> => {
    let isMissing = false
    const password = async () => {
      const found = given ?? lookUpPassword(address, { ...options, warn })
      isMissing = found === undefined
      if (found === undefined) throw new Error('the server asks for a password')
      return found
    }
    try {
      return await connect({ address, tls, password, limits, closed })
    } catch (error) {
      if (isMissing) return undefined
      throw error
    }
  }

  return async () => {
    const connection = await tryConnect(await asked)
    if (connection !== undefined) return connection
    // Asking may take longer than the server waits for a response.
    asked ??= askPassword?.() ?? Promise.resolve(undefined)
    const password = await asked
    const second = password === undefined ? undefined : await tryConnect(password)
    if (second !== undefined) return second
    const mode = options.platform === 'win32' ? '' : ' (mode 0600)'
    throw new Failure('local-state', `cannot connect to ${address.text}: the server asks for a password`, {
      advice: `Put it into PGPASSWORD, or add this line to ${describePasswordFile(options)}${mode}: ${writePasswordLine(address)}`,
    })
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
