// Sends responses over a socket: whole, byte by byte, in parts, and refusals that end the connection.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../builtin.ts'

// Node writes latin1 faster, and most responses are ASCII.
export const sendBody = (res: ServerResponse, body: string | Uint8Array): void => {
  if (typeof body === 'string' && Buffer.byteLength(body) === body.length) res.end(body, 'latin1')
  else res.end(body)
}

/** Sends a body in parts as they are made, until the client disconnects or `closing` aborts. */
export const sendParts = async (
  res: ServerResponse,
  make: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>,
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
