// The listener: valid requests, refusals, timeouts, faults of the connection, and closing.
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/contract/clock.ts'
import { DisconnectedError, type HttpRequest } from '../../src/contract/transport.ts'
import { type ListenOptions, listen } from '../../src/server/http-server.ts'
import type { Serve, ServedResponse } from '../../src/server/request-handler.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { exchange, openRaw } from '../support/network/raw-socket.ts'
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
  /** Writes a request with the right Host header. */
  const write = (line: string, headers: readonly string[] = [], body = ''): string =>
    `${line} HTTP/1.1\r\n${host}${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`
  return {
    ...listener,
    port,
    clock,
    requests,
    defects,
    write,
    /** Sends one request, and reads until the listener closes the connection. */
    ask: (...request: Parameters<typeof write>) => exchange(port, write(...request)),
    /** Sends one request on a connection that the test goes on with. */
    talk: async (...request: Parameters<typeof write>) => {
      const raw = await openRaw(port)
      raw.say(write(...request))
      return raw
    },
    [Symbol.asyncDispose]: listener.close,
  }
}

const last = 'Connection: close'
const chunked = 'Transfer-Encoding: chunked'
const chunk = `8000\r\n${'x'.repeat(32_768)}\r\n`
const createResponse = (status: number, text: string) => [status, JSON.stringify({ message: text })] as const
const badRequest = createResponse(400, 'Bad Request.')
const closedAfter = (...responses: readonly (readonly [number, string] | string)[]) => ({
  responses,
  end: 'closed',
})

describe('a request', () => {
  test('reaches the transport as plain values, and the client gets its response', async () => {
    await using service = await open({
      transport: async () => ({ status: 201, headers: { ...json, 'x-more': 'b' }, body: '{"a":"ü"}' }),
    })
    using raw = await service.talk(
      'POST /order/create?a=%20',
      [last, 'X-API-Key: k', 'Content-Length: 3'],
      'abc',
    )
    await raw.closed()
    expect(raw.text().replace(/\r\nDate: .*/, '')).toBe(
      [
        ...['HTTP/1.1 201 Created', 'content-type: application/json', 'x-more: b', 'content-length: 10'],
        ...['Connection: close', '', '{"a":"\xc3\xbc"}'],
      ].join('\r\n'),
    )
    const host = `127.0.0.1:${service.port}`
    expect(service.requests).toEqual([
      {
        ...{ method: 'POST', path: '/order/create?a=%20', body: Buffer.from('abc') },
        headers: { host, connection: 'close', 'x-api-key': 'k', 'content-length': '3' },
        signal: expect.any(AbortSignal),
      },
    ])
  })

  const targets = [
    ...['/', '//', '//order/get', '/order/get/', '/order/../order/get', '/./order/get', '/order/..'],
    ...['/order/%2e%2e/order/get', '/order%2fget', '/order/get%00', '/%', '/%zz', '/%c3%b6', '/order\\get'],
    ...['/order/get?orderId=../x&a=//b', '/?', '/http://evil.example/', '/__proto__', '/order;a=b/get'],
  ]
  test.each([
    ...targets.map((target) => `GET ${target}`),
    ...['POST /x', 'DELETE /x', 'OPTIONS /x', 'TRACE /x'],
  ])('%s reaches the transport without normalisation', async (line) => {
    await using service = await open()
    const [method, path = ''] = line.split(' ')
    expect(await service.ask(line, [last])).toEqual(closedAfter([200, path]))
    expect(service.requests).toEqual([
      { method, path, headers: expect.anything(), signal: expect.any(AbortSignal) },
    ])
  })

  test('with the method HEAD gets no body', async () => {
    await using service = await open()
    using raw = await service.talk('HEAD /abc', [last])
    await raw.closed()
    expect(raw.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*content-length: 4\r\n(.+\r\n)*\r\n$/)
  })

  test('has repeated headers joined, and __proto__ changes no prototype', async () => {
    await using service = await open()
    const repeated = ['X-API-Key: a', 'x-api-key: b', 'Set-Cookie: e', 'Set-Cookie: f']
    await service.ask('GET /', [last, ...repeated, '__proto__: x', 'constructor: y', 'toString: z'])
    const headers = service.requests[0]?.headers ?? {}
    expect(headers).toMatchObject({ 'x-api-key': 'a, b', 'set-cookie': 'e, f' })
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
    expect(headers).toMatchObject({ constructor: 'y', tostring: 'z' })
  })

  test('can have more than 2,000 short headers', async () => {
    await using service = await open()
    const many = Array.from({ length: 2_500 }, (_, index) => `${index.toString(36)}:`)
    await service.ask('GET /', [...many, last])
    expect(Object.keys(service.requests[0]?.headers ?? {})).toHaveLength(2_502)
  })

  test.each([
    [65_536, 'with a Content-Length', 'Content-Length: 65536', 'x'.repeat(65_536)],
    [65_536, 'in chunks', chunked, `${chunk}${chunk}0\r\n\r\n`],
    [1_000, 'in chunks of a byte', chunked, `${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`],
  ])('can have a body of %i bytes %s', async (size, _how, header, body) => {
    await using service = await open()
    expect(await service.ask('POST /', [last, header], body)).toEqual(closedAfter([200, '/']))
    expect(Buffer.from(service.requests[0]?.body ?? '').toString()).toBe('x'.repeat(size))
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

const bodies: Readonly<Record<string, string>> = {
  BIG: 'x'.repeat(65_537),
  CHUNKS: `${chunk}${chunk}1\r\nx\r\n0\r\n\r\n`,
  BYTES: '1\r\nx\r\n'.repeat(50_000),
  END: '0\r\n\r\n',
  LONG: 'x'.repeat(16_384),
}
const tooLarge = 'The request body is larger than 65536 bytes.'
const noPath = 'The request target must be a path.'

// Below each response: the name of a request, its first line, its headers and its body.
const refused = `
== 413 ${tooLarge}
  a Content-Length over 64 KiB       | POST /  | Content-Length: 65537 | BIG
  a chunked body over 64 KiB         | POST /  | ${chunked} | CHUNKS
  chunks of a byte, mostly overhead  | POST /  | ${chunked} | BYTES
== 400 Bad Request.
  a Content-Length and chunks        | POST /  | Content-Length: 5, ${chunked} | END
  chunks and a Content-Length        | POST /  | ${chunked}, Content-Length: 5 | END
  two Content-Lengths                | POST /  | Content-Length: 1, Content-Length: 2 | xx
  chunks twice                       | POST /  | ${chunked}, ${chunked} | END
  chunks, and then none              | POST /  | ${chunked},identity | {}
  chunks after a line feed           | POST /  | A: b\\n${chunked} | END
  a folded header                    | GET /   | A: b\\r\\n c
  a space before the colon           | GET /   | A : b
  a NUL in a header                  | GET /   | A: \0
  an unknown method                  | BUY /   |
== 400 Transfer-Encoding must be chunked or missing.
  chunks by a different name         | POST /  | Transfer-Encoding: xchunked | {}{}{
  an unknown encoding                | POST /  | Transfer-Encoding: gzip | x
  an encoding before chunks          | POST /  | Transfer-Encoding: gzip,chunked | END
  the identity encoding first        | POST /  | Transfer-Encoding: identity, ${chunked} | END
== 431 Request Header Fields Too Large.
  headers over 16 KiB                | GET /   | A: LONG
  a path over 16 KiB                 | GET /LONG |
== 403 Requests from web pages are not accepted. Send the request without an Origin header.
  Origin: null                       | GET /   | Origin: null
  its own Origin                     | POST /  | Origin: http://localhost, Content-Length: 2 | {}
  an empty Origin                    | GET /   | Origin:
  a CORS preflight                   | OPTIONS / | Origin: x, Access-Control-Request-Method: PUT
== 400 ${noPath}
  the absolute form                  | GET http://127.0.0.1/ |
  OPTIONS *                          | OPTIONS * |
== 405 Method Not Allowed.
  CONNECT                            | CONNECT evil.example:443 |`

const readRefused = (): [string, string, string[], string, number, string][] => {
  let status = 0
  let message = ''
  const fill = (cell: string) =>
    cell
      .replaceAll('\\r', '\r')
      .replaceAll('\\n', '\n')
      .replace(/[A-Z]{3,}$/, (word) => bodies[word] ?? word)
  return refused.split('\n').flatMap((row) => {
    const [, code, words = ''] = /^== (\d+) (.*)$/.exec(row) ?? []
    if (code !== undefined) [status, message] = [Number(code), words]
    const cells = row.split('|').map((cell) => fill(cell.replace(/^ +| +$/g, '')))
    const [name = '', line = '', headers = '', body = ''] = cells
    if (name === '' || code !== undefined) return []
    return [[name, line, headers === '' ? [] : headers.split(', '), body, status, message]]
  })
}

describe('the socket refuses', () => {
  test.each(readRefused())('%s', async (_name, line, headers, body, status, message) => {
    await using service = await open()
    expect(await service.ask(line, headers, body)).toEqual(closedAfter(createResponse(status, message)))
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
    using raw = await service.talk('GET /', ['Origin: http://a.example'])
    await raw.closed()
    expect(raw.text()).not.toMatch(/access-control/i)
  })

  test('bytes that are not HTTP', async () => {
    await using service = await open()
    expect(await exchange(service.port, '\x16\x03\x01\x00\xa5')).toEqual(closedAfter(badRequest))
  })

  test('a large body, but reads on so that the client gets the response', async () => {
    await using service = await open()
    using raw = await service.talk('POST /', ['Content-Length: 300000'])
    await raw.hears('larger than')
    await turnEventLoop()
    expect(raw.isOpen()).toBe(true)
    raw.say('x'.repeat(300_000))
    expect(await raw.closed()).toEqual(closedAfter(createResponse(413, tooLarge)))
  })

  test('to read a refused body without a limit', async () => {
    await using service = await open({ limits: { bodyBytes: 8 } })
    using raw = await service.talk('POST /', ['Content-Length: 1000000'])
    await raw.hears('larger than 8 bytes')
    raw.say('x'.repeat(200))
    const response = createResponse(413, 'The request body is larger than 8 bytes.')
    expect((await raw.closed()).responses).toEqual([response])
  })

  test.each([
    ['was refused', 'GET http://127.0.0.1/', [], createResponse(400, noPath), []],
    ['closes the connection', 'GET /1', [last], [200, '/1'] as const, ['/1']],
  ])('a request that follows a request that %s', async (_name, line, headers, response, paths) => {
    await using service = await open()
    const second = service.write('PUT /order/confirm', ['Content-Length: 2'], '{}')
    const result = await exchange(service.port, service.write(line, headers) + second)
    expect(result).toEqual(closedAfter(response))
    expect(service.requests.map(({ path }) => path)).toEqual(paths)
  })

  test('garbage after a request that got its response', async () => {
    await using service = await open()
    using raw = await service.talk('GET /1')
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
    using raw = await service.talk('PUT /order/confirm')
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
    const result = await service.ask('POST /', ['Content-Length: 70000'], 'x')
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
    using raw = await service.talk('POST /1', ['Content-Length: 20'], '{}')
    raw.reset()
    await raw.closed()
    expect(await service.ask('GET /2', [last])).toEqual(closedAfter([200, '/2']))
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
    expect(await service.ask('GET /')).toEqual(result)
    expect(service.defects).toEqual([])
  })

  test.each([
    ['GET /', [], ''],
    ['POST /', ['Content-Length: 2'], '{}'],
  ])('a defect ends %s with 500, and only onDefect gets the error', async (line, headers, body) => {
    const defect = new Error('secret')
    await using service = await open({ transport: () => Promise.reject(defect) })
    const result = await service.ask(line, headers, body)
    expect(result).toEqual(closedAfter(createResponse(500, 'Unexpected server error.')))
    expect(service.defects).toEqual([defect])
  })

  test('a response with an invalid header is a defect', async () => {
    await using service = await open({
      transport: async () => ({ status: 200, headers: { 'x-a': 'a\r\nb: c' }, body: '' }),
    })
    const result = await service.ask('GET /')
    expect(result).toEqual(closedAfter(createResponse(500, 'Unexpected server error.')))
    expect(service.defects).toHaveLength(1)
  })

  test('the connection closes after a body that is shorter than announced', async () => {
    await using service = await open({
      transport: async () => ({ status: 200, headers: { 'content-length': '20' }, body: '{"a":' }),
    })
    const result = await service.ask('GET /')
    expect(result).toEqual(
      closedAfter('HTTP/1.1 200 OK\r\ncontent-length: 20\r\nconnection: close\r\n\r\n{"a":'),
    )
  })

  test.each([204, 304])('a %i has no Content-Length, and the connection stays open', async (status) => {
    await using service = await open({ transport: async () => ({ status, headers: {}, body: '' }) })
    using raw = await service.talk('GET /1')
    raw.say(service.write('GET /2', [last]))
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
    using raw = await service.talk('GET /')
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
    using raw = await service.talk('GET /')
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
    using raw = await service.talk('GET /1')
    await received.promise
    raw.reset()
    await raw.closed()
    // After this response, the listener has also handled the reset.
    await service.ask('GET /2', [last])
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
  expect(await service.ask('GET /2', [last])).toEqual(closedAfter([200, '/2']))
  expect(service.defects).toEqual([])
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
    using raw = await service.talk('GET /1')
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
    using raw = await service.talk('GET /1')
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
    using raw = await service.talk('POST /1', ['Content-Length: 9', 'Expect: 100-continue'])
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
