// A body sent a byte at a time, to whoever stays to read it.
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../contract/clock.ts'

export const drip = async (
  res: ServerResponse,
  body: string | Uint8Array,
  msPerByte: number,
  clock: Pick<Clock, 'sleep'>,
): Promise<void> => {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  res.flushHeaders()
  for (const byte of Buffer.from(body)) {
    await clock.sleep(msPerByte, gone.signal)
    // Asked of the socket: it may have closed before anyone listened.
    if (res.req.socket.destroyed) return
    res.write(Uint8Array.of(byte))
  }
  res.end()
}
