import { describe, expect, test } from 'vitest'
import { Disconnected, type HttpRequest, type Transport } from '../../../src/contract/transport.ts'
import { Failure } from '../../../src/errors.ts'
import { type ListenOptions, listen } from '../../../src/service/socket/listen.ts'
import { exchange, openRaw } from '../../support/raw-socket.ts'
import { aWhile, handClock, until } from '../../support/webhook-sender.ts'

const json = { 'content-type': 'application/json' }

type Setup = { readonly transport?: Transport; readonly limits?: ListenOptions['limits'] }

/** A listener on a free port; its transport repeats the target, unless told otherwise. */
const open = async ({ transport, limits }: Setup = {}) => {
  const seen: HttpRequest[] = []
  const defects: unknown[] = []
  const clock = handClock()
  const listener = await listen(
    async (request) => {
      seen.push(request)
      return transport === undefined ? { status: 200, headers: json, body: request.path } : transport(request)
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
    seen,
    defects,
    /** A whole request, head and body. */
    ask: (line: string, headers: readonly string[] = [], body = ''): string =>
      `${line} HTTP/1.1\r\n${host}${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`,
    [Symbol.asyncDispose]: listener.close,
  }
}

const last = 'Connection: close'
const chunked = 'Transfer-Encoding: chunked'
const chunk = `8000\r\n${'x'.repeat(32_768)}\r\n`
const message = (status: number, text: string) => [status, JSON.stringify({ message: text })] as const
const closed = (...answers: readonly (readonly [number, string] | string)[]) => ({ answers, end: 'closed' })

/** Promised, until it is called. */
const signalled = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

describe('a request', () => {
  test('reaches the transport as plain values, and its response the client', async () => {
    await using service = await open({
      transport: async () => ({ status: 201, headers: { ...json, 'x-more': 'b' }, body: '{"a":"ü"}' }),
    })
    using raw = await openRaw(service.port)
    raw.say(service.ask('POST /order/create?a=%20', [last, 'X-API-Key: k', 'Content-Length: 3'], 'abc'))
    await raw.closed()
    expect(raw.text().replace(/\r\nDate: .*/, '')).toBe(
      [
        ...['HTTP/1.1 201 Created', 'content-type: application/json', 'x-more: b', 'content-length: 10'],
        ...['Connection: close', '', '{"a":"\xc3\xbc"}'],
      ].join('\r\n'),
    )
    expect(service.seen).toEqual([
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
  ])('for %s reaches the transport letter by letter', async (target) => {
    await using service = await open()
    expect(await exchange(service.port, service.ask(`GET ${target}`, [last]))).toEqual(closed([200, target]))
    expect(service.seen.map(({ path }) => path)).toEqual([target])
  })

  test.each(['GET', 'POST', 'DELETE', 'OPTIONS', 'TRACE'])('may be a %s', async (method) => {
    await using service = await open()
    expect(await exchange(service.port, service.ask(`${method} /x`, [last]))).toEqual(closed([200, '/x']))
    expect(service.seen.map((request) => [request.method, 'body' in request])).toEqual([[method, false]])
  })

  test('that is a HEAD is answered without a body', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.ask('HEAD /abc', [last]))
    await raw.closed()
    expect(raw.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*content-length: 4\r\n(.+\r\n)*\r\n$/)
  })

  test('of two headers of a name has them joined, so that neither passes for the other', async () => {
    await using service = await open()
    const twice = [
      'X-API-Key: a',
      'x-api-key: b',
      'Authorization: c',
      'Authorization: d',
      'Set-Cookie: e',
      'Set-Cookie: f',
    ]
    await exchange(service.port, service.ask('GET /', [last, ...twice]))
    expect(service.seen[0]?.headers).toMatchObject({
      'x-api-key': 'a, b',
      authorization: 'c, d',
      'set-cookie': 'e, f',
    })
  })

  test('with __proto__ and the like for headers changes no prototype', async () => {
    await using service = await open()
    const odd = ['__proto__: x', 'constructor: y', 'toString: z']
    expect(await exchange(service.port, service.ask('GET /', [last, ...odd]))).toEqual(closed([200, '/']))
    const headers = service.seen[0]?.headers ?? {}
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
    expect(headers).toMatchObject({ constructor: 'y', tostring: 'z' })
  })

  test('keeps more than 2,000 headers, where they are short', async () => {
    await using service = await open()
    const many = Array.from({ length: 2_500 }, (_, index) => `${index.toString(36)}:`)
    await exchange(service.port, service.ask('GET /', [...many, last]))
    expect(Object.keys(service.seen[0]?.headers ?? {})).toHaveLength(2_502)
  })

  test.each([
    ['of a Content-Length', ['Content-Length: 65536'], 'x'.repeat(65_536)],
    ['in chunks', ['Transfer-Encoding: chunked'], `${chunk}${chunk}0\r\n\r\n`],
  ])('may have a body of 64 KiB %s', async (_name, headers, body) => {
    await using service = await open()
    const heard = await exchange(service.port, service.ask('POST /', [last, ...headers], body))
    expect(heard).toEqual(closed([200, '/']))
    expect(String(service.seen[0]?.body)).toBe('x'.repeat(65_536))
  })

  test('that follows another at once is answered in its turn, however long the first takes', async () => {
    const first = signalled()
    await using service = await open({
      transport: async ({ path }) => {
        if (path === '/1') await first.promise
        if (path === '/3') first.resolve()
        return { status: 200, headers: json, body: path }
      },
    })
    const requests = [service.ask('GET /1'), service.ask('POST /2', ['Content-Length: 1'], 'x')]
    const heard = await exchange(service.port, [...requests, service.ask('GET /3', [last])].join(''))
    expect(heard).toEqual(closed([200, '/1'], [200, '/2'], [200, '/3']))
  })
})

describe('the socket refuses', () => {
  const tooLarge = message(413, 'The request body is larger than 65536 bytes.')
  const badRequest = message(400, 'Bad Request.')
  const onlyChunked = message(400, 'Transfer-Encoding must be chunked or missing.')
  const noPath = message(400, 'The request target must be a path.')
  const page = message(
    403,
    'Requests of web pages are not accepted. Send the request without an Origin header.',
  )

  const cases: [string, string, string[], string, readonly [number, string]][] = [
    ['a Content-Length over 64 KiB', 'POST /', ['Content-Length: 65537'], 'x'.repeat(65_537), tooLarge],
    ['a chunked body over 64 KiB', 'POST /', [chunked], `${chunk.repeat(2)}1\r\nx\r\n0\r\n\r\n`, tooLarge],
    ['a Content-Length and chunks', 'POST /', ['Content-Length: 5', chunked], '0\r\n\r\n', badRequest],
    ['chunks and a Content-Length', 'POST /', [chunked, 'Content-Length: 5'], '0\r\n\r\n', badRequest],
    ['two Content-Lengths', 'POST /', ['Content-Length: 1', 'Content-Length: 2'], 'xx', badRequest],
    ['two equal Content-Lengths', 'POST /', ['Content-Length: 1', 'Content-Length: 1'], 'x', badRequest],
    ['a list of Content-Lengths', 'POST /', ['Content-Length: 1, 1'], 'x', badRequest],
    ['a negative Content-Length', 'POST /', ['Content-Length: -1'], '', badRequest],
    ['an encoding that is none', 'POST /', ['Transfer-Encoding: gzip'], 'x', onlyChunked],
    ['an encoding before chunks', 'POST /', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n', onlyChunked],
    ['chunks after none', 'POST /', ['Transfer-Encoding: identity', chunked], '0\r\n\r\n', onlyChunked],
    ['a chunk of no known size', 'POST /', [chunked], 'zz\r\n', badRequest],
    ['a folded header', 'GET /', ['A: b', ' c'], '', badRequest],
    ['a space before the colon', 'GET /', ['A : b'], '', badRequest],
    ['a NUL in a header', 'GET /', ['A: \0'], '', badRequest],
    ['a NUL in the path', 'GET /\0', [], '', badRequest],
    ['a space in the path', 'GET / /', [], '', badRequest],
    ['UTF-8 in the path', 'GET /\xc3\xb6', [], '', badRequest],
    ['an unknown method', 'BUY /', [], '', badRequest],
    [
      'a flood of headers',
      'GET /',
      [`A: ${'x'.repeat(16_384)}`],
      '',
      message(431, 'Request Header Fields Too Large.'),
    ],
    [
      'an overlong path',
      `GET /${'x'.repeat(16_384)}`,
      [],
      '',
      message(431, 'Request Header Fields Too Large.'),
    ],
    ['Origin: null', 'GET /', ['Origin: null'], '', page],
    ['an Origin of its own', 'POST /', ['Origin: http://localhost', 'Content-Length: 2'], '{}', page],
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
    ['CONNECT', 'CONNECT evil.example:443', [], '', message(405, 'Method Not Allowed.')],
  ]
  test.each(cases)('%s', async (_name, line, headers, body, answer) => {
    await using service = await open()
    expect(await exchange(service.port, service.ask(line, headers, body))).toEqual(closed(answer))
    expect(service.seen).toEqual([])
    expect(service.defects).toEqual([])
  })

  const hosts: [string, (port: number) => string[]][] = [
    ['no Host', () => []],
    ['an empty Host', () => ['Host:']],
    ['a foreign Host', (port) => [`Host: evil.example:${port}`]],
    ['a Host that begins like ours', (port) => [`Host: 127.0.0.1.evil.example:${port}`]],
    ['our Host with another port', () => ['Host: localhost:1']],
    ['our Host twice', (port) => [`Host: localhost:${port}`, `Host: localhost:${port}`]],
    ['our Host and a foreign one', (port) => [`Host: localhost:${port}`, 'Host: evil.example']],
    ['a foreign X-Forwarded-Host without ours', (port) => [`X-Forwarded-Host: localhost:${port}`]],
  ]
  test.each(hosts)('%s', async (_name, headers) => {
    await using service = await open()
    const head = ['GET / HTTP/1.1', ...headers(service.port), '', ''].join('\r\n')
    const answer = message(421, `The Host header is not accepted. Use ${service.origin}.`)
    expect(await exchange(service.port, head)).toEqual(closed(answer))
    expect(service.seen).toEqual([])
  })

  test('without a header that would let a web page read it', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /', ['Origin: http://a.example']))
    await raw.closed()
    expect(raw.text()).not.toMatch(/access-control/i)
  })

  test('what is no HTTP at all', async () => {
    await using service = await open()
    expect(await exchange(service.port, '\x16\x03\x01\x00\xa5')).toEqual(closed(badRequest))
  })

  test('a large body without closing on a client that sends it still, which could take the answer away', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.ask('POST /', ['Content-Length: 300000']))
    await raw.hears('larger than')
    await aWhile()
    expect(raw.isOpen()).toBe(true)
    raw.say('x'.repeat(300_000))
    expect(await raw.closed()).toEqual(closed(tooLarge))
  })

  test.each([
    ['it refused', 'GET http://127.0.0.1/', [], noPath],
    ['its sender called the last', 'GET /1', [last], [200, '/1'] as const],
  ])('to do what stands behind a request that %s', async (_name, line, headers, answer) => {
    await using service = await open()
    const second = service.ask('PUT /order/confirm', ['Content-Length: 2'], '{}')
    const heard = await exchange(service.port, service.ask(line, headers) + second)
    expect(heard).toEqual(closed(answer))
    expect(service.seen.map(({ path }) => path)).toEqual(answer === noPath ? [] : ['/1'])
  })

  test('to read on without end, once it has refused', async () => {
    await using service = await open({ limits: { bodyBytes: 8 } })
    using raw = await openRaw(service.port)
    raw.say(service.ask('POST /', ['Content-Length: 1000000']))
    await raw.hears('larger than 8 bytes')
    raw.say('x'.repeat(200))
    expect((await raw.closed()).answers).toEqual([message(413, 'The request body is larger than 8 bytes.')])
  })

  test('a request of garbage, after one that it answered', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /1'))
    await raw.hears('/1')
    raw.say('garbage\r\n\r\n')
    expect(await raw.closed()).toEqual(closed([200, '/1'], badRequest))
  })

  test('garbage without a word while an answer is owed, so that it passes for none', async () => {
    const asked = signalled()
    await using service = await open({
      transport: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    })
    using raw = await openRaw(service.port)
    raw.say(service.ask('PUT /order/confirm'))
    await asked.promise
    raw.say('garbage\r\n\r\n')
    expect((await raw.closed()).answers).toEqual([])
  })
})

describe('a client that is slow', () => {
  const inHeaders = { headersMs: 40, requestMs: 60_000 }
  const limits = { headersMs: 40, requestMs: 80 }

  test.each([
    ['to say anything', inHeaders, () => ''],
    ['with its first line', inHeaders, () => 'GET /'],
    ['with its headers', inHeaders, (host: string) => `GET / HTTP/1.1\r\n${host}`],
    ['with its body', limits, (host: string) => `POST / HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\n{}`],
    ['with its chunks', limits, (host: string) => `POST / HTTP/1.1\r\n${host}${chunked}\r\n\r\n2\r\n{}`],
  ])('%s is cut', async (_name, limits, bytes) => {
    await using service = await open({ limits })
    const heard = await exchange(service.port, bytes(`Host: 127.0.0.1:${service.port}\r\n`))
    expect(heard).toEqual(closed(message(408, 'Request Timeout.')))
    expect(service.seen).toEqual([])
  })

  test('with a body refused for its size hears of that alone', async () => {
    await using service = await open({ limits })
    const heard = await exchange(service.port, service.ask('POST /', ['Content-Length: 70000'], 'x'))
    expect(heard.answers).toEqual([message(413, 'The request body is larger than 65536 bytes.')])
  })
})

describe('a Content-Length that lies', () => {
  test('short makes the rest a request of its own, which is refused', async () => {
    await using service = await open()
    const heard = await exchange(service.port, service.ask('POST /1', ['Content-Length: 2'], '{}xx\r\n\r\n'))
    expect(heard).toEqual(closed([200, '/1'], message(400, 'Bad Request.')))
    expect(service.seen.map(({ body }) => String(body))).toEqual(['{}'])
  })

  test('long, before the client is gone, reaches nobody', async () => {
    await using service = await open()
    using raw = await openRaw(service.port)
    raw.say(service.ask('POST /1', ['Content-Length: 20'], '{}'))
    raw.reset()
    await raw.closed()
    expect(await exchange(service.port, service.ask('GET /2', [last]))).toEqual(closed([200, '/2']))
    expect(service.seen.map(({ path }) => path)).toEqual(['/2'])
    expect(service.defects).toEqual([])
  })
})

describe('instead of an answer', () => {
  test.each([
    ['a reset resets the connection', 'reset', { answers: [], end: 'reset' }],
    ['a close ends it without a byte', 'close', closed()],
  ] as const)('%s', async (_name, how, heard) => {
    await using service = await open({ transport: () => Promise.reject(new Disconnected(how)) })
    expect(await exchange(service.port, service.ask('GET /'))).toEqual(heard)
    expect(service.defects).toEqual([])
  })

  test.each([
    ['GET /', [], ''],
    ['POST /', ['Content-Length: 2'], '{}'],
  ])('a defect answers %s by 500, and tells only the owner why', async (line, headers, body) => {
    const defect = new Error('secret')
    await using service = await open({ transport: () => Promise.reject(defect) })
    const heard = await exchange(service.port, service.ask(line, headers, body))
    expect(heard).toEqual(closed(message(500, 'Unexpected server error.')))
    expect(service.defects).toEqual([defect])
  })

  test('a response that HTTP cannot carry is a defect', async () => {
    await using service = await open({
      transport: async () => ({ status: 200, headers: { 'x-a': 'a\r\nb: c' }, body: '' }),
    })
    const heard = await exchange(service.port, service.ask('GET /'))
    expect(heard).toEqual(closed(message(500, 'Unexpected server error.')))
    expect(service.defects).toHaveLength(1)
  })

  test('a body shorter than announced ends with its connection', async () => {
    await using service = await open({
      transport: async () => ({ status: 200, headers: { 'content-length': '20' }, body: '{"a":' }),
    })
    const heard = await exchange(service.port, service.ask('GET /'))
    expect(heard).toEqual(closed('HTTP/1.1 200 OK\r\ncontent-length: 20\r\nconnection: close\r\n\r\n{"a":'))
  })

  test.each([204, 304])('a %i announces no body, and keeps the connection', async (status) => {
    await using service = await open({ transport: async () => ({ status, headers: {}, body: '' }) })
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /1') + service.ask('GET /2', [last]))
    await raw.closed()
    expect(raw.text().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, `HTTP/1.1 ${status}`])
    expect(raw.text()).not.toMatch(/content-length/i)
  })
})

describe('a dripped answer', () => {
  const dripping: Transport = async () => ({ status: 200, headers: json, body: 'aö', msPerByte: 100 })

  test('comes a byte at a time, and ends with its connection', async () => {
    await using service = await open({ transport: dripping })
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /'))
    const parts = ['\r\n\r\n', '\r\n\r\na', '\r\n\r\na\xc3', '\r\n\r\na\xc3\xb6']
    for (const part of parts) {
      await raw.hears(part)
      await aWhile()
      expect(raw.text().endsWith(part)).toBe(true)
      service.clock.advance(100)
    }
    expect(await raw.closed()).toEqual(closed([200, 'a\xc3\xb6']))
  })

  test('ends for a client that leaves', async () => {
    await using service = await open({ transport: dripping })
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /'))
    await until(() => service.clock.sleepers.size === 1)
    raw.reset()
    await until(() => service.clock.sleepers.size === 0)
    await aWhile()
    expect([service.clock.sleepers.size, service.defects]).toEqual([0, []])
  })

  test('hardly begins for a client that left before', async () => {
    const gone = signalled()
    const asked = signalled()
    await using service = await open({
      transport: async (request) => {
        if (request.path === '/2') return { status: 200, headers: json, body: '' }
        asked.resolve()
        await gone.promise
        return { status: 200, headers: json, body: 'x'.repeat(1_000), msPerByte: 100 }
      },
    })
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /1'))
    await asked.promise
    raw.reset()
    await raw.closed()
    // By its answer, the listener has met the reset, too.
    await exchange(service.port, service.ask('GET /2', [last]))
    gone.resolve()
    await until(() => service.clock.sleepers.size === 1)
    service.clock.advance(100)
    await aWhile()
    expect(service.clock.sleepers.size).toBe(0)
  })
})

test('a client that resets in the middle of an answer harms nobody else', async () => {
  await using service = await open({
    transport: async ({ path }) => ({
      status: 200,
      headers: json,
      body: path === '/big' ? 'x'.repeat(10_000_000) : path,
    }),
  })
  using raw = await openRaw(service.port)
  raw.say(service.ask('GET /big'))
  await raw.hears('xxx')
  raw.reset()
  expect(await exchange(service.port, service.ask('GET /2', [last]))).toEqual(closed([200, '/2']))
  expect(service.defects).toEqual([])
})

describe('a listener', () => {
  test('at port 0 says which it got', async () => {
    await using service = await open()
    expect(service.port).toBeGreaterThan(0)
    expect(service.address).toEqual({ host: '127.0.0.1', port: service.port })
    expect(service.origin).toBe(`http://127.0.0.1:${service.port}`)
  })

  const clock = handClock()
  const nobody: Transport = () => Promise.reject(new Error('nobody asks'))
  const failing = (host: string, port: number) =>
    listen(nobody, { host, port, clock }).then(
      () => 'listens',
      (error) =>
        error instanceof Failure && [error.kind, error.message, error.details.field, error.details.fix],
    )
  const port = 'orderctl serve-mock --port 0'
  const host = 'orderctl serve-mock --host 127.0.0.1'

  test('says so when its port is in use', async () => {
    await using service = await open()
    expect(await failing('127.0.0.1', service.port)).toEqual([
      'usage',
      `port ${service.port} is already in use on 127.0.0.1`,
      '--port',
      port,
    ])
  })

  test.each([
    ['nowhere.invalid', 'cannot resolve the host name nowhere.invalid'],
    ['192.0.2.1', '192.0.2.1 is not an address of this machine'],
  ])('says so when %s is no host to listen on', async (name, text) => {
    expect(await failing(name, 0)).toEqual(['usage', text, '--host', host])
  })
})

describe('closing', () => {
  /** A transport that answers when it is let. */
  const held = () => {
    const asked = signalled()
    const released = signalled()
    const transport: Transport = async ({ path, signal }) => {
      signal?.addEventListener('abort', () => released.resolve())
      asked.resolve()
      await released.promise
      return { status: 200, headers: json, body: path }
    }
    return { asked: asked.promise, release: released.resolve, transport }
  }

  test('lets a request under way be answered, and then its connection end', async () => {
    const { asked, release, transport } = held()
    await using service = await open({ transport, limits: { closeMs: 5_000 } })
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /1'))
    await asked
    const closing = service.close()
    release()
    await closing
    expect(await raw.closed()).toEqual(closed([200, '/1']))
    expect(service.clock.sleepers.size).toBe(0)
  })

  test('waits no longer than it was told, then aborts what is left', async () => {
    const { asked, transport } = held()
    await using service = await open({ transport, limits: { closeMs: 5_000 } })
    using raw = await openRaw(service.port)
    raw.say(service.ask('GET /1'))
    await asked
    const closing = service.close()
    service.clock.advance(4_999)
    await aWhile()
    expect(service.seen[0]?.signal?.aborted).toBe(false)
    service.clock.advance(1)
    await closing
    expect(service.seen[0]?.signal?.aborted).toBe(true)
    await raw.closed()
  })

  test('waits no longer for a request that is never sent in full', async () => {
    await using service = await open({ limits: { closeMs: 5_000 } })
    using raw = await openRaw(service.port)
    raw.say(service.ask('POST /1', ['Content-Length: 9', 'Expect: 100-continue']))
    await raw.hears('100 Continue')
    const closing = service.close()
    service.clock.advance(5_000)
    await closing
    await raw.closed()
    expect(service.seen).toEqual([])
  })

  test('ends connections that are kept alive or never said a word, and takes no new ones', async () => {
    await using service = await open({ limits: { closeMs: 5_000, keepAliveMs: 60_000 } })
    using kept = await openRaw(service.port)
    using silent = await openRaw(service.port)
    kept.say(service.ask('GET /1'))
    await kept.hears('/1')
    await service.close()
    expect(await kept.closed()).toEqual(closed([200, '/1']))
    expect(await silent.closed()).toEqual(closed())
    await expect(openRaw(service.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('twice is closing once', async () => {
    await using service = await open({ limits: { closeMs: 5_000 } })
    await Promise.all([service.close(), service.close()])
    await service.close()
    expect(service.clock.sleepers.size).toBe(0)
  })
})
