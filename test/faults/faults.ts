// The faults of the matrix: a connection that fails, bytes of a response that are cut, slow or too large, and content
// that is not as documented. client/network.test.ts and client/responses.test.ts have more of each kind.
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { selfSigned } from '../support/network/client-certificate.ts'
import type { Fault, Line, Pair } from './proxy.ts'
import { bytesOf, headOf, key, type Response } from './response.ts'

const json = { 'content-type': 'application/json' }
const plain = { 'content-type': 'text/plain' }
const html = { 'content-type': 'text/html' }
const forEver = Number.POSITIVE_INFINITY

const days = (count: number): Date => new Date(Date.now() + count * 86_400_000)

/** Certificates of the service: for localhost, and for the name that only the proxy knows. */
export const goodPair: Readonly<Record<'https' | 'tunnel', Pair>> = {
  https: selfSigned('localhost'),
  tunnel: selfSigned('orders.test'),
}
const expired = selfSigned('localhost', { from: days(-60), to: days(-30) })

/** The certificates that the tests trust. */
export const trusted: readonly string[] = [...Object.values(goodPair), expired].map(({ cert }) => cert)

const at = (play: (line: Line) => unknown): Fault => ({ at: 'response', play })

/** If the service was not asked, a made-up response is used. */
const whole = ({ response }: Line): Response =>
  response ?? { status: 200, headers: json, body: `{"message":"${'.'.repeat(99)}","data":{}}` }

const half = ({ body }: Response): Buffer => Buffer.from(body).subarray(0, Math.floor(body.length / 2))

// The reset waits until the client has read the written bytes.
const flushMs = 3

const resetHalfWay = at(async (line) => {
  const response = whole(line)
  const length = { 'content-length': String(Buffer.byteLength(response.body)) }
  line.socket.write(headOf({ ...response, headers: { ...response.headers, ...length } }))
  line.socket.write(half(response))
  await delay(flushMs)
  line.socket.resetAndDestroy()
})

const closedHalfWay = at((line) => {
  const response = whole(line)
  const head = headOf({ ...response, headers: { ...response.headers, connection: 'close' } })
  line.socket.end(Buffer.concat([Buffer.from(head), half(response)]))
})

/** Sends one byte a second, on the clock of the test. */
const drip = at(async (line) => {
  const bytes = bytesOf(whole(line))
  for (let index = 0; !line.socket.destroyed; index += 1) {
    await new Promise((resolve) => line.socket.write(bytes.subarray(index, index + 1), resolve))
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

const gzipped = at((line) => {
  const response = whole(line)
  const headers = { ...response.headers, 'content-encoding': 'gzip' }
  line.socket.write(bytesOf({ ...response, headers, body: gzipSync(Buffer.from(response.body)) }))
})

const say = (status: number, body = '', headers: Record<string, string> = json): Fault =>
  at(({ socket }) => socket.write(bytesOf({ status, headers, body })))

/** Changes the text of the service's own response. */
const change = (replace: (text: string) => string): Fault =>
  at((line) => {
    const response = whole(line)
    line.socket.write(bytesOf({ ...response, body: replace(Buffer.from(response.body).toString()) }))
  })

export const faults: Readonly<Record<string, Fault>> = {
  'nobody listens': { at: 'listen' },
  'no such name': { at: 'name' },
  'certificate: expired': { at: 'handshake', play: expired },
  'handshake: silence': { at: 'handshake', play: (_socket, pass) => pass(forEver) },
  'proxy: nobody listens': { at: 'listen' },
  'proxy: 407, a login': {
    at: 'tunnel',
    play: (socket) =>
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"\r\ncontent-length: 0\r\n\r\n',
      ),
  },
  'proxy: silence': { at: 'tunnel', play: (_socket, pass) => pass(forEver) },
  'reset without a response': at(({ socket }) => socket.resetAndDestroy()),
  'reset half way': resetHalfWay,
  'closed half way, no length': closedHalfWay,
  'a byte a second': drip,
  '1 GiB': flood,
  gzip: gzipped,
  'two ids': change((text) => text.replace(/"(id|uid)":"/, '"$1":"ord_other","$1":"')),
  '20 digits for a time': change((text) =>
    text.replace(/"(expiresAt|_seconds)":\d+/, '"$1":12345678901234567890'),
  ),
  // A response to create identifies the order only by its products.
  'for another order': change((text) =>
    text.includes('"expiresAt"')
      ? text.replaceAll('GAME-US', 'GAME-DE')
      : text.replace(/"(id|uid)":"[^"]+"/, '"$1":"ord_other"'),
  ),
  '302 elsewhere': at(({ socket, elsewhere }) =>
    socket.write(bytesOf({ status: 302, headers: { location: `${elsewhere}/login?key=${key}` }, body: '' })),
  ),
  '400 that repeats the key': say(400, JSON.stringify({ message: `no key like ${key}` })),
  '403': say(403, '{"message":"Forbidden"}'),
  '404': say(404, '{"message":"Not Found"}'),
  '407': say(407, '<!DOCTYPE html><title>Proxy Authentication Required</title>', html),
  '413': say(413, '<!DOCTYPE html><title>413 Request Entity Too Large</title>', html),
  '429': say(429, '{"message":"Slow down"}'),
  '502 with escapes': say(502, '\u001b[2J\u001b]0;owned\u0007 \u202egnp.exe', plain),
}
