// A TCP proxy in front of a server, which can cut connections at a chosen byte sequence, hold
// responses, and refuse.
import { connect, createServer, type Socket } from 'node:net'

type Cut = {
  /** The bytes of the client that trigger it, for example `COMMIT`. */
  readonly at: string
  /** Whether the server still receives them. */
  readonly forwards: boolean
  /** Which occurrence triggers it. The default is the first. */
  readonly nth?: number
}

/** Sees the bytes of the client, when the server responds, and when the connection ends. */
type Watcher = {
  readonly read: (bytes: Buffer) => void
  readonly responded: () => void
  readonly ended?: () => void
}

/** `watch` is called for each connection. */
export const openTcpProxy = async (
  target: { readonly host: string; readonly port: number },
  watch?: () => Watcher,
) => {
  const pairs = new Set<readonly [client: Socket, server: Socket]>()
  let cut: (Cut & { seen: number }) | undefined
  let isRefusing = false
  let isHolding = false
  let accepted = 0
  const sent: string[] = []
  let onCut: (() => void) | undefined
  let replacement: readonly [from: string, to: string] | undefined

  const end = (pair: readonly [Socket, Socket]): void => {
    for (const socket of pair) socket.resetAndDestroy()
    pairs.delete(pair)
  }

  const isCutBy = (bytes: Buffer): boolean => {
    if (cut === undefined || !bytes.includes(cut.at)) return false
    cut.seen += 1
    return cut.seen === (cut.nth ?? 1)
  }

  const replace = (bytes: Buffer): Buffer =>
    replacement === undefined
      ? bytes
      : Buffer.from(bytes.toString('latin1').replace(...replacement), 'latin1')

  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy()
    accepted += 1
    const upstream = connect(target.port, target.host)
    const pair = [client, upstream] as const
    pairs.add(pair)
    const watcher = watch?.()
    if (isHolding) upstream.pause()
    for (const socket of pair) socket.setNoDelay(true).on('error', () => {})
    client.on('close', () => {
      upstream.destroy()
      watcher?.ended?.()
    })
    upstream.on('close', () => {
      client.end()
      pairs.delete(pair)
    })
    client.on('data', (bytes: Buffer) => {
      sent.push(bytes.toString('latin1'))
      watcher?.read(bytes)
      if (!isCutBy(bytes)) return void upstream.write(replace(bytes))
      const forwards = cut?.forwards === true
      cut = undefined
      const endCut = (): void => {
        end(pair)
        onCut?.()
      }
      if (!forwards) return endCut()
      // The server has responded when it has carried the statement out.
      upstream.removeAllListeners('data').once('data', endCut)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      watcher?.responded()
      client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    host: '127.0.0.1',
    port,
    /** How many connections it has accepted. */
    accepted: (): number => accepted,
    /** What the clients have sent. */
    sent: (): string => sent.join(''),
    /** Cuts one connection when a client sends these bytes. Resolves when it is cut. */
    cutAt: (at: string, options: Partial<Cut> = {}): Promise<void> =>
      new Promise((resolve) => {
        onCut = resolve
        cut = { at, forwards: false, ...options, seen: 0 }
      }),
    /** Cuts no connection, if those bytes were not sent. */
    clearCut: (): void => {
      cut = undefined
    },
    /** Changes what the clients send. Both texts need the same length. */
    replace: (from: string, to: string): void => {
      replacement = [from, to]
    },
    /** Cuts all connections. */
    cut: (): void => {
      for (const pair of pairs) end(pair)
    },
    refuse: (refuses: boolean): void => {
      isRefusing = refuses
    },
    /** Keeps the responses of the server back until it is called with false. */
    hold: (holds: boolean): void => {
      isHolding = holds
      for (const [, upstream] of pairs) holds ? upstream.pause() : upstream.resume()
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const pair of pairs) end(pair)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
