// A TCP proxy in front of the service that produces the faults on real sockets.
import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Operation } from '../../src/contract/refusals.ts'
import { findOperation } from '../../src/contract/transport.ts'
import { toWire } from '../support/world.ts'
import { bytesOf, type Response } from './response.ts'

export type Line = {
  readonly socket: Socket
  readonly operation: Operation
  /** The service's response. Undefined if the request never reached it. */
  readonly response: Response | undefined
  /** The proxy's own address. */
  readonly origin: string
  /** The address of a server that must not be called. */
  readonly elsewhere: string
  /** Advances the simulated clock of the client. */
  readonly pass: (ms: number) => Promise<void>
}

export type Pair = { readonly key: string; readonly cert: string }

export type Fault =
  /** Instead of a response. */
  | { readonly at: 'response'; readonly play: (line: Line) => unknown }
  /** Instead of a handshake: a different certificate, or other bytes. */
  | { readonly at: 'handshake'; readonly play: Pair | ((socket: Socket, pass: Line['pass']) => unknown) }
  /** Instead of a tunnel. */
  | { readonly at: 'tunnel'; readonly play: (socket: Socket, pass: Line['pass']) => unknown }
  | { readonly at: 'listen' }
  | { readonly at: 'name' }

/** How the client connects. */
export type Entry = 'http' | 'https' | 'tunnel' | 'forward' | 'nowhere'

/**
 * Decides whether the next request or connection fails. `wire` lists the earlier ones: a letter for each request (a
 * capital if it failed) and X for a failed connection. `letter` is missing for a connection.
 */
export type Plan = (wire: string, letter?: string) => boolean

export type FaultPlan = {
  readonly shouldFail: Plan
  /** Whether the service carries out a request that fails. */
  readonly reaches: boolean
}

type Options = {
  readonly servicePort: number
  readonly entry: Entry
  readonly pair: Pair
  readonly fault: Fault
  readonly elsewhere: string
  readonly pass: Line['pass']
}

type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: string[]
  readonly body: string
}

export const openFaultProxy = async ({ servicePort, entry, pair, fault, elsewhere, pass }: Options) => {
  const agent = new Agent({ keepAlive: true })
  const sockets = new Set<Socket>()
  let wire = ''
  let failedConnections = ''
  let plan: Plan = () => false
  let reaches = false
  let server: Server | undefined
  let port = 0
  let mostBytes = 0
  /** Requests to the service. A client that stops waiting leaves one. */
  const forwarding = new Set<Promise<Response>>()

  const startListening = async (): Promise<void> => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}))
      socket.once('close', () => {
        sockets.delete(socket)
        mostBytes = Math.max(mostBytes, socket.bytesWritten)
      })
      if (entry === 'https') secure(socket)
      else requests(socket)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  const stopListening = (): void => {
    server?.close()
    server = undefined
  }

  const secure = (socket: Socket): void => {
    let used = pair
    if (fault.at === 'handshake' && plan(wire)) {
      wire += 'X'
      if (typeof fault.play === 'function') return void fault.play(socket, pass)
      used = fault.play
    }
    requests(new TLSSocket(socket, { isServer: true, ...used }).on('error', () => {}))
  }

  const tunnel = (socket: Socket): void => {
    if (fault.at === 'tunnel' && plan(wire)) {
      wire += 'X'
      return void fault.play(socket, pass)
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    secure(socket)
  }

  const forwarded = ({ method, path, headers, body }: Asked): Promise<Response> =>
    new Promise((resolve, reject) => {
      const own = headers.filter((line) => !/^(host|connection|proxy-\S+):/i.test(line))
      const pairs = own.flatMap((line) => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ])
      const host = ['host', `127.0.0.1:${servicePort}`]
      ask(
        { agent, port: servicePort, host: '127.0.0.1', method, path, headers: [...host, ...pairs] },
        async (response) => {
          const { statusCode: status = 0, headers: found } = response
          const { 'content-type': type = '', date = '' } = found
          resolve({
            status,
            headers: { 'content-type': type, date },
            body: Buffer.concat(await response.toArray()),
          })
        },
      )
        .on('error', reject)
        .end(Buffer.from(body, 'latin1'))
    })

  const forward = async (asked: Asked): Promise<Response> => {
    const request = forwarded(asked)
    forwarding.add(request)
    try {
      return await request
    } finally {
      forwarding.delete(request)
    }
  }

  const serve = async (socket: Socket, asked: Asked): Promise<void> => {
    const operation = findOperation(asked.method, asked.path)
    if (operation === undefined) throw new Error(`nobody asks ${asked.method} ${asked.path}`)
    const letter = toWire([operation])
    const isFaulty = fault.at === 'response' && plan(wire, letter)
    wire += isFaulty ? letter.toUpperCase() : letter
    const response = !isFaulty || reaches ? await forward(asked) : undefined
    if (isFaulty) {
      const origin = `http://127.0.0.1:${port}`
      return void (await fault.play({ socket, operation, response, origin, elsewhere, pass }))
    }
    if (response === undefined) return
    // A fault of connections needs a new connection.
    const isLast = fault.at !== 'response' && plan(wire)
    if (isLast && fault.at === 'listen') stopListening()
    const { status, headers, body } = response
    const bytes = bytesOf({
      status,
      headers: { ...headers, ...(isLast ? { connection: 'close' } : {}) },
      body,
    })
    if (isLast) socket.end(bytes)
    else socket.write(bytes)
  }

  const requests = (socket: Socket): void => {
    let text = ''
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const [first = '', ...headers] = text.slice(0, end).split('\r\n')
      const length = Number(/^content-length: (\d+)$/im.exec(headers.join('\n'))?.[1] ?? 0)
      const body = text.slice(end + 4)
      if (end === -1 || body.length < length) return
      text = ''
      const [method = '', target = ''] = first.split(' ')
      if (method === 'CONNECT') {
        socket.off('data', take)
        tunnel(socket)
        return
      }
      const path = target.replace(/^http:\/\/[^/]+/, '')
      void serve(socket, { method, path, headers, body })
    }
    socket.on('data', take)
  }

  await startListening()
  return {
    port,
    wire: (): string => wire,
    /** The largest number of bytes sent on one connection. */
    mostBytes: (): number => mostBytes,
    /** Sets the fault and clears the log. */
    setFault: async ({ shouldFail, reaches: reached }: FaultPlan): Promise<void> => {
      wire = ''
      failedConnections = ''
      plan = shouldFail
      reaches = reached
      for (const socket of sockets) socket.destroy()
      if (fault.at === 'listen' && plan('')) stopListening()
      else if (server === undefined) await startListening()
    },
    /** Called when the client waits before a further attempt. */
    waited: async (): Promise<void> => {
      if (server !== undefined || port === 0) return
      failedConnections += 'X'
      if (!plan(wire + failedConnections)) await startListening()
    },
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy()
      await Promise.all(forwarding)
      agent.destroy()
      stopListening()
    },
  }
}
