import { expect, test } from 'vitest'
import { exchange } from '../../support/network/raw-socket.ts'
import { serveMock, start } from '../../support/orderctl.ts'
import { callsTo, logOf } from './served.ts'

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

test('stops with exit code 74 once nobody reads its log any more', async () => {
  const served = await serveMock()
  served.child.stdout.destroy()
  // The next line has nowhere to go.
  await callsTo(served).get('x')
  expect((await served.child).exitCode).toBe(74)
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
  const logged = entries.map(({ status: httpStatus, ...entry }) => ({
    event: 'request',
    ...entry,
    httpStatus,
  }))
  expect(lines.map((line) => JSON.parse(line)).slice(0, 2)).toMatchObject(logged)
  expect(stdout).not.toMatch(new RegExp(`Canary|${key}`))
})

test('serves an order from creation to its codes, and keeps the codes out of the log', async () => {
  const served = await serveMock(['--processing-time', '0', '--seed', 'demo'])
  const calls = callsTo(served)
  const id = await calls.confirmed(['GAME-US'], { reference: 'r-1' })
  const { data } = await calls.get(id)
  expect(data).toMatchObject({ uid: id, state: 'successful', reference: 'r-1' })
  const [card] = data.redeem['GAME-US'].cards

  served.child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await served.child
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  const [listening, ...requests] = logOf(stdout).map(({ occurredAt, ms, message, ...entry }) => entry)
  expect(listening).toEqual({
    ...{ event: 'listening', url: served.url, key: 'sandbox', seed: 'demo', stateFile: ':memory:' },
    inspector: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_mock\/ui#[\da-f]{32}$/),
  })
  const request = (method: string, name: string) => ({
    ...{ event: 'request', method, path: `/order/${name}`, httpStatus: 200, orderId: id },
  })
  expect(requests).toEqual([request('POST', 'create'), request('PUT', 'confirm'), request('GET', 'get')])
  for (const secret of [card.redeemCardCode, card.redeemPin, card.redeemSerialNumber]) {
    expect(stdout).not.toContain(secret)
  }
})
