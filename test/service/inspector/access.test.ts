// Who may see what of the inspector, over a real socket: hosts, origins, the token, and headers of each response.
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createInspector, pageFiles } from '../../../src/service/inspector.ts'
import { openService, secretsOf, ways } from '../../support/embedded.ts'

const folder = path.resolve(import.meta.dirname, '../../../src/service/inspector/page')
const token = { 'x-inspector-token': 'the-token' }
const key = { 'x-api-key': 'the-key' }
const json = { 'content-type': 'application/json' }
const [, way] = ways[1] ?? expect.fail()

type Headers = Readonly<Record<string, string>>

const open = async () => {
  const parts = { token: 'the-token', readFile: (name: string) => `content of ${name}` }
  const service = await openService({ way, openInspector: (more) => createInspector(parts, more) })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const ask = (target: string, headers: Headers = token) => service.raw('GET', target, { headers })
  const post = (target: string, headers: Headers) =>
    service.raw('POST', target, { headers: { ...json, ...headers }, body: '{"advance":"1s"}' })
  /** Asks for each target, and compares the statuses. */
  const compare = async (wanted: Record<string, number>, headers?: Headers) => {
    const found: Record<string, number> = {}
    for (const target of Object.keys(wanted)) found[target] = (await ask(target, headers)).status
    expect([headers, found]).toEqual([headers, wanted])
  }
  return { service, ask, post, compare }
}

const data = '/_mock/ui/data'
const all = (targets: string, status: number) =>
  Object.fromEntries(targets.split(' ').map((target) => [`${data}/${target}`, status]))

test('the page is served without a token, and is the same for everyone', async () => {
  const { ask, compare, service } = await open()
  for (const [target, name, type] of [
    ['', 'page.html', 'text/html; charset=utf-8'],
    ['/', 'page.html', 'text/html; charset=utf-8'],
    ['?x', 'page.html', 'text/html; charset=utf-8'],
    ['/page.js', 'page.js', 'text/javascript; charset=utf-8'],
    ['/page.css', 'page.css', 'text/css; charset=utf-8'],
    ['/icon.svg', 'icon.svg', 'image/svg+xml'],
  ] as const) {
    const { status, text, headers } = await ask(`/_mock/ui${target}`, {})
    expect([target, status, text, headers['content-type']]).toEqual([target, 200, `content of ${name}`, type])
  }
  const missing = ['none.js', '../page.js', '%70age.js', '/page.js'].map((name) => [`/_mock/ui/${name}`, 404])
  await compare(Object.fromEntries(missing))
  expect((await service.raw('POST', '/_mock/ui')).status).toBe(405)
})

test('every file of the page is served, and together they have at most 20 KB', () => {
  const names = readdirSync(folder)
  expect(Object.keys(pageFiles).sort()).toEqual(names.sort())
  const bytes = names.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0)
  expect(bytes).toBeLessThan(20_000)
})

test('data needs the token, which is not the API key', async () => {
  const { compare, ask } = await open()
  const refused = all('updates exchange?id=1 fault-forms state requests faults catalogue none', 401)
  for (const headers of [
    ...[{}, { 'x-inspector-token': '' }, { 'x-inspector-token': 'the-tokenx' }, key],
    ...[{ authorization: 'Bearer the-token' }, { cookie: 'x-inspector-token=the-token' }],
  ] as Headers[])
    await compare(refused, headers)
  await compare(all('state?x-inspector-token=the-token', 401), {})
  const refusal = '{"message":"The token of the inspector is missing or wrong."}'
  expect((await ask(`${data}/state`, {})).text).toBe(refusal)
  await compare({ [`${data}/state`]: 200, '/_mock/state': 403 })
  await compare({ '/_mock/state': 200 }, key)
})

test('only the page itself may send an Origin, and only to the inspector', async () => {
  const { compare, post, ask, service } = await open()
  expect((await ask(`${data}/state`)).headers['access-control-allow-origin']).toBeUndefined()
  await compare({ [`${data}/state`]: 421 }, { ...token, host: 'evil.example' })
  for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1', 'http://localhost:1', ''])
    expect([origin, (await post(`${data}/clock`, { ...token, ...key, origin })).status]).toEqual([
      origin,
      403,
    ])
  const headers = { origin: 'http://evil.example', 'access-control-request-headers': 'x-inspector-token' }
  expect((await service.raw('OPTIONS', `${data}/clock`, { headers })).status).toBe(403)
})

test('every response forbids framing, caching, foreign scripts and inline ones', async () => {
  const { ask } = await open()
  const targets = ['/_mock/ui', '/_mock/ui/page.js', '/_mock/ui/none', `${data}/state`]
  for (const { headers } of await Promise.all([
    ...targets.map((target) => ask(target, {})),
    ask(`${data}/state`),
  ])) {
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
  const { ask, service, compare } = await open()
  const id = await service.confirmed(['GAME-DE', 'MUSIC-KW'], { webhookUrl: 'http://127.0.0.1:1/' })
  service.clock.advance(2_000)
  const secrets = secretsOf((await service.get(id)).data.redeem)
  await service.raw('POST', '/order/confirm', { headers: { 'x-custom': 'a' }, body: Uint8Array.of(255) })

  const exchange = (await ask(`${data}/exchange?id=3`)).data
  expect(secrets.filter((secret) => !exchange.response.body.text.includes(secret))).toEqual([])
  const path = `/order/get?orderId=${id}`
  expect(exchange).toMatchObject({ id: 3, method: 'GET', path, status: 200, orderId: id })
  const wrong = (await ask(`${data}/exchange?id=4`)).data
  expect(wrong.request.headers).toMatchObject({ 'x-custom': 'a' })
  expect(wrong.request.body).toEqual({ base64: '/w==', size: 1, isCut: false })

  let texts = ''
  for (const target of ['updates', 'state', 'deliveries']) texts += (await ask(`${data}/${target}`)).text
  expect(secrets.filter((secret) => texts.includes(secret))).toEqual([])
  await compare(all('exchange?id=5 exchange?id=x exchange', 404))
})

test('its requests are in no log, and reset forgets the exchanges', async () => {
  const { ask, service, compare } = await open()
  await service.get('x')
  await ask('/_mock/ui')
  await compare(all('state exchange?id=1', 200))
  expect((await service.mock('GET', '/requests')).data).toHaveLength(1)
  await service.mock('POST', '/reset')
  await compare(all('exchange?id=1', 404))
})
