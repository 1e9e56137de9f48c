// One connection to PostgreSQL: connects with a time limit, and sends statements that each have one.
import { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Client, Query, type QueryResult } from 'pg'
import type { Address } from './address.ts'
import { columnTypes } from './column-values.ts'
import { ConnectionLost, createTimeout, isServerError } from './lost-connection.ts'

export type Limits = {
  readonly connectMs: number
  readonly statementMs: number
}

export type Statement = { readonly text: string; readonly values: readonly (string | null)[] }

export type Connection = {
  /** Sends the statements of `before` and this one in one message. If one fails, the rest is not run. */
  readonly send: (statement: Statement, before?: readonly string[]) => Promise<QueryResult>
  readonly isOpen: () => boolean
  /** Whether it keeps the process alive. */
  readonly setActive: (isActive: boolean) => void
  readonly destroy: () => void
}

/** Has the methods that pg calls, which its types omit. */
type Wire = {
  parse(message: { readonly text: string }): void
  bind(message: object): void
  execute(message: object): void
}
type Internals = {
  prepare(wire: Wire): void
  handleCommandComplete(message: unknown, wire: Wire): void
  handleDataRow(message: unknown): void
}
const BaseQuery = Query as unknown as new (
  config: object,
  callback: (error: Error | null, result: QueryResult) => void,
) => Internals

/**
 * Up to its Sync message, PostgreSQL treats the statements as one. So they take one round trip, and if they do not
 * contain BEGIN, they are one transaction.
 */
class Batch extends BaseQuery {
  readonly #before: readonly string[]
  #isPending: number

  constructor(
    statement: Statement,
    before: readonly string[],
    callback: (error: Error | null, result: QueryResult) => void,
  ) {
    super({ ...statement, queryMode: 'extended' }, callback)
    this.#before = before
    this.#isPending = before.length
  }

  override prepare(wire: Wire): void {
    for (const text of this.#before) {
      wire.parse({ text })
      wire.bind({})
      wire.execute({})
    }
    super.prepare(wire)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#isPending > 0) this.#isPending -= 1
    else super.handleCommandComplete(message, wire)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isPending === 0) super.handleDataRow(message)
  }
}

export type ConnectionSettings = {
  readonly address: Address
  readonly tls: ConnectionOptions | false
  /** Called when the server asks for a password. Its error ends the attempt. */
  readonly password: () => Promise<string>
  readonly limits: Limits
}

const createClient = ({ address, tls, password }: ConnectionSettings, socket: Socket): Client => {
  const { host, port, database, user } = address
  return new Client({
    ...{ host, port, database, user, password, ssl: tls },
    // Without these, pg reads variables of the environment.
    sslnegotiation: 'postgres',
    fallback_application_name: 'orderctl',
    types: columnTypes as NonNullable<ConstructorParameters<typeof Client>[0] & object>['types'],
    // Without a pipeline, pg would hold a statement back until the previous one is answered.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => socket,
  })
}

export const connect = async (settings: ConnectionSettings): Promise<Connection> => {
  const socket = new Socket()
  const client = createClient(settings, socket)
  let isOpen = true
  // The server may say why it ends the connection while no statement is pending.
  let reason: unknown
  const close = (error?: Error) => {
    isOpen = false
    reason ??= error
  }
  client.on('error', close).on('end', () => close())
  const { connectMs, statementMs } = settings.limits
  const timer = setTimeout(() => socket.destroy(createTimeout('the connection', connectMs)), connectMs)
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw new ConnectionLost('connecting', error)
  } finally {
    clearTimeout(timer)
  }
  return {
    send: async (statement, before = []) => {
      const limit = setTimeout(() => socket.destroy(createTimeout('the statement', statementMs)), statementMs)
      try {
        return await new Promise<QueryResult>((resolve, reject) => {
          const batch = new Batch(statement, before, (error, result) =>
            error ? reject(error) : resolve(result),
          )
          client.query(batch as unknown as Query)
        })
      } catch (error) {
        if (isServerError(error)) throw error
        isOpen = false
        socket.destroy()
        throw new ConnectionLost('statement', reason ?? error)
      } finally {
        clearTimeout(limit)
      }
    },
    isOpen: () => isOpen,
    setActive: (isActive) => {
      const { stream } = client.connection
      for (const each of [socket, stream as Socket]) isActive ? each.ref() : each.unref()
    },
    destroy: () => {
      isOpen = false
      socket.destroy()
    },
  }
}
