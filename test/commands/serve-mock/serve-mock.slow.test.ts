// orderctl serve-mock, the built executable, over a real socket: its log, its flags, its end, and which hosts it accepts.
import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openReceiver } from '../../service/webhooks/webhook-receiver.ts'
import { line } from '../../support/embedded.ts'
import { exchange } from '../../support/network/raw-socket.ts'
import { folder, serveMock, start } from '../../support/orderctl.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { callsTo, logOf } from './served.ts'

test('logs each attempt to deliver a webhook, and ends the attempts at a 410', async () => {
  await using receiver = await openReceiver(500, 410)
  const served = await serveMock(['--processing-time', '1h', '--webhook-secret', 'plain text'])
  const calls = callsTo(served)
  const id = await calls.confirmed(['GAME-US'], { webhookUrl: `${receiver.url}&secret=1` })
  await waitUntil(() => receiver.received.length === 1)
  await calls.mock('POST', '/clock', { advance: '1s' })
  await waitUntil(() => receiver.received.length === 2)
  served.child.kill('SIGINT')
  const lines = logOf((await served.child).stdout).filter(({ event }) => event === 'webhook')
  const deliveryId = receiver.received[0]?.headers['webhook-id']
  const origin = `http://127.0.0.1:${receiver.port}`
  const line = { event: 'webhook', trigger: 'confirmed', id: deliveryId, orderId: id, origin }
  expect(lines.map(({ at, ms, ...rest }) => rest)).toEqual([
    { ...line, number: 1, status: 500, state: 'pending', retryInMs: 1_000 },
    { ...line, number: 2, status: 410, state: 'given-up' },
  ])
})

test('says in words where it listens and what it is asked', async () => {
  const child = start(['serve-mock', '--port', '0', '--seed', 's', '--api-key', 'own'])
  let text = ''
  for await (const line of child.iterable()) {
    text += `${line
      .replace(/:\d{5}\b/, ':PORT')
      .replace(/#[\da-f]{32}$/, '#TOKEN')
      .replace(/^\d\d:\d\d:\d\d/, 'HH:MM:SS')
      .replace(/ +\d+ ms/, '    N ms')}\n`
    const url = / url +(http\S+)/.exec(line)?.[1]
    if (url !== undefined) await callsTo({ url, key: 'own' }).get('x')
    if (line.includes('/order/get')) child.kill('SIGTERM')
  }
  expect(text).toBe(`serve-mock is listening. No real money is spent.
  url        http://127.0.0.1:PORT
  key        from --api-key  (Authorization: Bearer KEY, or x-api-key: KEY)
  inspector  http://127.0.0.1:PORT/_mock/ui#TOKEN
  control    http://127.0.0.1:PORT/_mock/
  openapi    http://127.0.0.1:PORT/openapi.json
  state      in memory (use --state FILE to keep it)
  seed       s  (use --seed to get the same codes again)
Each request is logged below. Press Ctrl-C to stop.
HH:MM:SS  GET   /order/get      404    N ms  x  Not Found
`)
  expect((await child).exitCode).toBe(0)
})

test('keeps everything in the state file through a SIGKILL', async () => {
  const cwd = folder()
  const words = ['--state', 'shop.db', '--processing-time', '1h']
  const first = await serveMock(words, { cwd })
  const id = await callsTo(first).confirmed(['GAME-US'])
  first.child.kill('SIGKILL')
  await first.child
  expect(statSync(path.join(cwd, 'shop.db')).mode & 0o777).toBe(0o600)

  const second = await serveMock(words, { cwd })
  const calls = callsTo(second)
  expect(second.seed).toBe(first.seed)
  expect(await calls.state(id)).toBe('confirmed')
  expect((await calls.confirm(id)).message).toBe('Not Found')
})

test('does each fault that is named on the command line', async () => {
  const served = await serveMock(['--fault', 'get:status=503x2', '--fault', 'create:status=500,{"a":1}'])
  const calls = callsTo(served)
  const statuses: number[] = []
  for (const _ of 'abc') statuses.push((await calls.get('x')).status)
  expect(statuses).toEqual([503, 503, 404])
  expect(await calls.create(['GAME-US'])).toMatchObject({ status: 500, text: '{"a":1}' })
})

// 20 EUR with a fee of 2.5 % cost 20.50 EUR.
test('--rates sets the rates of new orders, and an order keeps its own', async () => {
  const state = path.join(folder(), 'shop.db')
  const first = await serveMock(['--state', state])
  const id = await callsTo(first).created([line('GAME-DE', { quote: 20 })])
  first.child.kill('SIGKILL')
  await first.child
  const calls = callsTo(
    await serveMock(['--state', state, '--rates', 'EUR/USD=1.2', '--rates', 'eur/JPY=150']),
  )
  const readTotal = async (order: string) => (await calls.get(order)).data.invoice.total
  expect(await readTotal(await calls.created([line('GAME-DE', { quote: 20 })]))).toBe(24.6)
  await calls.confirm(id)
  expect(await readTotal(id)).toBe(22.23)
  const { rates } = (await calls.mock('GET', '/catalogue')).data
  expect(rates.filter((each: { baseCurrency: string }) => each.baseCurrency === 'EUR')).toContainEqual({
    baseCurrency: 'EUR',
    targetCurrency: 'JPY',
    rate: 150,
  })
})

test('stops with exit code 74 once nobody reads its log any more', async () => {
  const served = await serveMock()
  served.child.stdout.destroy()
  // The next line has nowhere to go.
  await callsTo(served).get('x')
  expect((await served.child).exitCode).toBe(74)
})

describe('the Host header', () => {
  const statusesOf = async (words: readonly string[], hosts: readonly string[]) => {
    const { url, key } = await serveMock(words)
    const { port } = new URL(url)
    const ask = async (host: string) => {
      const head = `GET /_mock/ HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key ?? 'own'}\r\nConnection: close\r\n\r\n`
      const { responses } = await exchange(Number(port), head)
      return [host, responses[0]?.[0]]
    }
    return Object.fromEntries(await Promise.all(hosts.map(ask)))
  }

  test('of a proxy or a container is accepted if --allow-host names it', async () => {
    const words = ['--allow-host', 'shop.test', '--allow-host', 'Mock']
    const hosts = ['shop.test', 'mock:4010', 'localhost:8080', 'evil.example', 'a.shop.test', hostname()]
    expect(await statusesOf(words, hosts)).toEqual({
      'shop.test': 200,
      'mock:4010': 200,
      'localhost:8080': 200,
      'evil.example': 421,
      'a.shop.test': 421,
      [hostname()]: 421,
    })
  })

  test('may be the host name or any address if it listens on every address', async () => {
    const hosts = [`${hostname()}:8080`, '192.0.2.7:8080', 'localhost', 'evil.example', 'mock']
    expect(await statusesOf(['--host', '0.0.0.0', '--api-key', 'own'], hosts)).toEqual({
      [`${hostname()}:8080`]: 200,
      '192.0.2.7:8080': 200,
      localhost: 200,
      'evil.example': 421,
      mock: 421,
    })
  })
})

const key = 'a-secret-key'
const refused = (target: string) =>
  `POST ${target} HTTP/1.1\r\nHost: proxy.example\r\nx-api-key: ${key}\r\nContent-Length: 2\r\n\r\n{}`
const messageFor = (url: string) =>
  `The host proxy.example is not allowed. Use ${url}, or allow this host with --allow-host proxy.example.`

test('a request that is refused because of its Host header is in the log and in the inspector, without its query and key', async () => {
  const { child, url, inspector } = await serveMock()
  const port = Number(new URL(url).port)
  await exchange(port, refused('/order/create?secret=Canary-7'))
  await exchange(port, refused('http://ben:Canary-8@proxy.example/order/create'))
  const headers = { 'x-api-key': 'sandbox', 'x-inspector-token': inspector.split('#')[1] ?? '' }
  const ask = async (target: string) => (await fetch(`${url}${target}`, { headers })).json()
  const entry = { method: 'POST', path: '/order/create', status: 421, message: messageFor(url) }
  const entries = [entry, { ...entry, path: 'http://proxy.example/order/create' }]
  expect(await ask('/_mock/requests')).toMatchObject(entries.toReversed())
  expect(await ask('/_mock/ui/data/exchange?id=1')).toMatchObject({
    request: { headers: { host: 'proxy.example' } },
    response: { body: { text: JSON.stringify({ message: messageFor(url) }) } },
    status: 421,
  })
  child.kill('SIGINT')
  const { stdout } = await child
  const [, ...lines] = stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line)).slice(0, 2)).toMatchObject(entries)
  expect(stdout).not.toMatch(new RegExp(`Canary|${key}`))
})
