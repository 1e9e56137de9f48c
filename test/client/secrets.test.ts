// The key is sent as configured, and occurs nowhere else.
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { createNetwork } from '../../src/client/network.ts'
import { type TraceEvent, withTracing } from '../../src/client/trace.ts'
import type { Auth } from '../../src/contract/auth.ts'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { cleanKey } from '../../src/profiles/key.ts'
import { answering, quickClock, request } from '../support/client-api.ts'
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
  const { transport, seen } = answering({ status: 404 })
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
  const { transport, seen } = answering({ status: 404 })
  await withCredentials(transport, { kind: 'basic' }, 'token')({ method: 'GET', path: '/', headers: {} })
  expect(seen[0]?.headers).toEqual({ authorization: `Basic ${btoa('token:')}` })
})

test('a key that cleanKey accepts is sent, with other letters than ASCII as UTF-8', async () => {
  const { transport, seen } = answering({ status: 404 })
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
    // Both ways round: the order of wrappers must not matter.
    const inner = withTracing(network, { clock, baseUrl, onRequest })
    const outer = withTracing(withCredentials(inner, auth, key), { clock, baseUrl, onRequest })
    return { events, ...createApi(outer, { clock, random: () => 0 }) }
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
    expect(events.length).toBeGreaterThanOrEqual(6)
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
    const { transport } = answering({
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
    expect(events).toHaveLength(18)
  })
})

describe('a key in an answer', () => {
  const shown = async (secret: string, auth: Auth, said: string, headers = {}) => {
    const body = JSON.stringify({ message: said })
    const { transport } = answering({
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

  test('is masked from four characters', async () => {
    expect(await shown('abcd', bearer, 'no abcd, no ABCD')).toBe('no [key], no [key]')
    // A key that is as short as a word would mask too much.
    expect(await shown('abc', bearer, 'no abc')).toBe('no abc')
  })

  test('is masked in an answer with a content-length', async () => {
    const length = String(JSON.stringify({ message: 'no a-long-key here' }).length)
    expect(await shown('a-long-key', bearer, 'no a-long-key here', { 'content-length': length })).toBe(
      'no [key] here',
    )
  })

  test('is masked if it is only the password', async () => {
    expect(await shown('me:open sesame', { kind: 'basic' }, 'no open sesame for me')).toBe('no [key] for me')
    expect(await shown('me:one:two three', { kind: 'basic' }, 'no two three')).toBe('no [key]')
  })
})

test.each([200, 201])('a success of %i is unchanged, even if it contains the key', async (status) => {
  const body = `\n${JSON.stringify(createdExample)}`
  const { transport } = answering({ status, body })
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

test("a trace has the service's request id, and the reason if there is no answer", async () => {
  const events: TraceEvent[] = []
  const { transport } = answering(
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
  expect(events[2]).not.toHaveProperty('orderId')
  expect(events).toMatchObject([
    { url: '/order/create', status: 201, requestId: 'req-1', orderId: createdExample.data.id },
    { url: '/order/confirm', failure: 'reset', orderId: 'ord_1' },
    { url: '/order/create', status: 404, requestId: 'req-2' },
    { url: '/order/confirm', status: 404, requestId: 'req-3', orderId: 'ord_1' },
  ])
})
