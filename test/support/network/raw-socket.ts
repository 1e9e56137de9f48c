// A bare client socket for requests that no HTTP client would send.
import { once } from 'node:events'
import { connect } from 'node:net'
import { waitUntil } from '../wait-until.ts'

type Heard = {
  /** Status and body of each response. An incomplete response is kept as text. */
  readonly responses: readonly (readonly [number, string] | string)[]
  readonly end: 'closed' | 'reset'
}

const responsesIn = (text: string): Heard['responses'] => {
  if (text === '') return []
  const [, head = '', status = '', rest = ''] = /^(HTTP\/1\.1 (\d{3}) .*?\r\n)\r\n(.*)$/s.exec(text) ?? []
  const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1])
  if (!(rest.length >= length)) return [text.replace(/^date: .*\r\n/im, '')]
  return [[Number(status), rest.slice(0, length)], ...responsesIn(rest.slice(length))]
}

export const openRaw = async (port: number) => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  let end: Heard['end'] = 'closed'
  socket
    .on('data', (chunk: string) => {
      text += chunk
    })
    .on('error', () => {
      end = 'reset'
    })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    say: (bytes: string): void => void socket.write(bytes, 'latin1'),
    hears: (part: string): Promise<void> => waitUntil(() => text.includes(part)),
    reset: (): unknown => socket.resetAndDestroy(),
    isOpen: (): boolean => socket.writable,
    text: (): string => text,
    closed: async (): Promise<Heard> => {
      await closed
      return { responses: responsesIn(text), end }
    },
    [Symbol.dispose]: (): unknown => socket.destroy(),
  }
}

/** Sends the bytes and reads until the server closes the connection. */
export const exchange = async (port: number, bytes: string): Promise<Heard> => {
  using raw = await openRaw(port)
  raw.say(bytes)
  return await raw.closed()
}
