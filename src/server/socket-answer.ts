// Answers that the listener sends itself, and that end the connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../builtin.ts'

const writeBody = (message: string): string => JSON.stringify({ message })

const createHeaders = (body: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  connection: 'close',
})

/**
 * Answers before the request is complete, and then reads up to `maxUnreadBytes` more of it.
 * Closing a socket with unread bytes resets the connection, and the client could lose the answer.
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
  const answer = `HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}\r\n${body}`
  // Node does not close this socket, and a client that does not read the answer would keep it open.
  if (socket.writableLength > 0) socket.destroy()
  else socket.end(answer, () => socket.destroy())
}
