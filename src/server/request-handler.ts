// Passes requests from node:http to the transport as plain values and refuses unsafe requests.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../builtin.ts'
import { describeTooLarge } from '../contract/refusals.ts'
import {
  createBody,
  DisconnectedError,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type ServedResponse,
} from '../contract/transport.ts'
import type { Refusal } from './host-check.ts'

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

export const createRequestHandler = (options: Options) => {
  const { transport, bodyBytes, onDefect, onRefused, stop, closing } = options
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
    onRefused?.(readHead(req), status, message)
  }

  const serve = async (req: IncomingMessage, res: ServerResponse, body?: Uint8Array): Promise<void> => {
    pending.add(res)
    try {
      const response = await transport({ ...readHead(req), signal: stop, body })
      const { status, parts } = response
      if (parts === undefined) {
        res.writeHead(status, createHeaders(response, closing.aborted))
        sendBody(res, response.body)
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
    } finally {
      pending.delete(res)
    }
  }

  const readBody = (req: IncomingMessage, res: ServerResponse): void => {
    const body = createBody(bodyBytes)
    const { socket } = req
    // The next request may follow in the same 64 KiB.
    const maxRead = socket.bytesRead + 2 * bodyBytes + 64 * 1024
    const add = (chunk: Uint8Array): void => {
      if (socket.bytesRead <= maxRead && body.add(chunk)) return
      req.off('data', add).off('end', finish)
      refuse(req, res, 413, describeTooLarge(bodyBytes))
    }
    const finish = (): void => void serve(req, res, body.read())
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

const parserStatuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
}

// Node writes latin1 faster, and most responses are ASCII.
const sendBody = (res: ServerResponse, body: string | Uint8Array): void => {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) res.end(body, 'latin1')
  else res.end(body)
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

const createMessage = (message: string) => {
  const body = JSON.stringify({ message })
  const length = Buffer.byteLength(body)
  const headers = { 'content-type': 'application/json', 'content-length': length, connection: 'close' }
  return { body, headers }
}

/**
 * Responds before the request is complete and then reads up to `maxUnreadBytes` more of it. Closing a socket with
 * unread bytes resets the connection, and the client could lose the response.
 */
const sendRefusal = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  message: string,
  maxUnreadBytes: number,
): void => {
  const { headers, body } = createMessage(message)
  res.writeHead(status, headers)
  if (req.readableEnded) return void res.end(body)
  res.write(body)
  let left = maxUnreadBytes
  req.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  req.once('close', () => res.end())
}

/** For a connection without a response object of node:http. */
export const closeWithStatus = (socket: Duplex, status: number): void => {
  const reason = builtin.http().STATUS_CODES[status]
  const { headers, body } = createMessage(`${reason}.`)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const response = `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`
  // Node does not close this socket, and a client that does not read the response would keep it open.
  if (socket.writableLength > 0) socket.destroy()
  else socket.end(response, () => socket.destroy())
}
