// The socket: puts any transport behind node:http. It knows nothing of orders; what a stranger may send
// ends here, or reaches the transport as plain values.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { builtin } from '../../builtin.ts'
import type { Clock } from '../../contract/clock.ts'
import { Disconnected, type Headers, type HttpResponse, type Transport } from '../../contract/transport.ts'
import { drip } from './drip.ts'
import { hostCheck, originOf } from './host-check.ts'
import { listenFailure } from './listen-failure.ts'
import { hangUp, refuse } from './socket-answer.ts'

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
  const { host, clock, onDefect } = options
  const limits = { ...usualLimits, ...options.limits }
  const firstCutMs = Math.min(limits.headersMs, limits.requestMs)
  /** Answers that the transport owes, or that are half sent: put between them, other bytes would pass for one. */
  const owed = new Set<ServerResponse>()
  /** Connections that end with a refusal: of what stands behind the refused request, nobody would hear the answer. */
  const over = new WeakSet<Duplex>()
  const stop = new AbortController()
  let closing = false

  const server = builtin.http().createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: firstCutMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.ceil(firstCutMs / 20),
    keepAliveTimeout: limits.keepAliveMs,
    insecureHTTPParser: false,
    // Ours to refuse, with the foreign ones.
    requireHostHeader: false,
    // Of two keys or two hosts, neither passes for the other.
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  })
  // The 16 KiB bound them; past a count, node would drop them unseen.
  server.maxHeadersCount = 0

  server.listen(options.port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw listenFailure(error as NodeJS.ErrnoException, host, options.port)
  }
  const { address, port } = server.address() as AddressInfo
  const isOurs = hostCheck({ host, address, port })

  const refused = (req: IncomingMessage, res: ServerResponse, status: number, message: string): void => {
    over.add(req.socket)
    if (!req.readableEnded) {
      owed.add(res)
      req.once('close', () => owed.delete(res))
    }
    refuse(req, res, status, message, 16 * limits.bodyBytes)
  }
  const tooLarge = (req: IncomingMessage, res: ServerResponse): void =>
    refused(req, res, 413, `The request body is larger than ${limits.bodyBytes} bytes.`)

  const serve = async (req: IncomingMessage, res: ServerResponse, body?: Uint8Array) => {
    owed.add(res)
    try {
      const request = {
        method: req.method ?? '',
        path: req.url ?? '',
        headers: plain(req),
        signal: stop.signal,
        ...(body === undefined ? {} : { body }),
      }
      const response = await transport(request)
      res.writeHead(response.status, headersOf(response, closing))
      if (response.msPerByte === undefined) end(res, response.body)
      else await drip(res, response.body, response.msPerByte, clock)
    } catch (error) {
      if (!(error instanceof Disconnected)) {
        onDefect?.(error)
        if (res.headersSent) req.socket.destroy()
        else refused(req, res, 500, 'Unexpected server error.')
      } else if (error.how === 'reset') req.socket.resetAndDestroy()
      else req.socket.destroySoon()
    } finally {
      owed.delete(res)
    }
  }

  const collect = (req: IncomingMessage, res: ServerResponse): void => {
    const chunks: Uint8Array[] = []
    let size = 0
    const take = (chunk: Uint8Array): void => {
      size += chunk.length
      if (size <= limits.bodyBytes) {
        chunks.push(chunk)
        return
      }
      req.off('data', take).off('end', end)
      tooLarge(req, res)
    }
    const end = (): void => void serve(req, res, chunks.length > 1 ? Buffer.concat(chunks) : chunks[0])
    req.on('data', take).on('end', end)
  }

  // Nothing is read from a connection before the event loop turns, so none comes too early for these.
  server
    .on('request', (req, res) => {
      const { headers } = req
      if (over.has(req.socket)) return
      if (!isOurs(headers.host)) refused(req, res, 421, 'This listener does not answer for that host.')
      else if (headers.origin !== undefined) refused(req, res, 403, 'Web pages are not served here.')
      else if (!req.url?.startsWith('/')) refused(req, res, 400, 'The request target must be a path.')
      // Node reads a list of them by its last one alone; whoever stands before us may read another.
      else if (!/^(chunked)?$/i.test(headers['transfer-encoding'] ?? ''))
        refused(req, res, 400, 'The only transfer encoding is chunked.')
      else if (Number(headers['content-length']) > limits.bodyBytes) tooLarge(req, res)
      else if (req.readableEnded) void serve(req, res)
      else collect(req, res)
    })
    .on('connect', (_req, socket) => {
      // Node takes its own listener off a socket that it hands over.
      socket.on('error', () => {})
      hangUp(socket, 405)
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Not before a request that came whole, just ahead of the error, is served: this is no answer to that.
      setImmediate(() => {
        const isOwed = [...owed].some((res) => res.req.socket === socket)
        if (isOwed || !socket.writable) socket.destroy()
        else hangUp(socket, parserStatuses[error.code ?? ''] ?? 400)
      })
    })
    .on('error', (error) => onDefect?.(error))

  const close = async (): Promise<void> => {
    closing = true
    const drained = new AbortController()
    const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => drained.abort())
    await clock.sleep(limits.closeMs, drained.signal)
    stop.abort()
    server.closeAllConnections()
    await closed
  }
  return { address: { host: address, port }, origin: originOf({ host, address, port }), close }
}

/** Most answers are ASCII, which Node writes faster where it is told so. */
const end = (res: ServerResponse, body: string | Uint8Array): void => {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) res.end(body, 'latin1')
  else res.end(body)
}

/** Node makes a list of this one alone. */
const plain = ({ headers }: IncomingMessage): Headers => {
  const list = headers['set-cookie']
  return (list === undefined ? headers : { ...headers, 'set-cookie': list.join(', ') }) as Headers
}

const headersOf = ({ status, headers, body, msPerByte }: HttpResponse, closing: boolean) => {
  const all: Record<string, string | number> = { ...headers }
  const bytes = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) all['content-length'] ??= bytes
  // A body shorter than announced is a truncated answer only if the connection ends with it.
  const isLast = closing || msPerByte !== undefined || Number(all['content-length'] ?? 0) !== bytes
  if (isLast) all.connection = 'close'
  return all
}

const parserStatuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
}
