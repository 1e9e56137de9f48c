// The listener: valid and refused requests, and the Host header. connections.test.ts has timeouts, faults and closing.
import { STATUS_CODES } from 'node:http'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createHostCheck, isLoopback } from '../../src/server/http-server.ts'
import { exchange } from '../support/network/raw-socket.ts'
import { json, last, open } from './listener-desk.ts'

const chunked = 'Transfer-Encoding: chunked'
const chunk = `8000\r\n${'x'.repeat(32_768)}\r\n`
const createResponse = (status: number, text: string) => [status, JSON.stringify({ message: text })] as const
/** Node itself refuses what is not valid HTTP. 0: it only closes the connection. */
const byNode = (status: number) =>
  closedAfter(
    ...(status === 0 ? [] : [`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`]),
  )
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
        ...{ method: 'POST', path: '/order/create?a=%20', body: new Uint8Array(Buffer.from('abc')) },
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

  test('has repeated headers joined, and __proto__ changes no prototype', async () => {
    await using service = await open()
    const repeated = ['X-API-Key: a', 'x-api-key: b', 'Set-Cookie: e', 'Set-Cookie: f']
    await service.ask('GET /', [last, ...repeated, '__proto__: x', 'constructor: y', 'toString: z'])
    const headers = service.requests[0]?.headers ?? {}
    expect(headers).toMatchObject({ 'x-api-key': 'a, b', 'set-cookie': 'e, f' })
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
    expect(headers).toMatchObject({ constructor: 'y', tostring: 'z' })
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
  END: '0\r\n\r\n',
  LONG: 'x'.repeat(16_384),
}
const tooLarge = 'The request body is larger than 65536 bytes.'

// Below each response: the name of a request, its first line, its headers and its body.
const refused = `
== 413 ${tooLarge}
  a Content-Length over 64 KiB       | POST /  | Content-Length: 65537 | BIG
  a chunked body over 64 KiB         | POST /  | ${chunked} | CHUNKS
== 400 by Node
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
  an encoding before chunks          | POST /  | Transfer-Encoding: gzip,chunked | END
  the identity encoding first        | POST /  | Transfer-Encoding: identity, ${chunked} | END
== 431 by Node
  headers over 16 KiB                | GET /   | A: LONG
  a path over 16 KiB                 | GET /LONG |
== 403 Requests from web pages are not accepted. Send the request without an Origin header.
  Origin: null                       | GET /   | Origin: null
  its own Origin                     | POST /  | Origin: http://localhost, Content-Length: 2 | {}
  an empty Origin                    | GET /   | Origin:
  a CORS preflight                   | OPTIONS / | Origin: x, Access-Control-Request-Method: PUT
== 400 The request target must be a path.
  the absolute form                  | GET http://127.0.0.1/ |
  OPTIONS *                          | OPTIONS * |
== 0 by Node
  CONNECT                            | CONNECT evil.example:443 |
  chunks by a different name         | POST /  | Transfer-Encoding: xchunked | {}{}{
  an unknown encoding                | POST /  | Transfer-Encoding: gzip | x`

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
    const wanted = message === 'by Node' ? byNode(status) : closedAfter(createResponse(status, message))
    expect(await service.ask(line, headers, body)).toEqual(wanted)
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
})

const loopback = { host: '127.0.0.1', address: '127.0.0.1' }
const anyAddress = { host: '0.0.0.0', address: '0.0.0.0' }
const named = { host: 'Mock.lan', address: '192.0.2.7' }

const findAccepted = (
  bound: typeof loopback,
  headers: readonly (string | undefined)[],
  allowed: readonly string[] = [],
) => headers.filter(createHostCheck(bound, allowed))

test('a listener on loopback accepts the names and addresses of loopback, with any port', () => {
  const named = ['127.0.0.1:4010', 'localhost:4010', 'LocalHost:4010', '[::1]:4010', '127.9.9.9:4010']
  const mapped = ['localhost', '127.0.0.1', '[::1]', 'localhost:8080', '127.0.0.1:1', '[::1]:65535']
  expect(findAccepted(loopback, [...named, ...mapped])).toEqual([...named, ...mapped])
})

const foreign = [
  undefined,
  ...['', ':4010', 'localhost:', 'localhost:4010 ', 'localhost:http', 'localhost:123456'],
  ...['evil.example', 'evil.example:4010', '127.0.0.1.evil.example:4010', '127.evil.example:4010'],
  ...['localhost.evil.example:4010', 'localhost.:4010', 'x@localhost:4010', 'localhost:4010@evil.example'],
  ...['localhost:4010, evil.example', 'localhost/evil.example'],
  ...['127.1:4010', '2130706433:4010', '0x7f.0.0.1:4010', '127.0.0.256:4010', '127.0.0.1.:4010'],
  ...['[::1', '::1:4010', '[evil.example]:4010', '[127.0.0.1]:4010', '[]:4010', '[::1]x:4010', '__proto__'],
]

test('a listener on loopback accepts no other host', () => {
  const others = ['192.0.2.7:4010', '0.0.0.0:4010', '[2001:db8::1]:4010', `${hostname()}:4010`]
  expect(findAccepted(loopback, [...foreign, ...others])).toEqual([])
})

test('a listener on a different address accepts every address', () => {
  const ours = ['127.0.0.1:4010', '192.0.2.7:8080', '[2001:db8::1]:4010', '[::1]', 'localhost:4010']
  expect(findAccepted(anyAddress, ours)).toEqual(ours)
  expect(findAccepted(anyAddress, foreign)).toEqual([])
})

test.each(['0.0.0.0', '::', '192.0.2.7'])('a listener on %s accepts the names of this machine', (address) => {
  const full = hostname()
  const ours = [full, full.toUpperCase(), `${full}:8080`, full.replace(/\..*/, '')]
  expect(findAccepted({ host: address, address }, [...ours, `${full}.evil.example`])).toEqual(ours)
})

test('a listener accepts the name that it was started with', () => {
  const ours = ['mock.lan:4010', 'MOCK.LAN:4010', 'mock.lan']
  expect(findAccepted(named, [...ours, 'other.lan:4010'])).toEqual(ours)
})

test('a listener accepts the allowed names and addresses, but no name below or above them', () => {
  const allowed = ['mock', 'shop.test', '192.0.2.7', '2001:db8::1']
  const ours = ['mock:4010', 'Shop.TEST', '192.0.2.7:80', '[2001:db8::1]:80', 'localhost']
  const others = ['a.shop.test', 'test', 'mock.evil.example', 'xmock', '192.0.2.8', '[2001:db8::2]']
  expect(findAccepted(loopback, [...ours, ...others], allowed)).toEqual(ours)
  expect(findAccepted(loopback, foreign, allowed)).toEqual([])
})

test('only loopback addresses count as loopback', () => {
  const loopback = ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1']
  const others = ['127.evil', '0.0.0.0', '::', '10.0.0.1', '']
  expect([...loopback, ...others].filter(isLoopback)).toEqual(loopback)
})
