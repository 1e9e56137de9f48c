// Keeps a few connections open and lends each to one user at a time.
import type { Connection } from './connection.ts'

export type Pool = {
  /** Resolves to an idle connection, or opens one, or waits until one is free. */
  readonly use: <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>
  /** Closes the connections that are not in use. After a failure, they have probably failed too. */
  readonly discardIdle: () => void
  /** Closes all connections at once. Statements that are running fail. */
  readonly close: () => void
}

export const createPool = (open: (closed: AbortSignal) => Promise<Connection>, max: number): Pool => {
  const idle: Connection[] = []
  const inUse = new Set<Connection>()
  const waiting: (() => void)[] = []
  let places = max
  const closing = new AbortController()
  const closed = closing.signal

  const take = async (): Promise<Connection> => {
    if (closed.aborted) throw new Error('the database is closed')
    const ready = idle.pop()
    // A connection that has failed while it was idle.
    if (ready !== undefined) return ready.isOpen() ? ready : take()
    return await open(closed)
  }

  const giveBack = (connection: Connection): void => {
    inUse.delete(connection)
    if (closed.aborted) connection.destroy()
    if (!connection.isOpen()) return
    connection.setIdle(true)
    idle.push(connection)
  }

  return {
    use: async (work) => {
      if (places === 0) await new Promise<void>((resolve) => waiting.push(resolve))
      else places -= 1
      try {
        const connection = await take()
        inUse.add(connection)
        connection.setIdle(false)
        try {
          return await work(connection)
        } finally {
          giveBack(connection)
        }
      } finally {
        // A waiting user gets this place.
        const next = waiting.shift()
        if (next === undefined) places += 1
        else next()
      }
    },
    discardIdle: () => {
      for (const connection of idle.splice(0)) connection.destroy()
    },
    close: () => {
      closing.abort(new Error('the database is closed'))
      for (const connection of [...idle.splice(0), ...inUse]) connection.destroy()
    },
  }
}
