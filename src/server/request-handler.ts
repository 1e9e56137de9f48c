// Passes requests from node:http to the transport as plain values and refuses unsafe requests.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
