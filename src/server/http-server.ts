// Serves any transport over HTTP, within limits: passes requests from node:http to it as plain values, and refuses unsafe ones. It
// checks the Host and Origin headers, or a web page could reach it through its own DNS name (DNS rebinding).
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, isIP, isIPv6 } from 'node:net'
import { builtin } from '../builtin.ts'
import { describeTooLarge } from '../contract/refusals.ts'
import { type Clock, unlessAborted, within } from '../contract/time.ts'
import {
  createBody,
  DisconnectedError,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type ServedResponse,
} from '../contract/transport.ts'
import { Failure } from '../errors.ts'

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

export type Serve = (request: HttpRequest) => Promise<ServedResponse>

type Options = {
  readonly transport: Serve
  readonly bodyBytes: number
  readonly findForeign: (req: IncomingMessage) => Refusal | undefined
  readonly onDefect?: (error: unknown) => void
  readonly onRefused?: (request: HttpRequest, status: number, message: string) => void
  readonly stop: AbortSignal
  readonly closing: AbortSignal
}

const createRequestHandler = (options: Options) => {
  const { transport, bodyBytes, onDefect, onRefused, stop, closing } = options

  const refuse = (req: IncomingMessage, res: ServerResponse, status: number, message: string): void => {
    sendRefusal(req, res, status, message)
    onRefused?.(readHead(req), status, message)
  }

  const serve = async (req: IncomingMessage, res: ServerResponse, body?: Uint8Array): Promise<void> => {
    try {
      const response = await transport({ ...readHead(req), signal: stop, body })
      const { status, parts, body: content } = response
      if (parts === undefined) {
        res.writeHead(status, createHeaders(response, closing.aborted))
        // Node writes Latin-1 faster than UTF-8, and most bodies are ASCII.
        res.end(content, Buffer.byteLength(content) === content.length ? 'latin1' : 'utf8')
      } else {
        res.writeHead(status, { ...response.headers, connection: 'close' })
        await sendParts(res, parts, closing)
      }
    } catch (error) {
      if (!(error instanceof DisconnectedError)) {
        onDefect?.(error)
        if (res.headersSent) req.socket.destroy()
        else refuse(req, res, 500, 'Unexpected server error.')
      } else if (error.how === 'reset') req.socket.resetAndDestroy()
      else req.socket.destroySoon()
    }
  }

  return (req: IncomingMessage, res: ServerResponse): void => {
    const refusal = findRefusal(req, options)
    if (refusal !== undefined) return void refuse(req, res, ...refusal)
    const body = createBody(bodyBytes)
    const finish = (): void => void serve(req, res, body.read())
    const add = (chunk: Uint8Array): void => {
      if (body.add(chunk)) return
      req.off('data', add).off('end', finish)
      refuse(req, res, 413, describeTooLarge(bodyBytes))
    }
    req.on('data', add).on('end', finish)
  }
}

const findRefusal = (req: IncomingMessage, { findForeign, bodyBytes }: Options): Refusal | undefined => {
  const { headers, url } = req
  const foreign = findForeign(req)
  if (foreign !== undefined) return foreign
  if (!url?.startsWith('/')) return [400, 'The request target must be a path.']
  // Of several codings Node reads only the last, but a proxy may read a different one.
  if (!/^(chunked)?$/i.test(headers['transfer-encoding'] ?? ''))
    return [400, 'Transfer-Encoding must be chunked or missing.']
  return Number(headers['content-length']) > bodyBytes ? [413, describeTooLarge(bodyBytes)] : undefined
}

const readHead = ({ method = '', url: path = '', headers }: IncomingMessage) => {
  // Node returns only this header as a list.
  const cookies = headers['set-cookie']
  const all = cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') }
  return { method, path, headers: all as Headers }
}

const createHeaders = ({ status, headers, body }: HttpResponse, isClosing: boolean) => {
  const all: Record<string, string | number> = { ...headers }
  const bytes = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) all['content-length'] ??= bytes
  // The connection must end after a truncated body, or the client would wait for the rest.
  const isLast = isClosing || Number(all['content-length'] ?? 0) !== bytes
  if (isLast) all.connection = 'close'
  return all
}

const sendParts = async (
  res: ServerResponse,
  make: NonNullable<ServedResponse['parts']>,
  closing: AbortSignal,
): Promise<void> => {
  const disconnected = new AbortController()
  const ended = AbortSignal.any([disconnected.signal, closing])
  res.once('close', () => disconnected.abort())
  res.flushHeaders()
  for await (const part of make(ended)) {
    // The socket may have closed before the listener above was added.
    if (ended.aborted || res.req.socket.destroyed) break
    if (!res.write(part)) await once(res, 'drain', { signal: ended }).catch(() => {})
  }
  res.end()
}

/**
 * Responds before the request is complete, but closes the connection only after it. Closing a socket with unread bytes
 * resets the connection, and the client could lose the response.
 */
const sendRefusal = (req: IncomingMessage, res: ServerResponse, status: number, message: string): void => {
  const body = JSON.stringify({ message })
  const length = Buffer.byteLength(body)
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': length, connection: 'close' })
  res.write(body)
  if (req.closed) res.end()
  else req.resume().once('close', () => res.end())
}

type BoundAddress = {
  /** The name or address that the user gave. */
  readonly host: string
  /** The address that the system chose for it. */
  readonly address: string
}

/** Expects an address in Node's notation. */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && /^(?:127\.|::1$|::ffff:127\.)/.test(address)

/** The port is not compared: a proxy or a mapped port differs, and DNS rebinding does not depend on the port. */
const readName = (header = ''): string | undefined => {
  const [, v6, name] = /^(?:\[(.*)\]|([\w.-]+))(?::\d{1,5})?$/.exec(header) ?? []
  if (v6 === undefined) return name?.toLowerCase()
  return isIPv6(v6) ? v6.toLowerCase() : undefined
}

/** `allowed` contains names and addresses in lower case, without brackets. */
export const createHostCheck = (
  { host, address }: BoundAddress,
  allowed: Iterable<string> = [],
): ((header: string | undefined) => boolean) => {
  const isBoundToLoopback = isLoopback(address)
  const known = new Set(['localhost', host.toLowerCase(), ...allowed])
  if (!isBoundToLoopback) {
    // This machine's name, with and without its domain.
    const ownName = builtin.os().hostname().toLowerCase()
    known.add(ownName).add(ownName.replace(/\..*/, ''))
  }

  return (header) => {
    const name = readName(header)
    if (name === undefined) return false
    if (known.has(name)) return true
    // Every address is safe, because DNS rebinding needs a name.
    return isIP(name) !== 0 && (!isBoundToLoopback || isLoopback(name))
  }
}

/** The base URL for a client on this machine. It passes the host check. */
const formatOrigin = ({ host, address, port }: BoundAddress & { readonly port: number }): string => {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}

type Refusal = readonly [status: number, message: string]

export const foreignHostStatus = 421

/**
 * Refuses foreign Host and Origin headers. Otherwise any web page could use the server. `isFromOwnPage` returns whether
 * a request with an Origin comes from the server's own page.
 */
const createForeignCheck = (
  bound: BoundAddress & { readonly port: number },
  allowed: Iterable<string> | undefined,
  isFromOwnPage?: (path: string, origin: string, host: string) => boolean,
): ((req: IncomingMessage) => Refusal | undefined) => {
  const isOurHost = createHostCheck(bound, allowed)
  const use = `Use ${formatOrigin(bound)}`
  return ({ headers: { host = '', origin }, url = '' }) => {
    if (!isOurHost(host)) {
      const name = readName(host)
      const problem =
        name === undefined
          ? `The Host header is missing or not valid. ${use}.`
          : `The host ${name} is not allowed. ${use}, or allow this host with --allow-host ${name}.`
      return [foreignHostStatus, problem]
    }
    if (origin === undefined || isFromOwnPage?.(url, origin, host) === true) return undefined
    return [403, 'Requests from web pages are not accepted. Send the request without an Origin header.']
  }
}
