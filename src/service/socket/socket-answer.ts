// What the socket answers by itself, without asking the transport: a message, and the connection ends.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { builtin } from '../../builtin.ts'

const says = (message: string): string => JSON.stringify({ message })

const headersOf = (body: string) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  connection: 'close',
})

/**
 * Answers at once, whatever of the request is still to come. A close with bytes unread is a reset, which can
 * take the answer with it: so a client that sends on is read, up to a bound, until it ends or is timed out.
 */
export const refuse = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  message: string,
  readOn: number,
): void => {
  const body = says(message)
  res.writeHead(status, headersOf(body))
  if (req.readableEnded) {
    res.end(body)
    return
  }
  res.write(body)
  let left = readOn
  req.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) req.destroy()
  })
  req.once('close', () => res.end())
}

/** For a connection that node:http has no response for. */
export const hangUp = (socket: Duplex, status: number): void => {
  const reason = builtin.http().STATUS_CODES[status]
  const body = says(`${reason}.`)
  const headers = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}\r\n`)
  const answer = `HTTP/1.1 ${status} ${reason}\r\n${headers.join('')}\r\n${body}`
  // Node no longer closes a socket that it has handed over: an answer that is not read would keep it open for good.
  if (socket.writableLength > 0) socket.destroy()
  else socket.end(answer, () => socket.destroy())
}
