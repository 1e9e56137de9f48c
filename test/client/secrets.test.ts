// The key is sent as configured, and occurs nowhere else.
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { createNetwork } from '../../src/client/network.ts'
import { type TraceEvent, withTracing } from '../../src/client/trace.ts'
import type { Auth } from '../../src/contract/auth.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { CutOffError } from '../../src/contract/transport.ts'
import { cleanKey } from '../../src/profiles/service-account.ts'
import { quickClock, request, responding } from '../support/client-api.ts'
import { closedPort, openHttp } from '../support/network/client-servers.ts'
import { openApi, roads } from './roads.ts'

const key = 'canary:5f2/é'.replace('é', '+=&')
const order = request(['GAME-US'])

const auths = new Map<string, Auth>([
  ['bearer', { kind: 'bearer' }],
  ['basic', { kind: 'basic' }],
  ['header:X-Api-Key', { kind: 'header', name: 'X-Api-Key' }],
  ['query:api_key', { kind: 'query', name: 'api_key' }],
])

test('the key is sent as the profile says', async () => {
  const { transport, seen } = responding({ status: 404 })
  for (const auth of auths.values()) {
    const all = withCredentials(transport, auth, key)
    await all({ method: 'GET', path: '/order/get?orderId=x', headers: { accept: 'a' } })
  }
  expect(seen.map(({ path, headers: { accept, ...headers } }) => [path.slice(20), headers])).toEqual([
    ['', { authorization: `Bearer ${key}` }],
    ['', { authorization: `Basic ${btoa(key)}` }],
    ['', { 'x-api-key': key }],
    ['&api_key=canary%3A5f2%2F%2B%3D%26', {}],
  ])
})

test('a key without a password is sent as a user name', async () => {
  const { transport, seen } = responding({ status: 404 })
  await withCredentials(transport, { kind: 'basic' }, 'token')({ method: 'GET', path: '/', headers: {} })
  expect(seen[0]?.headers).toEqual({ authorization: `Basic ${btoa('token:')}` })
})

test('a key that cleanKey accepts is sent, with other letters than ASCII as UTF-8', async () => {
  const { transport, seen } = responding({ status: 404 })
  const sent = 'user:pässword 😀'
  for (const name of ['basic', 'query:api_key']) {
    const auth = auths.get(name) as Auth
    await withCredentials(
      transport,
      auth,
      cleanKey(sent, auth, 'the key'),
    )({
      method: 'GET',
      path: '/',
      headers: {},
    })
  }
  expect(seen.map(({ path, headers }) => [path, headers])).toEqual([
    ['/', { authorization: `Basic ${Buffer.from(sent).toString('base64')}` }],
    ['/?api_key=user%3Ap%C3%A4ssword+%F0%9F%98%80', {}],
  ])
})

describe.each([...auths])('with %s, no outcome and no trace contains the key', (_name, auth) => {
  const traced = (baseUrl: string) => {
    const events: TraceEvent[] = []
    const network = createNetwork({ baseUrl, environment: {} })
    onTestFinished(() => network.close())
    const { clock } = quickClock()
    const onRequest = (event: TraceEvent) => void events.push(event)
    const all = withTracing(withCredentials(network, auth, key), { clock, baseUrl, onRequest })
    return { events, ...createApi(all, { clock, random: () => 0 }) }
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

  test('if the service writes the key with JSON escapes', async () => {
    const spelled = [...key].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
    const slashed = key.replaceAll('/', '\\/')
    await using server = await openHttp((_req, res) => {
      res
        .writeHead(403, { 'content-type': 'application/json' })
        .end(`{"message":"not ${slashed}, nor ${spelled}"}`)
    })
    const { create, get } = traced(server.origin)
    clean([await create(order), await get('x')])
  })

  test('if the service uses the key as the request id', async () => {
    const { transport } = responding({
      headers: { 'content-type': 'application/json', 'x-request-id': `req-${key}` },
      body: JSON.stringify(createdExample),
    })
    const events: TraceEvent[] = []
    const { clock } = quickClock()
    const onRequest = (event: TraceEvent) => void events.push(event)
    const traced = withTracing(withCredentials(transport, auth, key), { clock, onRequest })
    await createApi(traced, { clock, random: () => 0 }).create(order)
    clean(events)
    expect(events[0]?.requestId).toBe('req-[key]')
  })

  test('if the service is unreachable', async () => {
    const { create, confirm, get, events } = traced(`http://127.0.0.1:${await closedPort()}`)
    clean([await create(order), await confirm('x'), await get('x'), events])
    expect(events).toHaveLength(9)
  })
})

describe('a key in a response', () => {
  const shown = async (secret: string, auth: Auth, said: string, headers = {}) => {
    const body = JSON.stringify({ message: said })
    const { transport } = responding({
      status: 404,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    const { clock } = quickClock()
    const outcome = await createApi(withCredentials(transport, auth, secret), { clock, random: () => 0 }).get(
      'x',
    )
    return outcome.kind === 'refused' ? outcome.message : outcome
  }
  const bearer: Auth = { kind: 'bearer' }

  test('is masked from eight characters, a shorter one only as a whole value', async () => {
    expect(await shown('abcdefgh', bearer, 'no abcdefgh, no ABCDEFGH')).toBe('no [key], no [key]')
    expect(await shown('abcdefg', bearer, 'no abcdefg')).toBe('no abcdefg')
    for (const value of [
      'abcdefg',
      'ABCDEFG',
      'Bearer abcdefg',
      btoa('abcdefg'),
      `Basic ${btoa('abcdefg:')}`,
    ])
      expect(await shown('abcdefg', bearer, value), value).toBe('[key]')
  })

  test('is masked in a response with a content-length', async () => {
    const length = String(JSON.stringify({ message: 'no a-long-key here' }).length)
    expect(await shown('a-long-key', bearer, 'no a-long-key here', { 'content-length': length })).toBe(
      'no [key] here',
    )
  })

  test.each(['\\'.repeat(12), '=', '\\', '%', '&amp;&amp;', 'a'.repeat(8192)])('may be %s', async (odd) => {
    expect(await shown(odd, bearer, 'a message, & 5% \\ more')).toBe('a message, & 5% \\ more')
  })

  test('is masked if it is only the password, or a user name without a long password', async () => {
    const basic: Auth = { kind: 'basic' }
    expect(await shown('me:open sesame', basic, 'no open sesame for me')).toBe('no [key] for me')
    expect(await shown('me:one:two three', basic, 'no one:two three')).toBe('no [key]')
    expect(await shown('me-and-you:open sesame', basic, 'me-and-you')).toBe('me-and-you')
    expect(await shown('sk_live_1234:', basic, 'no sk_live_1234')).toBe('no [key]')
    // A user name with a password is masked only as a whole value.
    expect(await shown('me-and-you:pw', basic, 'no me-and-you')).toBe('no me-and-you')
    expect(await shown('me-and-you:pw', basic, 'Me-and-you')).toBe('[key]')
    expect(await shown('me-and-you:pw', basic, 'no me-and-you:pw')).toBe('no [key]')
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
      base64: Buffer.from(secret).toString('base64'),
      'base64 without padding': Buffer.from(`${secret}!`).toString('base64').replaceAll('=', ''),
      base64url: Buffer.from(secret).toString('base64url'),
      'base64 after one byte': Buffer.from(`:${secret}`).toString('base64'),
      'base64 after two bytes': Buffer.from(`x:${secret}`).toString('base64'),
      'base64 of a login': Buffer.from(`user:${secret}`).toString('base64'),
      'base64url of a login': Buffer.from(`user:${secret}!`).toString('base64url'),
      'base64 in a URL': encodeURIComponent(Buffer.from(`xx${secret}`).toString('base64')),
      'for a URL': encodeURIComponent(secret),
      'for a URL, in small letters': encodeURIComponent(secret).toLowerCase(),
      'for a form': new URLSearchParams({ k: secret }).toString().slice(2),
      'for a path': encodeURI(secret),
      'in bytes for a URL': each(secret, (code) => `%${hex(code)}`),
      'twice for a URL': encodeURIComponent(encodeURIComponent(secret)),
      'for HTML': escapeHtml(secret),
      'twice for HTML': escapeHtml(escapeHtml(secret)),
      'in numbers for HTML': secret.replaceAll(/./g, (letter) => `&#${letter.codePointAt(0)};`),
      'in numbers of base 16 for HTML': secret.replaceAll(
        /./g,
        (letter) => `&#x0${hex(letter.charCodeAt(0))};`,
      ),
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
    const masked = withCredentials(transport, { kind: 'basic' }, key)
    return { masked, seen, ...createApi(masked, { clock: quickClock().clock, random: () => 0 }) }
  }
  const read = async (json: string, headers = {}, key = secret) => {
    const { masked } = api(() => json, headers, key)
    const response = await masked({ method: 'GET', path: '/order/get?orderId=x', headers: {} })
    return { headers: response.headers, text: Buffer.from(response.body).toString() }
  }

  test.each(written)('%s: %s', async (name, key, text) => {
    // The letters for the bytes around the key.
    const others = name.startsWith('base64') ? '[a-zA-Z0-9]{0,6}' : ''
    const readMasked = async (body: string, type = 'application/json') => {
      const { text: found } = await read(body, { 'content-type': type }, key)
      return found.replaceAll(new RegExp(`${others}\\[key\\]${others}`, 'g'), '[key]')
    }
    const body = (said: string) =>
      `{"a" : 1.50, "before ${said} after":[ "${said}", "x ${said} y", "${said},${said}" ], "é":"\\u00e9"}`
    expect(await readMasked(body(text))).toBe(body('[key]'))
    expect(await readMasked(`{"a":"${text}`)).toBe('{"a":"[key]')
    expect(await readMasked(`<p>${text}</p>`, 'text/html')).toBe('<p>[key]</p>')
  })

  test.each([
    ['a path of Windows', JSON.stringify('%TEMP%\\cache').slice(1, -1)],
    ['control characters', '%\\b1 &l\\t;'],
    ['a backslash in an entity', '&a\\\\mp;'],
  ])('%s before the key', async (_, before) => {
    const body = (said: string) => JSON.stringify({ message: `MARK ${said} after` }).replace('MARK', before)
    expect((await read(body(secret))).text).toBe(body('[key]'))
    expect((await read(body(`x ${secret}`))).text).toBe(body('x [key]'))
  })

  test('is unchanged if it contains the key in numbers, and byte for byte elsewhere', async () => {
    const digits = '1234567890'
    const body = `{"n": 1234567890.10, "m":[-1234567890], "t":"no.1234567890"}`
    const { transport } = responding({ body })
    const response = await withCredentials(
      transport,
      { kind: 'bearer' },
      digits,
    )({ method: 'GET', path: '/order/get?orderId=x', headers: {} })
    expect(Buffer.from(response.body).toString()).toBe(body.replace('no.1234567890', 'no.[key]'))
  })

  test('keeps its names distinct', async () => {
    const { text } = await read(
      `{"${escapeUnits(secret)}":{"aé":1},"${Buffer.from(secret).toString('base64')}":2,"x":{"${escapeUnits(secret)}":3}}`,
    )
    expect(text).toBe('{"[key]":{"aé":1},"[key] 2":2,"x":{"[key]":3}}')
  })

  test('contains it in no header', async () => {
    const { headers } = await read('{}', {
      'x-request-id': `r-${secret}`,
      'x-echo': `Basic ${Buffer.from(`${secret}:`).toString('base64')}`,
      'content-length': '2',
    })
    expect(headers).toMatchObject({
      'x-request-id': 'r-[key]',
      'x-echo': 'Basic [key]',
      'content-length': '2',
    })
  })

  test('contains it nowhere if it is cut off', async () => {
    const response = {
      status: 400,
      headers: { 'x-request-id': secret },
      body: `{"message":"${escapeUnits(secret)}`,
    }
    const { transport } = responding(new CutOffError('cut', response))
    const sent = withCredentials(
      transport,
      { kind: 'basic' },
      secret,
    )({ method: 'PUT', path: '/', headers: {} })
    await expect(sent).rejects.toMatchObject({
      message: 'cut',
      response: { headers: { 'x-request-id': '[key]' }, body: Buffer.from('{"message":"[key]') },
    })
  })

  test.each([
    ['get', `{"message":"","data":{"uid":"o-${encodeURIComponent(secret)}"}}`],
    ['confirm', `{"message":"","data":{"id":"o-${encodeURIComponent(secret)}","state":"confirmed"}}`],
  ] as const)('keeps the id that %s has sent', async (operation, body) => {
    const id = `o-${encodeURIComponent(secret)}`
    const { seen, ...calls } = api(() => body)
    const outcome = await calls[operation](id)
    expect(seen[0]).toMatchObject(
      operation === 'get'
        ? { path: `/order/get?${new URLSearchParams({ orderId: id })}` }
        : { body: `{"orderId":"${id}"}` },
    )
    if (operation === 'confirm') expect(outcome).toMatchObject({ kind: 'done', data: { id } })
    else expect(outcome).toMatchObject({ reason: expect.stringMatching(/not as documented: data\.state/) })
  })

  test('as the id of a new order is no order', async () => {
    const { id } = createdExample.data
    const whole = api((body) => body.replace(id, `o-${encodeURIComponent(secret)}`))
    const cut = api((body) => body.replace(id, `o-${encodeURIComponent(secret)}`).slice(0, -9))
    for (const { create } of [whole, cut])
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
  const all = withCredentials(transport, { kind: 'bearer' }, 'main')
  expect((await all({ method: 'POST', path: '/', headers: {} })).body).toBe(body)
})

describe.each(roads)('a trace %s', (_name, way) => {
  test('records the request, its time, its sizes and the order id', async () => {
    const { service } = await openApi({ way })
    await using _ = service
    const events: TraceEvent[] = []
    const traced = withTracing(withCredentials(service.transport, { kind: 'bearer' }, 'the-key'), {
      clock: service.clock,
      baseUrl: 'https://orders.test/v1/',
      onRequest: (event) => void events.push(event),
    })
    const api = createApi(traced, { clock: service.clock, random: () => 0 })
    const created = await api.create(order)
    if (created.kind !== 'done') throw new Error(JSON.stringify(created))
    const { id } = created.data
    await api.confirm(id)
    service.clock.advance(2_000)
    await api.get(id)
    const all = { status: 200, ms: 0, responseBytes: expect.any(Number), orderId: id }
    expect(events).toEqual([
      {
        ...all,
        method: 'POST',
        url: 'https://orders.test/v1/order/create',
        requestBytes: expect.any(Number),
      },
      { ...all, method: 'PUT', url: 'https://orders.test/v1/order/confirm', requestBytes: 34 },
      { ...all, method: 'GET', url: `https://orders.test/v1/order/get?orderId=${id}`, requestBytes: 0 },
    ])
  })
})

test("a trace contains the service's request id, and the reason if there is no response", async () => {
  const events: TraceEvent[] = []
  const { transport } = responding(
    { headers: { 'x-request-id': 'req-1' }, status: 201, body: JSON.stringify(createdExample) },
    new Error('reset'),
    { headers: { 'request-id': 'req-2' }, status: 404, body: JSON.stringify(createdExample) },
    { headers: { 'request-id': 'req-4', 'x-request-id': 'req-3' }, status: 404 },
  )
  const { clock } = quickClock()
  const traced = withTracing(transport, { clock, onRequest: (event) => void events.push(event) })
  const { create, confirm } = createApi(traced, { clock, random: () => 0 })
  await create(order)
  await confirm('ord_1')
  await create(order)
  await confirm('ord_1')
  // A refusal creates no order.
  expect(events[2]).not.toHaveProperty('orderId', expect.anything())
  expect(events).toMatchObject([
    { url: '/order/create', status: 201, requestId: 'req-1', orderId: createdExample.data.id },
    { url: '/order/confirm', failure: 'reset', orderId: 'ord_1' },
    { url: '/order/create', status: 404, requestId: 'req-2' },
    { url: '/order/confirm', status: 404, requestId: 'req-3', orderId: 'ord_1' },
  ])
})
