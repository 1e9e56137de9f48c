// Serves any transport over HTTP, within limits.
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtin } from '../builtin.ts'
import { type Clock, unlessAborted, within } from '../contract/time.ts'
import type { HttpRequest } from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { createForeignCheck, formatOrigin, type Refusal } from './host-check.ts'
import { createRequestHandler, type Serve } from './request-handler.ts'

const defaultLimits = {
  /** For serve-mock, whose clients are trusted. `listen` has a limit. */
  connections: Number.POSITIVE_INFINITY,
  bodyBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  /** The time for a whole request. */
  requestMs: 10_000,
  keepAliveMs: 5_000,
  /** The time that close() gives to pending requests. */
  closeMs: 5_000,
}

type Limits = typeof defaultLimits

export type ServeOptions = {
  readonly commandName?: 'serve-mock' | 'listen'
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Further names and addresses for the Host header, each normalised by `parseHost`. */
  readonly allowedHosts?: ReadonlySet<string>
  /** The only path. A sender that knows it may send with any Host and Origin. */
  readonly secretPath?: string
  readonly clock: Pick<Clock, 'sleep'>
  readonly limits?: Partial<Limits>
  /** Whether a request with an Origin header comes from a page of this server. Otherwise it is refused. */
  readonly isFromOwnPage?: (path: string, origin: string, host: string) => boolean
  /** Called with unexpected errors of the transport. The client gets only a 500. */
  readonly onDefect?: (error: unknown) => void
  /** Called for each request that does not reach the transport. Its body is missing. */
  readonly onRefused?: (request: HttpRequest, status: number, message: string) => void
}

export const serveOn = async (transport: Serve, options: ServeOptions) => {
  const { host, secretPath, clock, onDefect } = options
  const limits = { ...defaultLimits, ...options.limits }
  const server = createServer(limits)
  server.listen(options.port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw toFailure(error as NodeJS.ErrnoException, options)
  }
  const { address, port } = server.address() as AddressInfo
  const bound = { host, address, port }
  const stop = new AbortController()
  const closing = new AbortController()
  const handler = createRequestHandler({
    ...{ transport, bodyBytes: limits.bodyBytes, onDefect, onRefused: options.onRefused },
    findForeign:
      secretPath === undefined
        ? createForeignCheck(bound, options.allowedHosts, options.isFromOwnPage)
        : createPathCheck(secretPath),
    stop: stop.signal,
    closing: closing.signal,
  })
  // The listener misses no request, because Node reads from no connection before the next event loop turn.
  server.on('request', handler).on('error', (error) => onDefect?.(error))

  const close = async (): Promise<void> => {
    closing.abort()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    await within(clock, limits.closeMs, undefined, (late) => unlessAborted(late, closed)).catch(() => {})
    stop.abort()
    server.closeAllConnections()
    await closed
  }
  return { address: { host: address, port }, origin: formatOrigin(bound), close }
}

const createServer = ({ connections, headerBytes, headersMs, requestMs, keepAliveMs }: Limits): Server => {
  const headersTimeout = Math.min(headersMs, requestMs)
  const server = builtin.http().createServer({
    maxHeaderSize: headerBytes,
    headersTimeout,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.ceil(headersTimeout / 20),
    keepAliveTimeout: keepAliveMs,
    // The request handler refuses requests without a Host header itself.
    requireHostHeader: false,
    // Otherwise Node keeps the first of two equal headers and silently drops the other.
    joinDuplicateHeaders: true,
  })
  // 0 removes the limit, above which Node silently drops headers. maxHeaderSize still limits them.
  server.maxHeadersCount = 0
  server.maxConnections = connections
  return server
}

/** Takes the same time for every wrong path, and gives no reason, so that no one can search for the right path. */
const createPathCheck = (path: string): ((req: IncomingMessage) => Refusal | undefined) => {
  const { createHash, timingSafeEqual } = builtin.crypto()
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(path)
  return ({ url = '' }) =>
    timingSafeEqual(digest(url.replace(/\?.*$/s, '')), expected) ? undefined : [404, 'Not found.']
}

/** Returns an unknown error unchanged. */
const toFailure = (
  error: NodeJS.ErrnoException,
  { commandName = 'serve-mock', host, port }: ServeOptions,
): Error => {
  const messages: Readonly<Record<string, readonly [field: '--host' | '--port', message: string]>> = {
    EADDRINUSE: ['--port', `port ${port} is already in use on ${host}`],
    EACCES: ['--port', `no permission to open port ${port} on ${host}`],
    EADDRNOTAVAIL: ['--host', `${host} is not an address of this machine`],
    EAFNOSUPPORT: ['--host', `${host} is not an address of this machine`],
  }
  const unresolved =
    error.syscall === 'getaddrinfo' && (['--host', `cannot resolve the host name ${host}`] as const)
  const found = messages[error.code ?? ''] ?? unresolved
  if (!found) return error
  const [field, message] = found
  const flags = field === '--host' ? { host: '127.0.0.1' } : { port: '0' }
  return new Failure('usage', message, {
    fix: (suggest) => (commandName === 'listen' ? suggest`listen ${flags}` : suggest`serve-mock ${flags}`),
    field,
    cause: error,
  })
}
