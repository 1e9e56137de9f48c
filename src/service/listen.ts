// The socket: puts any transport behind node:http. It knows nothing of orders; what a stranger may send
// ends here, or reaches the transport as plain values.
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../contract/clock.ts'
import { Disconnected, type Headers, type HttpResponse, type Transport } from '../contract/transport.ts'
import { Failure } from '../errors.ts'
import { hostCheck, originOf } from './host-check.ts'

const usualLimits = {
  bodyBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 10_000,
  keepAliveMs: 5_000,
  /** How long close() waits for the requests under way. */
  closeMs: 5_000,
}

export type ListenOptions = {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly clock: Pick<Clock, 'sleep'>
  readonly limits?: Partial<typeof usualLimits>
  /** Told of whatever the transport throws that is no Disconnected; the client learns nothing of it. */
  readonly onDefect?: (error: unknown) => void
}

export type Listener = {
  readonly address: { readonly host: string; readonly port: number }
  /** The base address for a client on this machine. */
  readonly origin: string
  close(): Promise<void>
}

export const listen = async (transport: Transport, options: ListenOptions): Promise<Listener> => {
  const { clock, onDefect } = options
  const limits = { ...usualLimits, ...options.limits }
  /** Answers owed by the transport or half sent: where one is, a connection takes no other bytes. */
  const owed = new Set<ServerResponse>()
  let closing = false
  let isOurs = (_host: string | undefined): boolean => false

  const serve = async (req: IncomingMessage, res: ServerResponse, headers: Headers, body?: Uint8Array) => {
    owed.add(res)
    try {
      const request = { method: req.method ?? '', path: req.url ?? '', headers }
      const response = await transport(body === undefined ? request : { ...request, body })
      res.writeHead(response.status, headersFor(response, closing))
      if (response.msPerByte === undefined) res.end(response.body)
      else await drip(res, response.body, response.msPerByte, clock)
    } catch (error) {
      if (error instanceof Disconnected) {
        if (error.how === 'reset') req.socket.resetAndDestroy()
        else req.socket.destroySoon()
      } else {
        onDefect?.(error)
        if (res.headersSent) req.socket.destroy()
        else
          res.writeHead(500, { ...answerHeaders, connection: 'close' }).end(says('Unexpected server error.'))
      }
    } finally {
      owed.delete(res)
    }
  }

  /** Answers at once and closes, whatever of the request is still to come. */
  const refuse = (req: IncomingMessage, res: ServerResponse, status: number, message: string): void => {
    const body = says(message)
    res.writeHead(status, { ...answerHeaders, 'content-length': body.length, connection: 'close' })
    if (req.readableEnded) {
      res.end(body)
      return
    }
    // A close with bytes unread is a reset, which can take the answer with it. So the whole answer leaves
    // now, and a client that sends on is read for a while: up to a bound, and no longer than requestMs.
    owed.add(res)
    res.write(body)
    let left = 16 * limits.bodyBytes
    const done = (): void => {
      owed.delete(res)
      res.end()
    }
    req.on('data', (chunk: Uint8Array) => {
      left -= chunk.length
      if (left < 0) done()
    })
    req.on('end', done)
    req.socket.once('close', done)
  }

  const collect = (req: IncomingMessage, res: ServerResponse, headers: Headers): void => {
    const chunks: Uint8Array[] = []
    let size = 0
    const take = (chunk: Uint8Array): void => {
      size += chunk.length
      if (size <= limits.bodyBytes) {
        chunks.push(chunk)
        return
      }
      req.off('data', take).off('end', end)
      refuse(req, res, 413, tooLarge(limits.bodyBytes))
    }
    const end = (): void => void serve(req, res, headers, size === 0 ? undefined : Buffer.concat(chunks))
    req.on('data', take).on('end', end)
  }

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(limits.headersMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / 20),
      keepAliveTimeout: limits.keepAliveMs,
      insecureHTTPParser: false,
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    (req, res) => {
      const headers = joined(req.rawHeaders)
      if (!isOurs(headers.host)) refuse(req, res, 421, 'This listener does not answer for that host.')
      else if (headers.origin !== undefined) refuse(req, res, 403, 'Web pages are not served here.')
      else if (!req.url?.startsWith('/')) refuse(req, res, 400, 'The request target must be a path.')
      else if (Number(headers['content-length']) > limits.bodyBytes)
        refuse(req, res, 413, tooLarge(limits.bodyBytes))
      else if (req.readableEnded) void serve(req, res, headers)
      else collect(req, res, headers)
    },
  )
  // The 16 KiB bound them; past a count, node would drop them unseen.
  server.maxHeadersCount = 0

  const hangUp = (socket: Duplex, status: number): void => {
    // Node takes its own listener off a socket that it hands over.
    socket.on('error', () => {})
    const owing = [...owed].some((res) => res.req.socket === socket)
    if (socket.writable && !owing) socket.end(rawAnswer(status), () => socket.destroy())
    else socket.destroy()
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    hangUp(socket, parserStatuses[error.code ?? ''] ?? 400),
  )
  server.on('connect', (_req, socket) => hangUp(socket, 405))
  server.on('upgrade', (_req, socket) => hangUp(socket, 400))

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(asFailure(error, options)))
    server.listen(options.port, options.host, resolve)
  })
  server.removeAllListeners('error').on('error', (error) => onDefect?.(error))

  const { address, port } = server.address() as AddressInfo
  const bound = { host: options.host, address, port }
  isOurs = hostCheck(bound)

  const close = async (): Promise<void> => {
    closing = true
    const closed = new AbortController()
    const allClosed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => closed.abort())
    await clock.sleep(limits.closeMs, closed.signal)
    server.closeAllConnections()
    await allClosed
  }
  return { address: { host: address, port }, origin: originOf(bound), close }
}

const answerHeaders = { 'content-type': 'application/json' }
const says = (message: string): string => JSON.stringify({ message })
const tooLarge = (bytes: number): string => `The request body is larger than ${bytes} bytes.`

/** One value a name, in lower case, the repeated joined: of two keys or types, neither passes for the other. */
const joined = (raw: readonly string[]): Headers => {
  // Without a prototype, `__proto__` and `constructor` are names like any other.
  const headers: Record<string, string> = Object.create(null)
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase()
    const earlier = headers[name]
    headers[name] = earlier === undefined ? String(raw[at + 1]) : `${earlier}, ${raw[at + 1]}`
  }
  return headers
}

const headersFor = ({ status, headers, body, msPerByte }: HttpResponse, closing: boolean) => {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  const announced = headers['content-length'] ?? (status === 204 || status === 304 ? undefined : bytes)
  // A body shorter than announced is a truncated answer only if the connection ends with it.
  const last = closing || msPerByte !== undefined || Number(announced ?? 0) !== bytes
  return {
    ...headers,
    ...(announced === undefined ? {} : { 'content-length': announced }),
    ...(last ? { connection: 'close' } : {}),
  }
}

const drip = async (
  res: ServerResponse,
  body: string | Uint8Array,
  msPerByte: number,
  clock: Pick<Clock, 'sleep'>,
) => {
  const gone = new AbortController()
  res.req.socket.once('close', () => gone.abort())
  res.flushHeaders()
  for (const byte of Buffer.from(body)) {
    await clock.sleep(msPerByte, gone.signal)
    if (gone.signal.aborted) return
    res.write(Uint8Array.of(byte))
  }
  res.end()
}

const parserStatuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
}

/** For a connection that node:http has no response for. */
const rawAnswer = (status: number): string => {
  const body = says(`${STATUS_CODES[status]}.`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
}

const asFailure = (error: NodeJS.ErrnoException, { host, port }: ListenOptions): unknown => {
  const elsewhere = { fix: 'give an address of this machine with --host, such as 127.0.0.1', field: '--host' }
  const otherPort = { fix: 'choose another with --port, or --port 0 for any free one', field: '--port' }
  switch (error.code) {
    case 'EADDRINUSE':
      return new Failure('usage', `port ${port} is in use on ${host}`, { ...otherPort, cause: error })
    case 'EACCES':
      return new Failure('usage', `port ${port} is not yours to open on ${host}`, {
        ...otherPort,
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new Failure('usage', `${host} is no address of this machine`, { ...elsewhere, cause: error })
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Failure('usage', `the host name ${host} cannot be resolved`, { ...elsewhere, cause: error })
    default:
      return error
  }
}
