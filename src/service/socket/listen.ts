// Serves any transport over HTTP.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { builtin } from '../../builtin.ts'
import type { Clock } from '../../contract/clock.ts'
import type { Transport } from '../../contract/transport.ts'
import { createHostCheck, formatOrigin } from './host-check.ts'
import { toListenFailure } from './listen-failure.ts'
import { createRequestHandler, type OnForeignHost } from './request-handler.ts'
import { closeWithStatus } from './socket-answer.ts'

const defaultLimits = {
  bodyBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 10_000,
  keepAliveMs: 5_000,
  /** The time that close() gives to pending requests. */
  closeMs: 5_000,
}

type Limits = typeof defaultLimits

export type ListenOptions = {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Further names and addresses for the Host header, each normalised by `parseHost`. */
  readonly allowedHosts?: ReadonlySet<string>
  readonly clock: Pick<Clock, 'sleep'>
  readonly limits?: Partial<Limits>
  /** Called with unexpected errors of the transport. The client gets only a 500. */
  readonly onDefect?: (error: unknown) => void
  readonly onForeignHost?: OnForeignHost
}

export type Listener = {
  readonly address: { readonly host: string; readonly port: number }
  /** The base URL for a client on this machine. */
  readonly origin: string
  close(): Promise<void>
}

export const listen = async (transport: Transport, options: ListenOptions): Promise<Listener> => {
  const { host, clock, onDefect } = options
  const limits = { ...defaultLimits, ...options.limits }
  const server = createServer(limits)
  server.listen(options.port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw toListenFailure(error as NodeJS.ErrnoException, host, options.port)
  }
  const { address, port } = server.address() as AddressInfo
  const origin = formatOrigin({ host, address, port })
  const stop = new AbortController()
  const closing = new AbortController()
  const handler = createRequestHandler({
    transport,
    clock,
    bodyBytes: limits.bodyBytes,
    origin,
    isOurHost: createHostCheck({ host, address }, options.allowedHosts),
    onDefect,
    onForeignHost: options.onForeignHost,
    stop: stop.signal,
    closing: closing.signal,
  })
  // These listeners miss no request, because Node reads from no connection before the next event loop turn.
  server
    .on('request', handler.handleRequest)
    .on('connect', (_req, socket) => {
      // Node has removed its own error listener from this socket.
      socket.on('error', () => {})
      closeWithStatus(socket, 405)
    })
    .on('clientError', handler.handleClientError)
    .on('error', (error) => onDefect?.(error))

  const close = async (): Promise<void> => {
    closing.abort()
    const drained = new AbortController()
    const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => drained.abort())
    await clock.sleep(limits.closeMs, drained.signal)
    stop.abort()
    server.closeAllConnections()
    await closed
  }
  return { address: { host: address, port }, origin, close }
}

const createServer = ({ headerBytes, headersMs, requestMs, keepAliveMs }: Limits) => {
  const headersTimeout = Math.min(headersMs, requestMs)
  const server = builtin.http().createServer({
    maxHeaderSize: headerBytes,
    headersTimeout,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(headersTimeout / 20),
    keepAliveTimeout: keepAliveMs,
    insecureHTTPParser: false,
    // The request handler refuses requests without a Host header itself.
    requireHostHeader: false,
    // Otherwise Node keeps the first of two equal headers and silently drops the other.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  })
  // 0 removes the limit, above which Node silently drops headers. maxHeaderSize still limits them.
  server.maxHeadersCount = 0
  return server
}
