// One connection to PostgreSQL: connects with a time limit, and sends statements that each have one.
import { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientConfig, Query, type QueryConfig, type QueryResult } from 'pg'
import type { Address } from './address.ts'
import { columnTypes } from './column-values.ts'
import { ConnectionLost, createTimeout, isServerError } from './lost-connection.ts'

export type Statement = { readonly text: string; readonly values: (string | null)[] }

export type Limits = {
  readonly connectMs: number
  readonly statementMs: number
}

export type Connection = {
  /** Runs the statements of `before` in the same round trip. */
  readonly send: (statement: Statement, before?: readonly string[]) => Promise<QueryResult>
  /** For COMMIT and ROLLBACK, which need less work than a statement. Returns the command that was run. */
  readonly sendCommand: (text: string) => Promise<string>
  readonly isOpen: () => boolean
  /** An idle connection does not keep the process alive. */
  readonly setIdle: (isIdle: boolean) => void
  readonly destroy: () => void
}

export type ConnectionSettings = {
  readonly address: Address
  readonly tls: ConnectionOptions | false
  /** Called when the server asks for a password. Its error ends the attempt. */
  readonly password: () => Promise<string>
  readonly limits: Limits
  /** Ends an attempt to connect. */
  readonly closed: AbortSignal
}

const createClient = ({ address, tls, password }: ConnectionSettings, socket: Socket): Client => {
  const { host, port, database, user } = address
  return new Client({
    ...{ host, port, database, user, password, ssl: tls },
    // pg would read it from the environment.
    sslnegotiation: 'postgres',
    fallback_application_name: 'orderctl',
    types: columnTypes as NonNullable<ClientConfig['types']>,
    // Without a pipeline, pg holds a statement back until the previous one is answered.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => socket,
  })
}

const startTimer = (socket: Socket, what: string, ms: number) => {
  const timer = setTimeout(() => socket.destroy(createTimeout(what, ms)), ms)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

/**
 * PostgreSQL treats the statements as one: if one fails, it skips the rest. Without a BEGIN in `before`, they are a
 * transaction. Returns the result of the last one.
 */
const sendTogether = (
  client: Client,
  statement: Statement,
  before: readonly string[],
): Promise<QueryResult> =>
  new Promise((resolve, reject) => {
    const config = { ...statement, queryMode: 'extended' } satisfies QueryConfig & { queryMode: string }
    // The result of several statements is an array.
    const query = new Query(config, (error, result) =>
      error ? reject(error) : resolve([result].flat().at(-1) as QueryResult),
    )
    const submit = query.submit.bind(query)
    query.submit = (connection) => {
      connection.stream.cork()
      for (const text of before) {
        connection.parse({ text, name: '', types: [] }, true)
        connection.bind({}, true)
        connection.describe({ type: 'P' }, true)
        connection.execute(null, true)
      }
      submit(connection)
      connection.stream.uncork()
    }
    client.query(query)
  })

export const connect = async (settings: ConnectionSettings): Promise<Connection> => {
  const { connectMs, statementMs } = settings.limits
  const socket = new Socket()
  const client = createClient(settings, socket)
  let isOpen = true
  // The server may say why it ends the connection while no statement is pending.
  let reason: unknown
  const close = (error?: Error): void => {
    isOpen = false
    reason ??= error
  }
  client.on('error', close).on('end', () => close())
  const abort = () => socket.destroy(settings.closed.reason)
  settings.closed.addEventListener('abort', abort)
  {
    using _timer = startTimer(socket, 'the connection', connectMs)
    try {
      settings.closed.throwIfAborted()
      await client.connect()
    } catch (error) {
      socket.destroy()
      throw new ConnectionLost('connecting', error)
    } finally {
      settings.closed.removeEventListener('abort', abort)
    }
  }
  const withinLimit = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    using _timer = startTimer(socket, 'the statement', statementMs)
    try {
      return await work()
    } catch (error) {
      if (isServerError(error)) throw error
      isOpen = false
      socket.destroy()
      throw new ConnectionLost('statement', reason ?? error)
    }
  }
  return {
    send: (statement, before = []) => withinLimit(() => sendTogether(client, statement, before)),
    sendCommand: (text) => withinLimit(async () => (await client.query(text)).command),
    isOpen: () => isOpen,
    setIdle: (isIdle) => {
      // With TLS, pg has wrapped the socket into another one.
      for (const each of [socket, client.connection.stream as Socket]) isIdle ? each.unref() : each.ref()
    },
    destroy: () => {
      isOpen = false
      socket.destroy()
    },
  }
}
