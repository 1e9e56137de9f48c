// A connection to PostgreSQL, which the pool makes and lends: sends statements, each with a time limit.
import { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientConfig, Query, type QueryConfig, type QueryResult } from 'pg'
import { Failure } from '../errors.ts'
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
  readonly password: () => string
  readonly limits: Limits
  /** Ends the connections, and attempts to connect. */
  readonly closed: AbortSignal
}

/** For `pg.Pool`, which makes each connection with `new`. */
export const createConnectionClass = ({ address, tls, password, limits, closed }: ConnectionSettings) => {
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
export type Values = Readonly<Record<string, Value>>

/** The parameters of `text` are numbered. */
export type Statement = { readonly text: string; readonly values: (string | null)[] }

export const bindParameters = (sql: string, values: Values = {}): Statement => {
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
