// The key is sent as configured, and occurs nowhere else.
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { createNetwork } from '../../src/client/network.ts'
import { type TraceEvent, withTracing } from '../../src/client/observe-transport.ts'
import type { Auth } from '../../src/contract/auth.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { CutOffError, type Transport } from '../../src/contract/transport.ts'
import { cleanKey } from '../../src/profiles/account.ts'
import { quickClock, request, responding } from '../support/client-api.ts'
import { openService } from '../support/embedded.ts'
import { closedPort, openHttp } from '../support/network/client-servers.ts'

const key = 'canary:5f2/+=&'
const order = request(['GAME-US'])

const bearer: Auth = { kind: 'bearer' }
const basic: Auth = { kind: 'basic' }
const auths = new Map<string, Auth>([
  ['bearer', bearer],
  ['basic', basic],
  ['header:X-Api-Key', { kind: 'header', name: 'X-Api-Key' }],
  ['query:api_key', { kind: 'query', name: 'api_key' }],
])

/** Sends a get with the key, and returns its response. */
const send = (transport: Transport, auth: Auth, secret: string) =>
  withCredentials(transport, auth, secret)({ method: 'GET', path: '/order/get?orderId=x', headers: {} })

const utf8 = 'user:pässword 😀'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

// cleanKey accepts the keys, also with other letters than ASCII, which are sent as UTF-8.
test.each<[string, string, string, object]>([
  ['bearer', key, '', { authorization: `Bearer ${key}` }],
  ['basic', key, '', { authorization: `Basic ${btoa(key)}` }],
  ['basic', 'token', '', { authorization: `Basic ${btoa('token:')}` }],
  ['basic', utf8, '', { authorization: `Basic ${base64(utf8)}` }],
  ['header:X-Api-Key', key, '', { 'x-api-key': key }],
  ['query:api_key', key, '&api_key=canary%3A5f2%2F%2B%3D%26', {}],
  ['query:api_key', utf8, '&api_key=user%3Ap%C3%A4ssword+%F0%9F%98%80', {}],
])('with %s, the key %s is sent as %s%j', async (name, secret, query, headers) => {
  const { transport, seen } = responding({ status: 404 })
  const auth = auths.get(name) as Auth
  await send(transport, auth, cleanKey(secret, name, 'the key'))
  expect(seen).toMatchObject([{ path: `/order/get?orderId=x${query}` }])
  expect(seen[0]?.headers).toEqual(headers)
})

/** The client with a trace. */
const openTraced = (transport: Transport, baseUrl?: string) => {
  const events: TraceEvent[] = []
  const { clock } = quickClock()
  const onRequest = (event: TraceEvent) => void events.push(event)
  const all = withTracing(transport, { clock, onRequest, ...(baseUrl === undefined ? {} : { baseUrl }) })
  return { events, ...createApi(all, { clock, random: () => 0 }) }
}

describe.each([...auths])('with %s, no outcome and no trace contains the key', (_name, auth) => {
  const traced = (baseUrl: string) => {
    const network = createNetwork({ baseUrl, environment: {} })
    onTestFinished(() => network.close())
    return openTraced(withCredentials(network, auth, key), baseUrl)
  }
  const clean = (seen: unknown) => {
    const text = JSON.stringify(seen)
    for (const part of ['canary', '5f2', encodeURIComponent(key), btoa(key)]) expect(text).not.toContain(part)
  }

  test.each([
    [400, 'text/plain'],
    [403, 'application/json'],
    [500, 'text/html'],
    [200, 'text/html'],
    [302, 'text/html'],
  ])('if the service repeats the request with a %i, %s', async (status, type) => {
    await using server = await openHttp((req, res) => {
      const said = JSON.stringify({ message: `${req.url} ${JSON.stringify(req.headers)}` })
      const body = type === 'text/html' ? `<title>${req.url}</title>${said}` : said
      res.writeHead(status, { 'content-type': type, location: `http://other.test${req.url}` }).end(body)
    })
    const { create, confirm, get, events } = traced(server.origin)
    clean([await create(order), await confirm('x'), await get('x'), events])
    expect(events.length).toBeGreaterThanOrEqual(3)
  })

  test('if the service is unreachable', async () => {
    const { create, confirm, get, events } = traced(`http://127.0.0.1:${await closedPort()}`)
    clean([await create(order), await confirm('x'), await get('x'), events])
    expect(events).toHaveLength(9)
  })
})

describe('a key in a response', () => {
  const shown = async (secret: string, auth: Auth, said: string) => {
    const body = JSON.stringify({ message: said })
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const { transport } = responding({ status: 404, headers, body })
    const { clock } = quickClock()
    const masked = withCredentials(transport, auth, secret)
    const outcome = await createApi(masked, { clock, random: () => 0 }).get('x')
    return outcome.kind === 'refused' ? outcome.message : outcome
  }

  // A key of less than eight characters is masked only as a whole value. So is a user name with a password.
  test.each([
    ['abcdefgh', 'no ABCDEFGH', 'no [key]'],
    ['abcdefgh', `no ${btoa('abcdefgh')}`, '[key]'],
    ['abcdefg', 'no abcdefg', 'no abcdefg'],
    ...['abcdefg', 'ABCDEFG', 'Bearer abcdefg', btoa('abcdefg'), `Basic ${btoa('abcdefg:')}`].map((said) => [
      ...['abcdefg', said, '[key]'],
    ]),
    ['me:open sesame', 'no open sesame for me', 'no [key] for me'],
    ['me:one:two three', 'no one:two three', 'no [key]'],
    ['me-and-you:open sesame', 'me-and-you', 'me-and-you'],
    ['sk_live_1234:', 'no sk_live_1234', 'no [key]'],
    ['me-and-you:pw', 'no me-and-you', 'no me-and-you'],
    ['me-and-you:pw', 'Me-and-you', '[key]'],
    ['me-and-you:pw', 'no me-and-you:pw', 'no [key]'],
    ...['\\'.repeat(12), '=', '\\', '%', '&amp;&amp;', 'a'.repeat(8192)].map((odd) => [
      ...[odd, 'a message, & 5% \\ more', 'a message, & 5% \\ more'],
    ]),
  ])('%s is masked in %j: %j', async (secret = '', said = '', wanted) => {
    expect(await shown(secret, secret.includes(':') ? basic : bearer, said)).toBe(wanted)
  })
})

/** Every character as a number, by this. */
const each = (text: string, write: (code: number) => string): string =>
  [...Buffer.from(text)].map(write).join('')
const hex = (code: number): string => code.toString(16).padStart(2, '0')
const secret = 'aé/+k=&"?-_ <\\x9~'
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const escapeUnits = (text: string): string =>
  text.replace(/./g, (unit) => `\\u${hex(unit.charCodeAt(0)).padStart(4, '0')}`)

/** As they are inside a string of JSON. */
const writeAll = (secret: string): (readonly [way: string, secret: string, text: string])[] =>
  [
    ...Object.entries({
      plain: secret,
      'in capital letters': secret.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
      base64: base64(secret),
      'base64 without padding': base64(`${secret}!`).replaceAll('=', ''),
      base64url: Buffer.from(secret).toString('base64url'),
      'base64 after one byte': base64(`:${secret}`),
      'base64 after two bytes': base64(`x:${secret}`),
      'base64 of a login': base64(`user:${secret}`),
      'base64url of a login': Buffer.from(`user:${secret}!`).toString('base64url'),
      'base64 in a URL': encodeURIComponent(base64(`xx${secret}`)),
      'for a URL': encodeURIComponent(secret),
      'for a URL, in small letters': encodeURIComponent(secret).toLowerCase(),
      'for a form': new URLSearchParams({ k: secret }).toString().slice(2),
      'for a path': encodeURI(secret),
      'in bytes for a URL': each(secret, (code) => `%${hex(code)}`),
      'twice for a URL': encodeURIComponent(encodeURIComponent(secret)),
      'for HTML': escapeHtml(secret),
      'twice for HTML': escapeHtml(escapeHtml(secret)),
      'in numbers for HTML': secret.replaceAll(/./g, (letter) => `&#${letter.codePointAt(0)};`),
      'in numbers of base 16 for HTML': secret.replaceAll(/./g, (unit) => `&#x0${hex(unit.charCodeAt(0))};`),
      'for a URL in HTML': escapeHtml(encodeURI(secret)),
      'for JSON': JSON.stringify(secret).slice(1, -1),
    }).map(([name, text]) => [name, JSON.stringify(text).slice(1, -1)] as const),
    ['with slashes escaped', JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
    ['in \\u escapes', escapeUnits(secret)],
    ['in \\u escapes for HTML', escapeHtml(secret).replaceAll('&', '\\u0026').replaceAll('\\x', '\\\\x')],
  ].map(([way, text]) => [way, secret, text] as const)

/** A key may look like an encoded text. */
const written = [...writeAll(secret), ...writeAll('b%1e8&#60;%25\\%u0041x')]

describe('a success that contains the key', () => {
  const api = (answer: (body: string) => string, headers = {}, key = secret) => {
    const { transport, seen } = responding({
      headers: { 'content-type': 'application/json', ...headers },
      body: answer(JSON.stringify(createdExample)),
    })
    const masked = withCredentials(transport, basic, key)
    return { transport, seen, ...createApi(masked, { clock: quickClock().clock, random: () => 0 }) }
  }
  const read = async (json: string, headers = {}, key = secret) => {
    const { transport } = api(() => json, headers, key)
    const response = await send(transport, basic, key)
    return { headers: response.headers, text: Buffer.from(response.body).toString() }
  }

  test.each(written)('%s: %s', async (_name, key, text) => {
    const readMasked = async (body: string, type = 'application/json') =>
      (await read(body, { 'content-type': type }, key)).text
    const body = (said: string) =>
      `{"a" : 1.50, "before ${said} after":[ "${said}", "x ${said} y", "${said},${said}" ], "é":"\\u00e9"}`
    expect(await readMasked(body(text))).toBe(
      '{"a" : 1.50, "[key]":[ "[key]", "[key]", "[key]" ], "é":"\\u00e9"}',
    )
    expect(await readMasked(`{"a":"${text}`)).toBe('{"a":"[key]')
    expect(await readMasked(`<p>${text}</p>`, 'text/html')).toBe('[key]')
  })

  test.each([
    ['a path of Windows', JSON.stringify('%TEMP%\\cache').slice(1, -1)],
    ['control characters', '%\\b1 &l\\t;'],
    ['a backslash in an entity', '&a\\\\mp;'],
  ])('%s before the key', async (_, before) => {
    const body = (said: string) => JSON.stringify({ message: `MARK ${said} after` }).replace('MARK', before)
    expect((await read(body(secret))).text).toBe('{"message":"[key]"}')
  })

  test('is unchanged if it contains the key in numbers, and byte for byte elsewhere', async () => {
    const digits = '1234567890'
    const body = `{"n": 1234567890.10, "m":[-1234567890], "t":"no.1234567890"}`
    const { transport } = responding({ body })
    const response = await send(transport, bearer, digits)
    expect(Buffer.from(response.body).toString()).toBe(body.replace('no.1234567890', 'no.[key]'))
  })

  test('keeps its names distinct', async () => {
    const spelled = escapeUnits(secret)
    const { text } = await read(`{"${spelled}":{"aé":1},"${base64(secret)}":2,"x":{"${spelled}":3}}`)
    expect(text).toBe('{"[key]":{"aé":1},"[key] 2":2,"x":{"[key]":3}}')
  })

  test('contains it in no header', async () => {
    const echo = `Basic ${base64(`${secret}:`)}`
    const sent = { 'x-request-id': `r-${secret}`, 'x-echo': echo, 'content-length': '2' }
    const { headers } = await read('{}', sent)
    const wanted = { 'x-request-id': 'r-[key]', 'x-echo': '[key]', 'content-length': '2' }
    expect(headers).toMatchObject(wanted)
  })

  test('contains it nowhere if it is cut off', async () => {
    const response = {
      status: 400,
      headers: { 'x-request-id': secret },
      body: `{"message":"${escapeUnits(secret)}`,
    }
    const { transport } = responding(new CutOffError('cut', response))
    const sent = send(transport, basic, secret)
    await expect(sent).rejects.toMatchObject({
      message: 'cut',
      response: { headers: { 'x-request-id': '[key]' }, body: Buffer.from('{"message":"[key]') },
    })
  })

  const id = `o-${encodeURIComponent(secret)}`

  test('keeps the id that get or confirm has sent', async () => {
    const { seen, get } = api(() => `{"message":"","data":{"uid":"${id}"}}`)
    expect(await get(id)).toMatchObject({ reason: expect.stringMatching(/not as documented: data\.state/) })
    expect(seen).toMatchObject([{ path: `/order/get?${new URLSearchParams({ orderId: id })}` }])
    const confirmed = api(() => `{"message":"","data":{"id":"${id}","state":"confirmed"}}`)
    expect(await confirmed.confirm(id)).toMatchObject({ kind: 'done', data: { id } })
    expect(confirmed.seen).toMatchObject([{ body: `{"orderId":"${id}"}` }])
  })

  test('as the id of a new order is no order', async () => {
    const own = createdExample.data.id
    const whole = api((body) => body.replace(own, id))
    const cut = api((body) => body.replace(own, id).slice(0, -9))
    const inPart = api((body) => body, {}, own.slice(4))
    for (const { create } of [whole, cut, inPart])
      expect(await create(order)).toEqual({
        kind: 'unknown',
        reason: "the id of the new order contains the account's key",
      })
  })

  test('keeps the id of its order if only other texts contain the key', async () => {
    const said = encodeURIComponent(secret)
    const { create } = api((body) => body.replace('"message":"', `"message":"${said} `))
    expect(await create(order)).toMatchObject({ orderId: createdExample.data.id })
    const { confirm } = api(() => `{"message":"${said}","data":{"id":"x","state":"confirmed"}}`)
    expect(await confirm('x')).toMatchObject({ kind: 'done', message: '[key]' })
  })
})

test('a success without the key is unchanged', async () => {
  const body = Buffer.from(`\n${JSON.stringify(createdExample)} \\ %41 &amp;`)
  const { transport } = responding({ status: 201, body })
  expect((await send(transport, bearer, 'main')).body).toBe(body)
})

test('a trace records the request, its time and its sizes', async () => {
  await using service = await openService()
  const traced = withCredentials(service.transport, bearer, 'the-key')
  const { create, confirm, get, events } = openTraced(traced, 'https://orders.test/v1/')
  const created = await create(order)
  if (created.kind !== 'done') throw new Error(JSON.stringify(created))
  const { id } = created.data
  await confirm(id)
  service.clock.advance(2_000)
  await get(id)
  const all = { status: 200, ms: 0, responseBytes: expect.any(Number) }
  const url = 'https://orders.test/v1/order'
  expect(events).toEqual([
    { ...all, method: 'POST', url: `${url}/create`, requestBytes: expect.any(Number) },
    { ...all, method: 'PUT', url: `${url}/confirm`, requestBytes: 34 },
    { ...all, method: 'GET', url: `${url}/get?orderId=${id}`, requestBytes: 0 },
  ])
})

test("a trace contains the service's request id, and the reason if there is no response", async () => {
  const { transport } = responding(
    { headers: { 'x-request-id': 'req-1' }, status: 201, body: JSON.stringify(createdExample) },
    new Error('reset'),
    { headers: { 'request-id': 'req-2' }, status: 404, body: JSON.stringify(createdExample) },
    { headers: { 'request-id': 'req-4', 'x-request-id': 'req-3' }, status: 404 },
  )
  const { create, confirm, events } = openTraced(transport)
  await create(order)
  await confirm('ord_1')
  await create(order)
  await confirm('ord_1')
  expect(events).toMatchObject([
    { url: '/order/create', status: 201, requestId: 'req-1' },
    { url: '/order/confirm', failure: 'reset' },
    { url: '/order/create', status: 404, requestId: 'req-2' },
    { url: '/order/confirm', status: 404, requestId: 'req-3' },
  ])
})
