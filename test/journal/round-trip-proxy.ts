// A proxy in front of a PostgreSQL server that counts the statements and round trips of each transaction.
import { openTcpProxy } from '../support/postgres/tcp-proxy.ts'

/** The statements of a transaction, by the round trip that they were sent in. */
export type Recorded = { readonly trips: string[][] }

/** Calls `onStatement` with the SQL of each statement in a stream of the protocol, which needs no TLS. */
const createReader = (onStatement: (sql: string) => void): ((bytes: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  let hasStarted = false
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      // The first message has no type.
      const start = hasStarted ? 1 : 0
      const length = rest.length < start + 4 ? Number.POSITIVE_INFINITY : start + rest.readInt32BE(start)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      const type = hasStarted ? String.fromCharCode(message[0] ?? 0) : ''
      hasStarted = true
      const texts = message.subarray(5).toString().split('\0')
      if (type === 'P') onStatement(texts[1] ?? '')
      if (type === 'Q') onStatement(texts[0] ?? '')
    }
  }
}

/** Statements that orderctl sends between two responses of a connection are one round trip. */
const createRecorder = (recorded: Recorded[]) => {
  let current: Recorded | undefined
  let hasResponse = true
  const read = createReader((sql) => {
    // A separate statement begins with its settings, which also follow BEGIN.
    if (hasResponse && /^(BEGIN|SELECT set_config)/.test(sql)) {
      current = { trips: [] }
      recorded.push(current)
      hasResponse = true
    }
    if (hasResponse) current?.trips.push([])
    hasResponse = false
    current?.trips.at(-1)?.push(sql)
  })
  return {
    read,
    responded: (): void => {
      hasResponse = true
    },
  }
}

export const recordRoundTrips = async (target: Parameters<typeof openTcpProxy>[0]) => {
  const recorded: Recorded[] = []
  const proxy = await openTcpProxy(target, () => createRecorder(recorded))
  /** What was sent since the last call. */
  return Object.assign(proxy, { take: (): Recorded[] => recorded.splice(0) })
}
