// Opens connections with the password that they need, and sends statements, each with a time limit. pg's pool keeps a few
// connections, and lends each to one user at a time.

import { readFileSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import {
  Client,
  type ClientConfig,
  Pool,
  type PoolClient,
  Query,
  type QueryConfig,
  type QueryResult,
} from 'pg'
// @ts-expect-error: it has no types.
import readPasswordFile from 'pgpass'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'
import { ConnectionLost, createTimeout, isServerError } from './failure.ts'

export type Limits = {
  readonly connectMs: number
  readonly statementMs: number
  readonly lockMs: number
  /** How long a transaction may pause between two statements, for example because the process is stopped. */
  readonly idleMs: number
  readonly connections: number
}

export type Connection = InstanceType<ReturnType<typeof createConnectionClass>>

type ConnectionSettings = {
  readonly address: Address
  readonly tls: ConnectionOptions | false
  /** Called when the server asks for a password. Its error ends the attempt. */
  readonly password: () => Promise<string>
  readonly limits: Limits
  /** Ends the connections, and attempts to connect. */
  readonly closed: AbortSignal
}

/** For `pg.Pool`, which makes each connection with `new`. */
const createConnectionClass = ({ address, tls, password, limits, closed }: ConnectionSettings) => {
  const { host, port, database, user } = address
  return class extends Client {
    /** The server may say why it ends the connection while no statement is pending. */
    #reason: unknown

    constructor() {
      const socket = new Socket({ signal: closed })
      super({
        ...{ host, port, database, user, password, ssl: tls },
        // pg would read it from the environment.
        sslnegotiation: 'postgres',
        fallback_application_name: 'orderctl',
        types: columnTypes as NonNullable<ClientConfig['types']>,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        stream: () => socket,
      })
      // Before the client's own listener, which then cannot send the password.
      if (tls === false && !host.startsWith('/'))
        this.connection.prependListener('authenticationCleartextPassword', () => {
          socket.destroy(refuseClearText(address))
        })
      const expire = () => socket.destroy(createTimeout('the connection', limits.connectMs))
      const timer = setTimeout(expire, limits.connectMs)
      this.once('connect', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
      // The pool does not end an attempt that failed, such as one that begins after `closed`.
      this.connection.on('error', () => socket.destroy())
      this.on('error', (error) => {
        this.#reason ??= error
      })
    }

    /**
     * Runs the statements in one round trip. If one fails, PostgreSQL skips the rest. Without BEGIN, they are a
     * transaction.
     */
    async send(statements: readonly Statement[]): Promise<QueryResult[]> {
      const { statementMs } = limits
      const timer = setTimeout(() => this.destroy(createTimeout('the statement', statementMs)), statementMs)
      try {
        return await sendTogether(this, statements)
      } catch (error) {
        if (isServerError(error)) throw error
        this.destroy()
        throw new ConnectionLost('statement', closed.aborted ? closed.reason : (this.#reason ?? error))
      } finally {
        clearTimeout(timer)
      }
    }

    isOpen(): boolean {
      return !this.connection.stream.destroyed
    }

    destroy(error?: Error): void {
      this.connection.stream.destroy(error)
    }
  }
}

const refuseClearText = ({ text }: Address): Failure =>
  new Failure(
    'local-state',
    `the server of ${text} asks for the password in clear text, and the connection is not encrypted; the password was not sent`,
    {
      advice:
        'Use scram-sha-256 in pg_hba.conf, or encrypt the connection with sslmode=verify-full in the address.',
    },
  )

/** One query of pg, which sends the other statements before its own. So they have one Sync, which ends the group. */
const sendTogether = (client: Client, statements: readonly Statement[]): Promise<QueryResult[]> =>
  new Promise((resolve, reject) => {
    // Without the extended mode, pg sends a statement without values as a separate group.
    const query = new Query(
      { ...statements.at(-1), queryMode: 'extended' } as QueryConfig,
      (error, result) => {
        if (error) reject(error)
        // The results of several statements are an array.
        else resolve([result].flat() as QueryResult[])
      },
    )
    const submit = query.submit.bind(query)
    query.submit = (connection) => {
      connection.stream.cork()
      for (const { text, values } of statements.slice(0, -1)) {
        connection.parse({ text, name: '', types: [] }, true)
        connection.bind({ values }, true)
        connection.describe({ type: 'P' }, true)
        connection.execute({}, true)
      }
      submit(connection)
      connection.stream.uncork()
    }
    client.query(query)
  })

type Value = string | number | bigint | null
export type BoundValues = Readonly<Record<string, Value>>

/** The parameters of `text` are numbered. */
export type Statement = { readonly text: string; readonly values: (string | null)[] }

export const bindParameters = (sql: string, values: BoundValues = {}): Statement => {
  const names: string[] = []
  const text = sql.replace(/\$([a-z_]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const unknown = Object.keys(values).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new TypeError(`the statement has no parameter $${unknown}: ${sql}`)
  return { text, values: names.map((name) => toText(values[name], name, sql)) }
}

const toText = (value: Value | undefined, name: string, sql: string): string | null => {
  if (value === undefined) throw new TypeError(`the parameter $${name} has no value: ${sql}`)
  if (value === null) return null
  // PostgreSQL cannot store a NUL character.
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd')
  // The text of a large number would contain an exponent, which PostgreSQL does not read as an integer.
  return Number.isInteger(value) ? BigInt(value).toString() : value.toString()
}

/** The keys are the object ids of types, which never change. */
const parsers = new Map<number, (text: string) => unknown>([
  // int8, int2, int4 and oid.
  ...[20, 21, 23, 26].map((type) => [type, BigInt] as const),
  // bool.
  [16, (text) => (text === 't' ? 1n : 0n)],
  // float4 and float8.
  ...[700, 701].map((type) => [type, Number] as const),
  // numeric: the sum of bigints is one.
  [1700, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : text)],
])

/** The `types` of a client of pg. */
const columnTypes = {
  getTypeParser: (type: number) => parsers.get(type) ?? ((text: string) => text),
}

export type PoolOptions = {
  readonly address: Address
  /** PGPASSWORD comes before the password file, which pgpass finds and reads. */
  readonly environment: { readonly PGPASSWORD?: string | undefined }
  /** Called for a password file that is not used because others can read it. */
  readonly warn: (text: string) => void
  /** Asks a person or a command for the password. Called once at most, if the server wants one and none is found. */
  readonly askPassword?: () => Promise<string | undefined>
  readonly limits: Limits
}

type Lent = Connection & PoolClient

export const createPool = ({ address, environment, warn, askPassword, limits }: PoolOptions) => {
  const write = (text: Buffer, _: unknown, done: () => void): void => {
    warn(String(text).replace('WARNING: ', '').trim())
    done()
  }
  readPasswordFile.warnTo(new Writable({ write }))
  const closing = new AbortController()
  const closed = closing.signal
  const missing = new Failure(
    'local-state',
    `cannot connect to ${address.text}: the server asks for a password`,
    { advice: 'Put it into PGPASSWORD, or into ~/.pgpass with the mode 0600.' },
  )
  let asked: Promise<string | undefined> | undefined
  let given: string | undefined
  // Each connection looks up the password again, because a process may outlive it.
  const password = async (): Promise<string> => {
    const found =
      given ??
      (environment.PGPASSWORD || (await new Promise((resolve) => readPasswordFile(address, resolve))))
    if (found === undefined) throw missing
    return found as string
  }

  const pool = new Pool({
    Client: createConnectionClass({ address, tls: createTlsOptions(address), password, limits, closed }),
    max: limits.connections,
    // An idle connection stays, and does not keep the process alive.
    ...{ idleTimeoutMillis: 0, allowExitOnIdle: true },
  })
  // An idle connection failed, and the pool has discarded it.
  pool.on('error', () => {})

  /** Throws `missing` if the server asks for a password, and there is none. */
  const take = async (): Promise<Lent> => {
    try {
      return (await pool.connect()) as Lent
    } catch (error) {
      throw error === missing
        ? error
        : new ConnectionLost('connecting', closed.aborted ? closed.reason : error)
    }
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
  try {
    // Reading a pipe would wait until a different process writes to it.
    if (!statSync(file).isFile()) throw new Error('it is not a file')
    const text = readFileSync(file, 'latin1')
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text
    throw new Error('it is not a certificate in PEM format')
  } catch (error) {
    throw new Failure('local-state', `cannot read the root certificate ${file}: ${getErrorReason(error)}`, {
      advice: 'Check sslrootcert in the address of the database, or PGSSLROOTCERT.',
      cause: error,
    })
  }
}
