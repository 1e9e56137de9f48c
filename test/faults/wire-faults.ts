// Faults in the bytes of a response: cut, slow, too large, compressed, or not HTTP.
import { setTimeout as delay } from 'node:timers/promises'
import { deflateSync, gzipSync } from 'node:zlib'
import type { Fault, Line } from './proxy.ts'
import { bytesOf, headOf, type Response } from './response.ts'

const json = { 'content-type': 'application/json' }

/** If the service was not asked, a made-up response is cut instead. */
const whole = ({ response }: Line): Response =>
  response ?? { status: 200, headers: json, body: `{"message":"${'.'.repeat(99)}","data":{}}` }

const half = ({ body }: Response): Buffer => Buffer.from(body).subarray(0, Math.floor(body.length / 2))

const at = (play: (line: Line) => unknown): Fault => ({ at: 'response', play })

/** Sends the same body with a different head, whole or in part. */
const framed = (framing: Record<string, string>, sent: (response: Response) => Uint8Array | string): Fault =>
  at((line) => {
    const response = whole(line)
    const head = headOf({ ...response, headers: { ...response.headers, ...framing } })
    line.socket.end(Buffer.concat([Buffer.from(head), Buffer.from(sent(response))]))
  })

// The reset waits until the client has read the written bytes.
const flushMs = 3

const resetAfter = (part: (response: Response) => Uint8Array): Fault =>
  at(async (line) => {
    const response = whole(line)
    const length = { 'content-length': String(Buffer.byteLength(response.body)) }
    line.socket.write(headOf({ ...response, headers: { ...response.headers, ...length } }))
    line.socket.write(part(response))
    await delay(flushMs)
    line.socket.resetAndDestroy()
  })

const lengthOf = ({ body }: Response): Record<string, string> => ({ 'content-length': String(body.length) })

const chunk = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

/** Sends one byte a second, on the clock of the test. */
const dripping = (next: (line: Line) => (index: number) => string | Uint8Array): Fault =>
  at(async (line) => {
    const byteAt = next(line)
    for (let index = 0; !line.socket.destroyed; index += 1) {
      await new Promise((resolve) => line.socket.write(byteAt(index), resolve))
      await line.pass(1_000)
    }
  })

const gibibyte = 1024 ** 3
const spaces = Buffer.alloc(64 * 1024, ' ')

/** Sends as fast as the client reads, until it stops reading. */
const flood = at(async (line) => {
  const { socket } = line
  const body = Buffer.from(whole(line).body)
  socket.write(headOf({ status: 200, headers: { ...json, 'content-length': String(gibibyte) } }))
  socket.write(body)
  for (let left = gibibyte - body.length; left > 0 && !socket.destroyed; left -= spaces.length) {
    const isTaken = socket.write(spaces)
    if (!isTaken) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
  }
})

const packed = (encoding: string, pack: (body: Uint8Array) => Uint8Array): Fault =>
  at((line) => {
    const response = whole(line)
    const headers = { ...response.headers, 'content-encoding': encoding }
    line.socket.write(bytesOf({ ...response, headers, body: pack(Buffer.from(response.body)) }))
  })

// A gzip file may have many members, so a GiB of spaces fits into a MiB.
const mebibyteOfSpaces = gzipSync(Buffer.alloc(1024 ** 2, ' '))
const bomb = (body: Uint8Array): Buffer =>
  Buffer.concat([gzipSync(body), ...Array<Buffer>(1_024).fill(mebibyteOfSpaces)])

const times = (count: number, body: Uint8Array): Uint8Array =>
  Array.from({ length: count }).reduce<Uint8Array>((packedSoFar) => gzipSync(packedSoFar), body)

export const wireFaults = {
  'reset without a response': at(({ socket }) => socket.resetAndDestroy()),
  'closed without a response': at(({ socket }) => socket.end()),
  'reset in the head': at(async ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-le')
    await delay(flushMs)
    socket.resetAndDestroy()
  }),
  'reset after the head': resetAfter(() => Buffer.alloc(0)),
  'reset half way': resetAfter(half),
  'closed half way': at((line) => {
    const response = whole(line)
    const { headers } = response
    line.socket.end(
      Buffer.concat([
        Buffer.from(headOf({ ...response, headers: { ...headers, ...lengthOf(response) } })),
        half(response),
      ]),
    )
  }),
  'closed half way, in chunks': framed({ 'transfer-encoding': 'chunked' }, (response) =>
    chunk(half(response)),
  ),
  'closed half way, gzip': at((line) => {
    const response = whole(line)
    const body = gzipSync(response.body)
    const headers = { ...response.headers, 'content-encoding': 'gzip', 'content-length': String(body.length) }
    line.socket.end(Buffer.concat([Buffer.from(headOf({ ...response, headers })), body.subarray(0, -20)]))
  }),
  'closed half way, no length': framed({ connection: 'close' }, half),
  'closed at its end, no length': framed({ connection: 'close' }, ({ body }) => body),
  'a byte a second': dripping((line) => {
    const bytes = bytesOf(whole(line))
    return (index) => bytes.subarray(index, index + 1)
  }),
  '"just a moment" for ever': dripping(() => () => 'HTTP/1.1 102 Processing\r\n\r\n'),
  silence: at(({ pass }) => pass(Number.POSITIVE_INFINITY)),
  'no HTTP': at(({ socket }) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')),
  noise: at(({ socket }) =>
    socket.end(Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 89) % 256))),
  ),
  'a head without end': at(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    socket.write(`x: ${'x'.repeat(99)}\r\n`.repeat(2_000))
  }),
  'two lengths': framed({ 'content-length': '9\r\ncontent-length: 10' }, ({ body }) => body),
  'a length and chunks': framed({ 'content-length': '9', 'transfer-encoding': 'chunked' }, (response) =>
    chunk(Buffer.from(response.body)),
  ),
  'a second response behind it': at((line) => {
    line.socket.write(bytesOf(whole(line)))
    line.socket.write(bytesOf({ status: 200, headers: json, body: '{"message":"again"}' }))
  }),
  'a change of protocol': at(({ socket }) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ),
  '1 GiB': flood,
  gzip: packed('gzip', gzipSync),
  'a gzip bomb of 1 GiB': packed('gzip', bomb),
  'a bomb in a bomb': packed('gzip, gzip', (body) => gzipSync(bomb(body))),
  'gzip 3 times': packed('gzip, gzip, gzip', (body) => times(3, body)),
  'gzip 10 times': packed(Array(10).fill('gzip').join(', '), (body) => times(10, body)),
  'gzip, half of it': packed('gzip', (body) => gzipSync(body).subarray(0, -20)),
  'gzip that is none': packed('gzip', (body) => body),
  'deflate that says gzip': packed('gzip', deflateSync),
  'an unknown compression': packed('zstd', (body) => body),
} satisfies Record<string, Fault>
