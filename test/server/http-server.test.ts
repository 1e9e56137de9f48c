// The listener: valid requests, refusals, timeouts, faults of the connection, and closing.
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/contract/clock.ts'
import { DisconnectedError, type HttpRequest } from '../../src/contract/transport.ts'
import { Failure, writeRemedy } from '../../src/errors.ts'
import { type ListenOptions, listen } from '../../src/server/http-server.ts'
import type { Serve, ServedResponse } from '../../src/server/request-handler.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { exchange, openRaw } from '../support/network/raw-socket.ts'
import { suggest } from '../support/suggest.ts'
import { turnEventLoop, waitUntil } from '../support/wait-until.ts'

const json = { 'content-type': 'application/json' }

type Setup = {
  readonly transport?: (request: HttpRequest, clock: Clock) => ReturnType<Serve>
  readonly limits?: ListenOptions['limits']
}

/** Opens a listener on a free port. By default its transport responds with the request's path. */
const open = async ({ transport, limits }: Setup = {}) => {
  const requests: HttpRequest[] = []
  const defects: unknown[] = []
  const clock = createManualClock()
  const listener = await listen(
    async (request) => {
      requests.push(request)
      return transport === undefined
        ? { status: 200, headers: json, body: request.path }
        : transport(request, clock)
    },
    {
      host: '127.0.0.1',
      port: 0,
      clock,
      limits: { closeMs: 0, ...limits },
      onDefect: (error) => defects.push(error),
    },
  )
  const { port } = listener.address
  const host = `Host: 127.0.0.1:${port}\r\n`
  return {
    ...listener,
    port,
    clock,
    requests,
    defects,
    /** Writes a request with the right Host header. */
    write: (line: string, headers: readonly string[] = [], body = ''): string =>
      `${line} HTTP/1.1\r\n${host}${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`,
    [Symbol.asyncDispose]: listener.close,
  }
}

const last = 'Connection: close'
const chunked = 'Transfer-Encoding: chunked'
const chunk = `8000\r\n${'x'.repeat(32_768)}\r\n`
const createResponse = (status: number, text: string) => [status, JSON.stringify({ message: text })] as const
const closedAfter = (...responses: readonly (readonly [number, string] | string)[]) => ({
  responses,
  end: 'closed',
})

describe('a request', () => {
  test('reaches the transport as plain values, and the client gets its response', async () => {
    await using service = await open({
      transport: async () => ({ status: 201, headers: { ...json, 'x-more': 'b' }, body: '{"a":"ü"}' }),
    })
    using raw = await openRaw(service.port)
    raw.say(service.write('POST /order/create?a=%20', [last, 'X-API-Key: k', 'Content-Length: 3'], 'abc'))
    await raw.closed()
    expect(raw.text().replace(/\r\nDate: .*/, '')).toBe(
      [
        ...['HTTP/1.1 201 Created', 'content-type: application/json', 'x-more: b', 'content-length: 10'],
        ...['Connection: close', '', '{"a":"\xc3\xbc"}'],
      ].join('\r\n'),
    )
    expect(service.requests).toEqual([
      {
        method: 'POST',
        path: '/order/create?a=%20',
        headers: {
          host: `127.0.0.1:${service.port}`,
          connection: 'close',
          'x-api-key': 'k',
          'content-length': '3',
        },
        body: Buffer.from('abc'),
        signal: expect.any(AbortSignal),
      },
    ])
  })

  test.each([
    ...['/', '//', '//order/get', '/order/get/', '/order/../order/get', '/./order/get', '/order/..'],
    ...['/order/%2e%2e/order/get', '/order%2fget', '/order/get%00', '/%', '/%zz', '/%c3%b6', '/order\\get'],
    ...['/order/get?orderId=../x&a=//b', '/?', '/http://evil.example/', '/__proto__', '/order;a=b/get'],
  ])('for %s reaches the transport without normalisation', async (target) => {
    await using service = await open()
    expect(await exchange(service.port, service.write(`GET ${target}`, [last]))).toEqual(
      closedAfter([200, target]),
    )
    expect(service.requests.map(({ path }) => path)).toEqual([target])
  })

  test.each(['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE'])('can have the method %s', async (method) => {
    await using service = await open()
    expect(await exchange(service.port, service.write(`${method} /x`, [last]))).toEqual(
      closedAfter([200, '/x']),
    )
    expect(service.requests.map((request) => [request.method, request.body !== undefined])).toEqual([
      [method, false],
    ])
  })

  test('with the method HEAD gets no body', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.write('HEAD /abc', [last]))
    await raw.closed()
    expect(raw.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*content-length: 4\r\n(.+\r\n)*\r\n$/)
  })

  test('with two headers of the same name has them joined', async () => {
    await using service = await open()
    const twice = ['X-API-Key: a', 'x-api-key: b', 'Set-Cookie: e', 'Set-Cookie: f']
    await exchange(service.port, service.write('GET /', [last, ...twice]))
    expect(service.requests[0]?.headers).toMatchObject({ 'x-api-key': 'a, b', 'set-cookie': 'e, f' })
  })

  test('with headers such as __proto__ changes no prototype', async () => {
    await using service = await open()
    const odd = ['__proto__: x', 'constructor: y', 'toString: z']
    expect(await exchange(service.port, service.write('GET /', [last, ...odd]))).toEqual(
      closedAfter([200, '/']),
    )
    const headers = service.requests[0]?.headers ?? {}
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
    expect(headers).toMatchObject({ constructor: 'y', tostring: 'z' })
  })

  test('can have more than 2,000 short headers', async () => {
    await using service = await open()
    const many = Array.from({ length: 2_500 }, (_, index) => `${index.toString(36)}:`)
    await exchange(service.port, service.write('GET /', [...many, last]))
    expect(Object.keys(service.requests[0]?.headers ?? {})).toHaveLength(2_502)
  })

  test.each([
    ['of 64 KiB with a Content-Length', ['Content-Length: 65536'], 'x'.repeat(65_536)],
    ['of 64 KiB in chunks', ['Transfer-Encoding: chunked'], `${chunk}${chunk}0\r\n\r\n`],
    ['in chunks of a byte', ['Transfer-Encoding: chunked'], `${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`],
  ])('can have a body %s', async (name, headers, body) => {
    await using service = await open()
    const result = await exchange(service.port, service.write('POST /', [last, ...headers], body))
    expect(result).toEqual(closedAfter([200, '/']))
    const text = Buffer.from(service.requests[0]?.body ?? '').toString()
    expect(text).toBe('x'.repeat(name.startsWith('of') ? 65_536 : 1_000))
  })

  test('that is pipelined gets its response after those of the requests before it', async () => {
    const first = Promise.withResolvers<void>()
    await using service = await open({
      transport: async ({ path }) => {
        if (path === '/1') await first.promise
        if (path === '/3') first.resolve()
        return { status: 200, headers: json, body: path }
      },
    })
    const requests = [service.write('GET /1'), service.write('POST /2', ['Content-Length: 1'], 'x')]
    const result = await exchange(service.port, [...requests, service.write('GET /3', [last])].join(''))
    expect(result).toEqual(closedAfter([200, '/1'], [200, '/2'], [200, '/3']))
  })
})

describe('the socket refuses', () => {
  const tooLarge = createResponse(413, 'The request body is larger than 65536 bytes.')
  const badRequest = createResponse(400, 'Bad Request.')
  const onlyChunked = createResponse(400, 'Transfer-Encoding must be chunked or missing.')
  const noPath = createResponse(400, 'The request target must be a path.')
  const longHeaders = createResponse(431, 'Request Header Fields Too Large.')
  const page = createResponse(
    403,
    'Requests from web pages are not accepted. Send the request without an Origin header.',
  )

  const cases: [string, string, string[], string, readonly [number, string]][] = [
    ['a Content-Length over 64 KiB', 'POST /', ['Content-Length: 65537'], 'x'.repeat(65_537), tooLarge],
    ['a chunked body over 64 KiB', 'POST /', [chunked], `${chunk.repeat(2)}1\r\nx\r\n0\r\n\r\n`, tooLarge],
    [
      'chunks of a byte, several times as large as they are',
      'POST /',
      [chunked],
      '1\r\nx\r\n'.repeat(50_000),
      tooLarge,
    ],
    ['a Content-Length and chunks', 'POST /', ['Content-Length: 5', chunked], '0\r\n\r\n', badRequest],
    ['chunks and a Content-Length', 'POST /', [chunked, 'Content-Length: 5'], '0\r\n\r\n', badRequest],
    ['two Content-Lengths', 'POST /', ['Content-Length: 1', 'Content-Length: 2'], 'xx', badRequest],
    ['two equal Content-Lengths', 'POST /', ['Content-Length: 1', 'Content-Length: 1'], 'x', badRequest],
    ['a list of Content-Lengths', 'POST /', ['Content-Length: 1, 1'], 'x', badRequest],
    ['a negative Content-Length', 'POST /', ['Content-Length: -1'], '', badRequest],
    ['a Content-Length with a sign', 'POST /', ['Content-Length: +5'], '{}{}{', badRequest],
    ['a Content-Length in base 16', 'POST /', ['Content-Length: 0x5'], '{}{}{', badRequest],
    ['a Content-Length with a space', 'POST /', ['Content-Length: 5 5'], '{}{}{', badRequest],
    ['a huge Content-Length', 'POST /', ['Content-Length: 18446744073709551621'], '{}{}{', badRequest],
    ['chunks by a different name', 'POST /', ['Transfer-Encoding: xchunked'], '{}{}{', onlyChunked],
    ['chunks twice', 'POST /', [chunked, chunked], '0\r\n\r\n', badRequest],
    ['chunks, and then none', 'POST /', ['Transfer-Encoding: chunked, identity'], '{}', badRequest],
    ['chunks after a line feed', 'POST /', [`A: b\n${chunked}`], '0\r\n\r\n', badRequest],
    ['chunks after a carriage return', 'POST /', [`A: b\r${chunked}`], '0\r\n\r\n', badRequest],
    ['an unknown encoding', 'POST /', ['Transfer-Encoding: gzip'], 'x', onlyChunked],
    ['an encoding before chunks', 'POST /', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n', onlyChunked],
    [
      'the identity encoding before chunks',
      'POST /',
      ['Transfer-Encoding: identity', chunked],
      '0\r\n\r\n',
      onlyChunked,
    ],
    ['a chunk with an invalid size', 'POST /', [chunked], 'zz\r\n', badRequest],
    ['a folded header', 'GET /', ['A: b', ' c'], '', badRequest],
    ['a space before the colon', 'GET /', ['A : b'], '', badRequest],
    ['a NUL in a header', 'GET /', ['A: \0'], '', badRequest],
    ['a NUL in the path', 'GET /\0', [], '', badRequest],
    ['a space in the path', 'GET / /', [], '', badRequest],
    ['UTF-8 in the path', 'GET /\xc3\xb6', [], '', badRequest],
    ['an unknown method', 'BUY /', [], '', badRequest],
    ['headers over 16 KiB', 'GET /', [`A: ${'x'.repeat(16_384)}`], '', longHeaders],
    ['a path over 16 KiB', `GET /${'x'.repeat(16_384)}`, [], '', longHeaders],
    ['Origin: null', 'GET /', ['Origin: null'], '', page],
    ['its own Origin', 'POST /', ['Origin: http://localhost', 'Content-Length: 2'], '{}', page],
    ['an empty Origin', 'GET /', ['Origin:'], '', page],
    [
      'a CORS preflight',
      'OPTIONS /',
      ['Origin: http://a.example', 'Access-Control-Request-Method: PUT'],
      '',
      page,
    ],
    ['the absolute form', 'GET http://127.0.0.1/', [], '', noPath],
    ['OPTIONS *', 'OPTIONS *', [], '', noPath],
    ['CONNECT', 'CONNECT evil.example:443', [], '', createResponse(405, 'Method Not Allowed.')],
  ]
  test.each(cases)('%s', async (_name, line, headers, body, response) => {
    await using service = await open()
    expect(await exchange(service.port, service.write(line, headers, body))).toEqual(closedAfter(response))
    expect(service.requests).toEqual([])
    expect(service.defects).toEqual([])
  })

  // host-check.test.ts has more hosts.
  test.each<[string, (port: number) => string[], string?]>([
    ['no Host', () => []],
    ['a foreign Host', (port) => [`Host: evil.example:${port}`], 'evil.example'],
    ['our Host twice', (port) => [`Host: localhost:${port}`, `Host: localhost:${port}`]],
    ['our Host and a foreign one', (port) => [`Host: localhost:${port}`, 'Host: evil.example']],
    ['a foreign X-Forwarded-Host without ours', (port) => [`X-Forwarded-Host: localhost:${port}`]],
  ])('%s', async (_name, headers, name) => {
    await using service = await open()
    const head = ['GET / HTTP/1.1', ...headers(service.port), '', ''].join('\r\n')
    const message =
      name === undefined
        ? `The Host header is missing or not valid. Use ${service.origin}.`
        : `The host ${name} is not allowed. Use ${service.origin}, or allow this host with --allow-host ${name}.`
    expect(await exchange(service.port, head)).toEqual(closedAfter(createResponse(421, message)))
    expect(service.requests).toEqual([])
  })

  test('a web page without a CORS header', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /', ['Origin: http://a.example']))
    await raw.closed()
    expect(raw.text()).not.toMatch(/access-control/i)
  })

  test('bytes that are not HTTP', async () => {
    await using service = await open()
    expect(await exchange(service.port, '\x16\x03\x01\x00\xa5')).toEqual(closedAfter(badRequest))
  })

  test('a large body, but reads on so that the client gets the response', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.write('POST /', ['Content-Length: 300000']))
    await raw.hears('larger than')
    await turnEventLoop()
    expect(raw.isOpen()).toBe(true)
    raw.say('x'.repeat(300_000))
    expect(await raw.closed()).toEqual(closedAfter(tooLarge))
  })

  test.each([
    ['was refused', 'GET http://127.0.0.1/', [], noPath],
    ['closes the connection', 'GET /1', [last], [200, '/1'] as const],
  ])('a request that follows a request that %s', async (_name, line, headers, response) => {
    await using service = await open()
    const second = service.write('PUT /order/confirm', ['Content-Length: 2'], '{}')
    const result = await exchange(service.port, service.write(line, headers) + second)
    expect(result).toEqual(closedAfter(response))
    expect(service.requests.map(({ path }) => path)).toEqual(response === noPath ? [] : ['/1'])
  })

  test('to read a refused body without a limit', async () => {
    await using service = await open({ limits: { bodyBytes: 8 } })
    using raw = await openRaw(service.port)
    raw.say(service.write('POST /', ['Content-Length: 1000000']))
    await raw.hears('larger than 8 bytes')
    raw.say('x'.repeat(200))
    expect((await raw.closed()).responses).toEqual([
      createResponse(413, 'The request body is larger than 8 bytes.'),
    ])
  })

  test('garbage after a request that got its response', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /1'))
    await raw.hears('/1')
    raw.say('garbage\r\n\r\n')
    expect(await raw.closed()).toEqual(closedAfter([200, '/1'], badRequest))
  })

  test('garbage without a response while an earlier request is pending', async () => {
    const received = Promise.withResolvers<void>()
    await using service = await open({
      transport: () => {
        received.resolve()
        return new Promise(() => {})
      },
    })
    using raw = await openRaw(service.port)
    raw.say(service.write('PUT /order/confirm'))
    await received.promise
    raw.say('garbage\r\n\r\n')
    expect((await raw.closed()).responses).toEqual([])
  })
})

describe('a slow client', () => {
  const inHeaders = { headersMs: 40, requestMs: 60_000 }
  const limits = { headersMs: 40, requestMs: 80 }

  test.each([
    ['before its first byte', inHeaders, () => ''],
    ['with its first line', inHeaders, () => 'GET /'],
    ['with its headers', inHeaders, (host: string) => `GET / HTTP/1.1\r\n${host}`],
    ['with its body', limits, (host: string) => `POST / HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\n{}`],
    ['with its chunks', limits, (host: string) => `POST / HTTP/1.1\r\n${host}${chunked}\r\n\r\n2\r\n{}`],
  ])('%s gets a timeout', async (_name, limits, bytes) => {
    await using service = await open({ limits })
    const result = await exchange(service.port, bytes(`Host: 127.0.0.1:${service.port}\r\n`))
    expect(result).toEqual(closedAfter(createResponse(408, 'Request Timeout.')))
    expect(service.requests).toEqual([])
  })

  test('with a body that is too large gets only that refusal', async () => {
    await using service = await open({ limits })
    const result = await exchange(service.port, service.write('POST /', ['Content-Length: 70000'], 'x'))
    expect(result.responses).toEqual([createResponse(413, 'The request body is larger than 65536 bytes.')])
  })
})

describe('a wrong Content-Length', () => {
  test('that is too small makes the rest a second request, which is refused', async () => {
    await using service = await open()
    const result = await exchange(
      service.port,
      service.write('POST /1', ['Content-Length: 2'], '{}xx\r\n\r\n'),
    )
    expect(result).toEqual(closedAfter([200, '/1'], createResponse(400, 'Bad Request.')))
    expect(service.requests.map(({ body }) => String(body))).toEqual(['{}'])
  })

  test('that is too large keeps an incomplete request from the transport', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.write('POST /1', ['Content-Length: 20'], '{}'))
    raw.reset()
    await raw.closed()
    expect(await exchange(service.port, service.write('GET /2', [last]))).toEqual(closedAfter([200, '/2']))
    expect(service.requests.map(({ path }) => path)).toEqual(['/2'])
    expect(service.defects).toEqual([])
  })
})

describe('instead of a response', () => {
  test.each([
    ['the fault reset resets the connection', 'reset', { responses: [], end: 'reset' }],
    ['the fault close closes the connection without a byte', 'close', closedAfter()],
  ] as const)('%s', async (_name, how, result) => {
    await using service = await open({ transport: () => Promise.reject(new DisconnectedError(how)) })
    expect(await exchange(service.port, service.write('GET /'))).toEqual(result)
    expect(service.defects).toEqual([])
  })

  test.each([
    ['GET /', [], ''],
    ['POST /', ['Content-Length: 2'], '{}'],
  ])('a defect ends %s with 500, and only onDefect gets the error', async (line, headers, body) => {
    const defect = new Error('secret')
    await using service = await open({ transport: () => Promise.reject(defect) })
    const result = await exchange(service.port, service.write(line, headers, body))
    expect(result).toEqual(closedAfter(createResponse(500, 'Unexpected server error.')))
    expect(service.defects).toEqual([defect])
  })

  test('a response with an invalid header is a defect', async () => {
    await using service = await open({
      transport: async () => ({ status: 200, headers: { 'x-a': 'a\r\nb: c' }, body: '' }),
    })
    const result = await exchange(service.port, service.write('GET /'))
    expect(result).toEqual(closedAfter(createResponse(500, 'Unexpected server error.')))
    expect(service.defects).toHaveLength(1)
  })

  test('the connection closes after a body that is shorter than announced', async () => {
    await using service = await open({
      transport: async () => ({ status: 200, headers: { 'content-length': '20' }, body: '{"a":' }),
    })
    const result = await exchange(service.port, service.write('GET /'))
    expect(result).toEqual(
      closedAfter('HTTP/1.1 200 OK\r\ncontent-length: 20\r\nconnection: close\r\n\r\n{"a":'),
    )
  })

  test.each([204, 304])('a %i has no Content-Length, and the connection stays open', async (status) => {
    await using service = await open({ transport: async () => ({ status, headers: {}, body: '' }) })
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /1') + service.write('GET /2', [last]))
    await raw.closed()
    expect(raw.text().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, `HTTP/1.1 ${status}`])
    expect(raw.text()).not.toMatch(/content-length/i)
  })
})

describe('a response in parts', () => {
  /** Sends one byte each 100 ms. */
  const drip = (text: string, clock: Clock): ServedResponse => ({
    ...{ status: 200, body: '' },
    headers: { ...json, 'content-length': String(Buffer.byteLength(text)) },
    parts: async function* (signal) {
      for (const byte of Buffer.from(text)) {
        await clock.sleep(100, signal)
        yield Uint8Array.of(byte)
      }
    },
  })

  const dripping = async (_: HttpRequest, clock: Clock) => drip('aö', clock)

  test('arrives part by part, and then the connection closes', async () => {
    await using service = await open({ transport: dripping })
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /'))
    const parts = ['\r\n\r\n', '\r\n\r\na', '\r\n\r\na\xc3', '\r\n\r\na\xc3\xb6']
    for (const part of parts) {
      await raw.hears(part)
      await turnEventLoop()
      expect(raw.text().endsWith(part)).toBe(true)
      service.clock.advance(100)
    }
    expect(await raw.closed()).toEqual(closedAfter([200, 'a\xc3\xb6']))
  })

  test('stops if the client disconnects', async () => {
    await using service = await open({ transport: dripping })
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /'))
    await waitUntil(() => service.clock.sleepers.size === 1)
    raw.reset()
    await waitUntil(() => service.clock.sleepers.size === 0)
    await turnEventLoop()
    expect([service.clock.sleepers.size, service.defects]).toEqual([0, []])
  })

  test('stops if the client disconnected before it started', async () => {
    const disconnected = Promise.withResolvers<void>()
    const received = Promise.withResolvers<void>()
    await using service = await open({
      transport: async (request, clock) => {
        if (request.path === '/2') return { status: 200, headers: json, body: '' }
        received.resolve()
        await disconnected.promise
        return drip('x'.repeat(1_000), clock)
      },
    })
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /1'))
    await received.promise
    raw.reset()
    await raw.closed()
    // After this response, the listener has also handled the reset.
    await exchange(service.port, service.write('GET /2', [last]))
    disconnected.resolve()
    await waitUntil(() => service.clock.sleepers.size === 1)
    service.clock.advance(100)
    await turnEventLoop()
    expect(service.clock.sleepers.size).toBe(0)
  })
})

test('a client that resets during its response does not affect other clients', async () => {
  await using service = await open({
    transport: async ({ path }) => ({
      status: 200,
      headers: json,
      body: path === '/big' ? 'x'.repeat(10_000_000) : path,
    }),
  })
  using raw = await openRaw(service.port)
  raw.say(service.write('GET /big'))
  await raw.hears('xxx')
  raw.reset()
  expect(await exchange(service.port, service.write('GET /2', [last]))).toEqual(closedAfter([200, '/2']))
  expect(service.defects).toEqual([])
})

describe('a listener', () => {
  const clock = createManualClock()
  const unused: Serve = () => Promise.reject(new Error('not expected'))
  const tryToListen = (host: string, port: number) =>
    listen(unused, { host, port, clock }).then(
      () => 'listens',
      (error) =>
        error instanceof Failure && [
          ...[error.kind, error.message, error.details.field],
          writeRemedy(error.details, suggest).fix,
        ],
    )
  const port = 'orderctl serve-mock --port 0'
  const host = 'orderctl serve-mock --host 127.0.0.1'

  test('fails if its port is in use', async () => {
    await using service = await open()
    expect(await tryToListen('127.0.0.1', service.port)).toEqual([
      'usage',
      `port ${service.port} is already in use on 127.0.0.1`,
      '--port',
      port,
    ])
  })

  test.each([
    ['nowhere.invalid', 'cannot resolve the host name nowhere.invalid'],
    ['192.0.2.1', '192.0.2.1 is not an address of this machine'],
  ])('fails if it cannot listen on %s', async (name, text) => {
    expect(await tryToListen(name, 0)).toEqual(['usage', text, '--host', host])
  })
})

describe('closing', () => {
  /** The transport responds after `release()`, or when the request is aborted. */
  const createHeldTransport = () => {
    const received = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const transport: Serve = async ({ path, signal }) => {
      signal?.addEventListener('abort', () => released.resolve())
      received.resolve()
      await released.promise
      return { status: 200, headers: json, body: path }
    }
    return { received: received.promise, release: released.resolve, transport }
  }

  test('responds to a pending request, and then closes its connection', async () => {
    const { received, release, transport } = createHeldTransport()
    await using service = await open({ transport, limits: { closeMs: 5_000 } })
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /1'))
    await received
    const closing = service.close()
    release()
    await closing
    expect(await raw.closed()).toEqual(closedAfter([200, '/1']))
    expect(service.clock.sleepers.size).toBe(0)
  })

  test('aborts the pending requests after its time limit', async () => {
    const { received, transport } = createHeldTransport()
    await using service = await open({ transport, limits: { closeMs: 5_000 } })
    using raw = await openRaw(service.port)
    raw.say(service.write('GET /1'))
    await received
    const closing = service.close()
    service.clock.advance(4_999)
    await turnEventLoop()
    expect(service.requests[0]?.signal?.aborted).toBe(false)
    service.clock.advance(1)
    await closing
    expect(service.requests[0]?.signal?.aborted).toBe(true)
    await raw.closed()
  })

  test('does not wait past its limit for an incomplete request', async () => {
    await using service = await open({ limits: { closeMs: 5_000 } })
    using raw = await openRaw(service.port)
    raw.say(service.write('POST /1', ['Content-Length: 9', 'Expect: 100-continue']))
    await raw.hears('100 Continue')
    const closing = service.close()
    service.clock.advance(5_000)
    await closing
    await raw.closed()
    expect(service.requests).toEqual([])
  })

  test('closes idle connections, and accepts no new ones', async () => {
    await using service = await open({ limits: { closeMs: 5_000, keepAliveMs: 60_000 } })
    using idle = await openRaw(service.port)
    using silent = await openRaw(service.port)
    idle.say(service.write('GET /1'))
    await idle.hears('/1')
    await service.close()
    expect(await idle.closed()).toEqual(closedAfter([200, '/1']))
    expect(await silent.closed()).toEqual(closedAfter())
    await expect(openRaw(service.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('twice is the same as once', async () => {
    await using service = await open({ limits: { closeMs: 5_000 } })
    await Promise.all([service.close(), service.close()])
    await service.close()
    expect(service.clock.sleepers.size).toBe(0)
  })
})
