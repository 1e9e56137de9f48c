// Sends a body one byte at a time, until the client disconnects.
import type { ServerResponse } from 'node:http'
import type { Clock } from '../contract/clock.ts'

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
