// Sends responses over a socket: whole, byte by byte, in parts, and refusals that end the connection.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../builtin.ts'
import type { Clock } from '../contract/clock.ts'
import type { HttpResponse } from '../contract/transport.ts'

// Node writes latin1 faster, and most responses are ASCII.
export const sendBody = (res: ServerResponse, body: string | Uint8Array): void => {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) res.end(body, 'latin1')
  else res.end(body)
}

/** Sends a body one byte at a time, until the client disconnects. */
export const drip = async (
  res: ServerResponse,
  body: string | Uint8Array,
  msPerByte: number,
  clock: Pick<Clock, 'sleep'>,
): Promise<void> => {
  const disconnected = new AbortController()
  res.once('close', () => disconnected.abort())
  res.flushHeaders()
  for (const byte of Buffer.from(body)) {
    await clock.sleep(msPerByte, disconnected.signal)
    // The socket may have closed before the listener above was added.
    if (res.req.socket.destroyed) return
    res.write(Uint8Array.of(byte))
  }
  res.end()
}

/** Sends a body in parts as they are made, until the client disconnects or the server closes. */
export const streamBody = async (
  res: ServerResponse,
  { status, headers }: HttpResponse,
  stream: NonNullable<HttpResponse['stream']>,
  closing: AbortSignal,
): Promise<void> => {
  const disconnected = new AbortController()
  const ended = AbortSignal.any([disconnected.signal, closing])
  res.once('close', () => disconnected.abort())
  res.writeHead(status, { ...headers, connection: 'close' })
  for await (const part of stream(ended)) {
    // The socket may have closed before the listener above was added.
    if (ended.aborted || res.req.socket.destroyed) break
    if (!res.write(part)) await once(res, 'drain', { signal: ended }).catch(() => {})
  }
  res.end()
}

const writeBody = (message: string): string => JSON.stringify({ message })

const createHeaders = (body: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  connection: 'close',
})

/**
 * Responds before the request is complete, and then reads up to `maxUnreadBytes` more of it.
 * Closing a socket with unread bytes resets the connection, and the client could lose the response.
 */
export const sendRefusal = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  message: string,
  maxUnreadBytes: number,
): void => {
  const body = writeBody(message)
  res.writeHead(status, createHeaders(body))
  if (req.readableEnded) {
    res.end(body)
    return
  }
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
  const body = writeBody(`${reason}.`)
  const headers = Object.entries(createHeaders(body)).map(([name, value]) => `${name}: ${value}\r\n`)
  const response = `HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}\r\n${body}`
  // Node does not close this socket, and a client that does not read the response would keep it open.
  if (socket.writableLength > 0) socket.destroy()
  else socket.end(response, () => socket.destroy())
}
