// Passes requests from node:http to the transport as plain values, and refuses unsafe ones.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../contract/clock.ts'
import { describeTooLarge } from '../contract/refusals.ts'
import {
  DisconnectedError,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../contract/transport.ts'
import { describeForeignHost } from './host-check.ts'
import { closeWithStatus, sendBody, sendParts, sendRefusal } from './send-response.ts'

/** What the user of a server may choose. */
export type HandlerOptions = {
  readonly clock: Pick<Clock, 'sleep'>
  /** Whether a request with an Origin header comes from a page of this server. Otherwise it is refused. */
  readonly isFromOwnPage?: (path: string, origin: string, host: string) => boolean
  /** Called with unexpected errors of the transport. The client gets only a 500. */
  readonly onDefect?: (error: unknown) => void
  /** Called for each request that does not reach the transport. Its body is missing. */
  readonly onRefused?: (request: HttpRequest, status: number, message: string) => void
}

type Options = HandlerOptions & {
  readonly transport: Transport
  readonly bodyBytes: number
  readonly origin: string
  readonly isOurHost: (header: string | undefined) => boolean
  /** Only with a secret path. */
  readonly isOurPath: ((target: string) => boolean) | undefined
  readonly stop: AbortSignal
  readonly closing: AbortSignal
}

export const foreignHostStatus = 421

export const createRequestHandler = (options: Options) => {
  const { transport, clock, bodyBytes, onDefect, onRefused, stop, closing } = options
  /** Until such a response is complete, no other bytes may be written to its connection. */
  const pending = new Set<ServerResponse>()
  /** Connections that end with a refusal. Requests that follow the refused one are ignored. */
  const refused = new WeakSet<Duplex>()

  const refuse = (req: IncomingMessage, res: ServerResponse, status: number, message: string): void => {
    refused.add(req.socket)
    if (!req.readableEnded) {
      pending.add(res)
      req.once('close', () => pending.delete(res))
    }
    sendRefusal(req, res, status, message, 16 * bodyBytes)
    onRefused?.({ method: req.method ?? '', path: req.url ?? '', headers: readHeaders(req) }, status, message)
  }

  const serve = async (req: IncomingMessage, res: ServerResponse, body?: Uint8Array): Promise<void> => {
    pending.add(res)
    try {
      const response = await transport({
        method: req.method ?? '',
        path: req.url ?? '',
        headers: readHeaders(req),
        signal: stop,
        body,
      })
      const { msPerByte, stream } = response
      res.writeHead(response.status, createHeaders(response, closing.aborted))
      if (stream !== undefined) await sendParts(res, stream, closing)
      else if (msPerByte === undefined) sendBody(res, response.body)
      else await sendParts(res, (signal) => drip(response.body, msPerByte, clock, signal), stop)
    } catch (error) {
      if (!(error instanceof DisconnectedError)) {
        onDefect?.(error)
        if (res.headersSent) req.socket.destroy()
        else refuse(req, res, 500, 'Unexpected server error.')
      } else if (error.how === 'reset') req.socket.resetAndDestroy()
      else req.socket.destroySoon()
    } finally {
      pending.delete(res)
    }
  }

  const readBody = (req: IncomingMessage, res: ServerResponse): void => {
    const chunks: Uint8Array[] = []
    let size = 0
    const add = (chunk: Uint8Array): void => {
      size += chunk.length
      if (size <= bodyBytes) return void chunks.push(chunk)
      req.off('data', add).off('end', finish)
      refuse(req, res, 413, describeTooLarge(bodyBytes))
    }
    const finish = (): void => void serve(req, res, chunks.length > 1 ? Buffer.concat(chunks) : chunks[0])
    req.on('data', add).on('end', finish)
  }

  return {
    handleRequest: (req: IncomingMessage, res: ServerResponse): void => {
      if (refused.has(req.socket)) return
      const refusal = findRefusal(req, options)
      if (refusal !== undefined) refuse(req, res, ...refusal)
      else if (req.readableEnded) void serve(req, res)
      else readBody(req, res)
    },
    handleClientError: (error: NodeJS.ErrnoException, socket: Duplex): void => {
      // Deferred, so that a complete request just before the invalid bytes is served first.
      setImmediate(() => {
        const isPending = [...pending].some((res) => res.req.socket === socket)
        if (isPending || !socket.writable) socket.destroy()
        else closeWithStatus(socket, parserStatuses[error.code ?? ''] ?? 400)
      })
    },
  }
}

type Refusal = readonly [status: number, message: string]

const findRefusal = (req: IncomingMessage, options: Options): Refusal | undefined => {
  const { headers, url } = req
  const { isOurPath, bodyBytes } = options
  // A wrong path says nothing else, so that nobody can search for the right one.
  if (isOurPath?.(url ?? '') === false) return [404, 'Not found.']
  const foreign = isOurPath === undefined ? findForeign(req, options) : undefined
  if (foreign !== undefined) return foreign
  if (!url?.startsWith('/')) return [400, 'The request target must be a path.']
  // Of several codings Node reads only the last, but a proxy may read another.
  if (!/^(chunked)?$/i.test(headers['transfer-encoding'] ?? ''))
    return [400, 'Transfer-Encoding must be chunked or missing.']
  return Number(headers['content-length']) > bodyBytes ? [413, describeTooLarge(bodyBytes)] : undefined
}

/** Without these checks, any web page could use the server. */
const findForeign = (
  { headers: { host, origin }, url = '' }: IncomingMessage,
  { isOurHost, isFromOwnPage, origin: ours }: Options,
): Refusal | undefined => {
  if (!isOurHost(host)) return [foreignHostStatus, describeForeignHost(host, ours)]
  if (origin === undefined || isFromOwnPage?.(url, origin, host ?? '') === true) return undefined
  return [403, 'Requests from web pages are not accepted. Send the request without an Origin header.']
}

/** Node gives `set-cookie`, and no other header, as a list. */
const readHeaders = ({ headers }: IncomingMessage): Headers => {
  const cookies = headers['set-cookie']
  return (cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') }) as Headers
}

/** The body, one byte at a time. */
async function* drip(
  body: string | Uint8Array,
  msPerByte: number,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const byte of Buffer.from(body)) {
    await clock.sleep(msPerByte, signal)
    yield Uint8Array.of(byte)
  }
}

const createHeaders = (response: HttpResponse, isClosing: boolean) => {
  const { status, headers, body, msPerByte, stream } = response
  if (stream !== undefined) return { ...headers, connection: 'close' }
  const all: Record<string, string | number> = { ...headers }
  const bytes = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) all['content-length'] ??= bytes
  // The connection must end after a truncated body, or the client would wait for the rest.
  const isLast = isClosing || msPerByte !== undefined || Number(all['content-length'] ?? 0) !== bytes
  if (isLast) all.connection = 'close'
  return all
}

const parserStatuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
}
