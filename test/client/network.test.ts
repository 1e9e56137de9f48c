// The network transport: proof that nothing was sent, unknown outcomes, hostile responses, and deliveries sent once.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Outcome } from '../../src/client/api.ts'
import { createNetwork, openForwarder } from '../../src/client/network.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { serveOn } from '../../src/server/http-server.ts'
import { openTalker } from '../http/socket-servers.ts'
import { request } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'
import { realClock } from '../support/in-process.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { selfSigned } from '../support/network/client-certificate.ts'
import { openHttp, openHttps } from '../support/network/client-servers.ts'
import { waitUntil } from '../support/wait-until.ts'
import { brief, openClient as open, trust } from './open-client.ts'

// The client's outcomes for the documented example response.
const order = request([line('GAME-DE', { quantity: 2 })])
const notSent = (reason: string, advice?: unknown) => ({ kind: 'not-sent', reason, advice })
const authorityAdvice = expect.stringContaining('NODE_USE_SYSTEM_CA=1')
const unknown = (reason: string) => ({ kind: 'unknown', reason })

test('NODE_TLS_REJECT_UNAUTHORIZED does not turn off the check of the certificate', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  // Node warns, but the check stays.
  vi.spyOn(process, 'emitWarning').mockReturnValue()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const heard: string[] = []
  await using server = await openHttps(selfSigned('localhost'), (req, res) => {
    heard.push(String(req.url))
    res.end()
  })
  const { confirm } = open(`https://localhost:${server.port}`, { environment: process.env })
  expect(await confirm('x')).toEqual(
    notSent('certificate is self-signed (NODE_TLS_REJECT_UNAUTHORIZED is ignored)', authorityAdvice),
  )
  expect(heard).toEqual([])
})

test('a trusted certificate must match the name and be valid today', async () => {
  const past = { from: new Date('2020-01-01'), to: new Date('2020-02-01') }
  const outcomes: Outcome<unknown>[] = []
  for (const pair of [selfSigned('localhost'), selfSigned('elsewhere.test'), selfSigned('localhost', past)]) {
    trust(pair.cert)
    await using server = await openHttps(pair, (_req, res) => res.writeHead(403).end())
    outcomes.push(await open(`https://localhost:${server.port}`).confirm('x'))
  }
  expect(outcomes).toMatchObject([
    { kind: 'refused', refusal: 'credentials' },
    notSent('certificate is not for localhost', 'Check the base URL.'),
    { kind: 'not-sent', reason: 'certificate has expired' },
  ])
})

const head = (...lines: string[]) =>
  ['HTTP/1.1 200 OK', 'content-type: application/json', ...lines, '', ''].join('\r\n')

const closed = 'the connection closed before the response was complete'
const upgrade = 'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'

test.each<[string, string, (socket: Socket) => unknown]>([
  ['a close', closed, (socket) => socket.end()],
  [
    'a chunked body that ends too early',
    closed,
    (to) => to.end(`${head('transfer-encoding: chunked')}2\r\n{}\r\n`),
  ],
  ['no HTTP', 'the response is not HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')],
  [
    'two lengths',
    'the response does not have its announced length',
    (socket) => socket.end(`${head('content-length: 2', 'content-length: 3')}{}`),
  ],
  ['a change of protocol', closed, (socket) => socket.write(upgrade)],
  [
    'an endless head',
    'the headers of the response are too large',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
  ],
])('after %s the outcome is unknown, and create and confirm are sent once', async (_name, reason, talk) => {
  await using server = await openTalker(talk)
  const { create, confirm, get } = open(server.origin)
  expect([await create(order), await confirm('x')]).toEqual([unknown(reason), unknown(reason)])
  expect(server.heard.map((text) => text.slice(0, 4))).toEqual(['POST', 'PUT '])
  expect(await get('x')).toEqual(unknown(reason))
  expect(server.heard).toHaveLength(5)
})

const begun = JSON.stringify(createdExample).slice(0, 900)

test.each([
  ...[400, 405, 413, 415, 421, 426, 429, 431].map((status) => [status, 'refused', '-', 'unknown'] as const),
  ...[401, 403].map((status) => [status, 'refused', 'credentials', 'refused'] as const),
  ...[300, 404, 419, 500, 502].map((status) => [status, 'unknown', '', 'unknown'] as const),
])(
  'an incomplete response with the status %i is %s %s, and for get %s',
  async (status, kind, refusal, ofGet) => {
    const cut = head('content-length: 9999').replace('200 OK', `${status} Said`) + begun
    await using server = await openTalker((socket) => socket.end(cut))
    const { create, confirm, get } = open(server.origin)
    const outcome = `${kind} ${status} ${refusal}`.trim()
    const created = await create(order)
    expect([brief(created), brief(await confirm('x'))]).toEqual([outcome, outcome])
    expect((await get('x')).kind).toBe(ofGet)
    const id = kind === 'unknown' ? { orderId: createdExample.data.id } : {}
    expect(created).toEqual({ ...created, orderId: undefined, ...id })
  },
)

/** A server that refuses each request, and what `read` returns for each. */
const openRefusing = async <Value>(read: (req: IncomingMessage) => Value) => {
  const seen: Value[] = []
  const server = await openHttp((req, res) => {
    seen.push(read(req))
    res.writeHead(404).end()
  })
  return { ...server, seen }
}

test('create and confirm never reuse a connection', async () => {
  await using server = await openRefusing(({ socket }) => socket.remotePort)
  const { confirm, get } = open(server.origin)
  for (let turn = 0; turn < 2; turn += 1) {
    await get('x')
    await confirm('x')
  }
  expect(new Set(server.seen).size).toBe(3)
  expect(server.seen[0]).toBe(server.seen[2])
})

test('a request has a user agent, and asks for no compression', async () => {
  await using server = await openRefusing(({ headers }) => headers)
  await open(server.origin, { userAgent: 'orderctl/9' }).confirm('x')
  await open(server.origin).get('x')
  const both = { 'accept-encoding': 'identity', accept: 'application/json' }
  expect(server.seen).toMatchObject([
    { ...both, 'user-agent': 'orderctl/9', 'content-type': 'application/json' },
    { ...both, 'user-agent': 'orderctl' },
  ])
  expect(server.seen[1]).not.toHaveProperty('content-type')
})

test('a deadline that passes during a response keeps the order id', async () => {
  const clock = createManualClock()
  await using server = await openTalker((socket) => socket.write(`${head('content-length: 2000')}${begun}`))
  const api = open(server.origin, { clock })
  let isDone = false
  const outcome = api.create(order).finally(() => {
    isDone = true
  })
  // Time passes only after the beginning of the response has been written.
  await waitUntil(() => server.heard.length === 1)
  await waitUntil(() => {
    clock.advance(500)
    return isDone
  })
  expect(await outcome).toEqual({ ...unknown('timed out after 45 s'), orderId: createdExample.data.id })
})

test('an invalid base URL is rejected', () => {
  const message = 'the base URL is invalid; allowed: https (http only to this machine, or with --allow-http)'
  expect(() => createNetwork({ baseUrl: 'http://127.0.0.1.nip.io', environment: {} })).toThrow(
    expect.objectContaining({ name: 'Failure', kind: 'usage', message }),
  )
})

const post = async (status: number) => {
  const server = await serveOn(
    async () => ({ status, headers: { location: 'http://127.0.0.1:1/' }, body: '' }),
    { host: '127.0.0.1', port: 0, clock: realClock },
  )
  const forwarder = openForwarder(new URL(server.origin), { environment: {}, clock: realClock })
  onTestFinished(async () => {
    await forwarder.close()
    await server.close()
  })
  return forwarder.post({ headers: [], body: new Uint8Array() }, new AbortController().signal)
}

test.each([
  [200, undefined],
  [204, undefined],
  [299, undefined],
  [301, 'HTTP 301: a redirect, which is not followed'],
  [307, 'HTTP 307: a redirect, which is not followed'],
  [400, 'HTTP 400'],
  [503, 'HTTP 503'],
])('a response with the status %i is: %s', async (status, problem) => {
  expect(await post(status)).toBe(problem)
})

test('rejects if there is no response', async () => {
  const forwarder = openForwarder(new URL('http://127.0.0.1:1'), { environment: {}, clock: realClock })
  const sent = forwarder.post({ headers: [], body: new Uint8Array() }, new AbortController().signal)
  await expect(sent).rejects.toThrow('connection refused')
  await forwarder.close()
})
