// Who may see what of the inspector, over a real socket: hosts, origins, the token, and headers of each response.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createInspector, pageFiles } from '../../../src/service/inspector/inspector.ts'
import { openService, secretsOf, ways } from '../../support/embedded.ts'

const folder = path.resolve(import.meta.dirname, '../../../src/service/inspector/page')
const token = 'the-token'

const open = async () => {
  const [, way] = ways[1] ?? expect.fail()
  const service = await openService({
    way,
    openInspector: (parts) => createInspector({ token, readFile: (name) => `content of ${name}` }, parts),
  })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const ask = async (
    target: string,
    headers: Readonly<Record<string, string>> = { 'x-inspector-token': token },
    method = 'GET',
    body?: string,
  ) => service.raw(method, target, { headers, ...(body === undefined ? {} : { body }) })
  return { service, ask }
}

const json = { 'content-type': 'application/json' }

test('the page is served without a token, and is the same for everyone', async () => {
  const { ask } = await open()
  for (const [target, name, type] of [
    ['/_mock/ui', 'page.html', 'text/html; charset=utf-8'],
    ['/_mock/ui/', 'page.html', 'text/html; charset=utf-8'],
    ['/_mock/ui?x', 'page.html', 'text/html; charset=utf-8'],
    ['/_mock/ui/main.js', 'main.js', 'text/javascript; charset=utf-8'],
    ['/_mock/ui/page.css', 'page.css', 'text/css; charset=utf-8'],
    ['/_mock/ui/icon.svg', 'icon.svg', 'image/svg+xml'],
  ] as const) {
    const { status, text, headers } = await ask(target, {})
    expect([target, status, text, headers['content-type']]).toEqual([target, 200, `content of ${name}`, type])
  }
  for (const name of ['none.js', '../main.js', '%6dain.js', '/main.js'])
    expect([name, (await ask(`/_mock/ui/${name}`)).status]).toEqual([name, 404])
  expect((await ask('/_mock/ui', {}, 'POST')).status).toBe(405)
})

test('every file of the page is served, and together they have at most 60 KB', () => {
  const names = readdirSync(folder)
  expect([...pageFiles].sort()).toEqual(names.sort())
  const bytes = names.reduce((all, name) => all + statSync(path.join(folder, name)).size, 0)
  expect(bytes).toBeLessThan(60_000)
})

test('data needs the token, which is not the API key', async () => {
  const { ask, service } = await open()
  const wrong: Record<string, string>[] = [
    {},
    { 'x-inspector-token': '' },
    { 'x-inspector-token': `${token}x` },
    { 'x-api-key': 'the-key' },
    { authorization: `Bearer ${token}` },
    { cookie: `x-inspector-token=${token}` },
  ]
  const refusal = '{"message":"The token of the inspector is missing or wrong."}'
  for (const target of 'events exchange?id=1 order?id=1 state requests faults catalogue none'.split(' '))
    for (const headers of wrong) {
      const { status, text } = await ask(`/_mock/ui/data/${target}`, headers)
      expect([target, headers, status, text]).toEqual([target, headers, 401, refusal])
    }
  expect((await ask(`/_mock/ui/data/state?x-inspector-token=${token}`, {})).status).toBe(401)
  expect((await ask('/_mock/ui/data/state')).status).toBe(200)
  expect((await ask('/_mock/state', { 'x-inspector-token': token })).status).toBe(403)
  expect((await service.mock('GET', '/state')).status).toBe(200)
})

test('only the page itself may send an Origin, and only to the inspector', async () => {
  const { ask } = await open()
  const { headers } = await ask('/_mock/ui/data/state')
  expect(headers['access-control-allow-origin']).toBeUndefined()
  const host = 'evil.example'
  const own = await ask('/_mock/ui/data/state', { 'x-inspector-token': token, host })
  expect(own.status).toBe(421)
  const post = (origin: string, target = '/_mock/ui/data/clock') =>
    ask(
      target,
      { ...json, 'x-inspector-token': token, 'x-api-key': 'the-key', origin },
      'POST',
      '{"advance":"1s"}',
    )
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:1', ''])
    expect([origin, (await post(origin)).status]).toEqual([origin, 403])
  const preflight = { origin: 'http://evil.example', 'access-control-request-headers': 'x-inspector-token' }
  expect((await ask('/_mock/ui/data/clock', preflight, 'OPTIONS')).status).toBe(403)
})

test('its own origin is accepted, but not outside the inspector', async () => {
  const { ask, service } = await open()
  // The host that the client sends is not known before the first response.
  const { text } = await ask('/x', { host: 'evil.example' })
  const origin = /Use ([^,\s]+),/.exec(text)?.[1] ?? expect.fail(text)
  const headers = { ...json, 'x-inspector-token': token, 'x-api-key': 'the-key', origin }
  const body = '{"advance":"1s"}'
  expect((await ask('/_mock/ui/data/clock', headers, 'POST', body)).status).toBe(200)
  const targets = ['/_mock/clock', '/_mock/uix/data/clock', '/order/create', '/_mock/../_mock/ui/data/clock']
  for (const target of targets)
    expect([target, (await ask(target, headers, 'POST', body)).status]).toEqual([target, 403])
  expect((await service.mock('GET', '/state')).data.clockOffsetMs).toBe(1_000)
})

test('every response forbids framing, caching, foreign scripts and inline ones', async () => {
  const { ask } = await open()
  for (const [target, sent] of [
    ['/_mock/ui', {}],
    ['/_mock/ui/main.js', {}],
    ['/_mock/ui/none', {}],
    ['/_mock/ui/data/state', {}],
    ['/_mock/ui/data/state', { 'x-inspector-token': token }],
  ] as const) {
    const { headers } = await ask(target, sent)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'same-origin',
    })
    const policy = headers['content-security-policy']
    const parts = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]
    for (const part of parts) expect(policy).toContain(part)
    expect(policy).not.toContain('unsafe')
  }
})

test('an exchange has headers, bodies and codes, and the other data has no code', async () => {
  const { ask, service } = await open()
  const id = await service.confirmed(['GAME-DE', 'MUSIC-KW'], { webhookUrl: 'http://127.0.0.1:1/' })
  service.clock.advance(2_000)
  const secrets = secretsOf((await service.get(id)).data.redeem)
  await service.raw('POST', '/order/confirm', { headers: { 'x-custom': 'a' }, body: Uint8Array.of(255) })

  const exchange = (await ask('/_mock/ui/data/exchange?id=3')).data
  expect(secrets.filter((secret) => !exchange.response.body.text.includes(secret))).toEqual([])
  const path = `/order/get?orderId=${id}`
  expect(exchange).toMatchObject({ id: 3, method: 'GET', path, status: 200, orderId: id })
  const wrong = (await ask('/_mock/ui/data/exchange?id=4')).data
  expect(wrong.request.headers).toContainEqual(['x-custom', 'a'])
  expect(wrong.request.body).toEqual({ base64: '/w==', size: 1, isCut: false })

  const order = await ask(`/_mock/ui/data/order?id=${id}`)
  const deliveries = [{ event: 'final' }, { event: 'confirmed' }]
  const processingAt = expect.stringContaining('T')
  expect(order.data.order).toMatchObject({ id, state: 'successful', processingAt, deliveries })
  let texts = order.text
  for (const target of ['state', 'deliveries']) texts += (await ask(`/_mock/ui/data/${target}`)).text
  expect(secrets.filter((secret) => texts.includes(secret))).toEqual([])

  for (const target of ['/exchange?id=5', '/exchange?id=x', '/exchange'])
    expect([target, (await ask(`/_mock/ui/data${target}`)).status]).toEqual([target, 404])
})

test('an unknown order is null', async () => {
  const { ask } = await open()
  for (const target of ['/order?id=x', '/order'])
    expect((await ask(`/_mock/ui/data${target}`)).text).toBe('{"order":null}')
})

test('its requests are in no log, and reset forgets the exchanges', async () => {
  const { ask, service } = await open()
  await service.get('x')
  await ask('/_mock/ui')
  await ask('/_mock/ui/data/state')
  expect((await service.mock('GET', '/requests')).data).toHaveLength(1)
  expect((await ask('/_mock/ui/data/exchange?id=1')).status).toBe(200)
  await service.mock('POST', '/reset')
  expect((await ask('/_mock/ui/data/exchange?id=1')).status).toBe(404)
})

test('without it, its paths do not exist', async () => {
  const [, way] = ways[1] ?? expect.fail()
  await using service = await openService({ way })
  for (const target of ['/_mock/ui', '/_mock/ui/main.js', '/_mock/ui/data/state'])
    expect([target, (await service.raw('GET', target)).status]).toEqual([target, 404])
})
