// Sends a body in parts as they are made, until the client disconnects or the listener closes.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { HttpResponse } from '../contract/transport.ts'

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
