// orderctl serve-mock, the built executable, over a real socket.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openReceiver } from '../../service/webhooks/webhook-receiver.ts'
import { callsOver } from '../../support/embedded.ts'
import { inProcess } from '../../support/in-process.ts'
import { folder, orderctl, serveMock, start } from '../../support/orderctl.ts'
import { clientOf } from '../../support/socket-client.ts'
import { waitUntil } from '../../support/wait-until.ts'

const callsTo = ({ url, key }: { readonly url: string; readonly key: string }) => {
  const agent = new Agent()
  onTestFinished(() => agent.destroy())
  return callsOver(clientOf(url, agent), key)
}

const logOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

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
  expect(logOf(stdout).map(({ at, ms, ...entry }) => entry)).toEqual([
    {
      event: 'listening',
      url: served.url,
      key: 'sandbox',
      seed: 'demo',
      state: ':memory:',
      inspector: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_mock\/ui#[\da-f]{32}$/),
    },
    { method: 'POST', path: '/order/create', status: 200, orderId: id, message: 'Order created.' },
    {
      method: 'PUT',
      path: '/order/confirm',
      status: 200,
      orderId: id,
      message: 'Order confirmed successfully.',
    },
    { method: 'GET', path: '/order/get', status: 200, orderId: id, message: 'Order retrieved.' },
  ])
  for (const secret of [card.redeemCardCode, card.redeemPin, card.redeemSerialNumber]) {
    expect(stdout).not.toContain(secret)
  }
})

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
  const answers = [
    await calls.get('x'),
    await calls.get('x'),
    await calls.get('x'),
    await calls.create(['GAME-US']),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 404, 500])
  expect(answers[3]?.text).toBe('{"a":1}')
})

test('sends the Retry-After of a fault', async () => {
  const calls = callsTo(await serveMock(['--fault', 'get:status=429,retry-after=2x2']))
  const answers = [await calls.get('x'), await calls.get('x'), await calls.get('x')]
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [429, '2'],
    [429, '2'],
    [404, undefined],
  ])
})

describe('exchange rates', () => {
  /** Starts serve-mock 55 minutes after its first order. */
  const startMarket = async (words: readonly string[] = []) => {
    const served = await serveMock(words)
    const calls = callsTo(served)
    await calls.created(['GAME-US'])
    await calls.mock('POST', '/clock', { advance: '55m' })
    const env = { ORDERCTL_BASE_URL: served.url, ORDERCTL_API_KEY: served.key }
    const cwd = folder()
    const run = async (...line: string[]) => {
      const { exit, stdout, stderr } = await orderctl(line, { env, cwd })
      expect({ exit, stderr }).toMatchObject({ exit: 0 })
      return stdout
    }
    const create = async () =>
      JSON.parse(await run('create', '--product', 'GAME-DE:20', '--wallet', 'USD', '--json'))
    return { calls, run, create }
  }

  test('move each hour, and orderctl shows those of the order', async () => {
    const { calls, run, create } = await startMarket()
    const order = await create()
    await calls.mock('POST', '/clock', { advance: '6m' })
    const later = await create()
    expect([order.exchangeRates[0].rate, order.invoice.total]).toEqual([1.0842, 22.23])
    expect(later.exchangeRates[0].rate).not.toBe(1.0842)
    expect(later.invoice.total).not.toBe(22.23)

    expect(await run('get', order.id)).toContain('1.0842')
    expect(await run('confirm', order.id)).toContain('22.23 USD')
    const confirmed = JSON.parse(await run('get', order.id, '--json'))
    expect([confirmed.exchangeRates[0].rate, confirmed.invoice.total]).toEqual([1.0842, 22.23])
    expect(await calls.balance('USD')).toBe(999_977.77)
  })

  test('stay as they are with --rates fixed', async () => {
    const { calls, create } = await startMarket(['--rates', 'fixed'])
    await calls.mock('POST', '/clock', { advance: '6m' })
    expect((await create()).invoice.total).toBe(22.23)
  })
})

test('stops with exit code 74 once nobody reads its log any more', async () => {
  const served = await serveMock()
  served.child.stdout.destroy()
  // The next line has nowhere to go.
  await callsTo(served).get('x')
  expect((await served.child).exitCode).toBe(74)
})

describe('what it refuses to start with', () => {
  const run = (words: readonly string[], cwd: string) => orderctl(['serve-mock', ...words], { cwd })

  test('a port that is in use: the state file is not created', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const cwd = folder()
    expect(await run(['--port', String(port), '--state', 'new.db'], cwd)).toEqual({
      exit: 2,
      stdout: '',
      stderr: `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl serve-mock --port 0\n`,
    })
    server.close()
    expect(() => statSync(path.join(cwd, 'new.db'))).toThrow('ENOENT')
  })

  test('a state file of another program, which stays as it was', async () => {
    const cwd = folder()
    writeFileSync(path.join(cwd, 'notes.txt'), 'my notes')
    expect(await run(['--port', '0', '--state', 'notes.txt'], cwd)).toEqual({
      exit: 9,
      stdout: '',
      stderr:
        'error: notes.txt is not a database\ntry: It was left untouched. Name another state file, or move this file away.\n',
    })
    expect(readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('my notes')
  })

  test('a catalogue that is not JSON, or is wrong in several places', async () => {
    const cwd = folder()
    const refusalOf = async (text: string): Promise<string> => {
      writeFileSync(path.join(cwd, 'shop.json'), text)
      return (await inProcess(['serve-mock', '--catalogue', 'shop.json'], { cwd })).stderr
    }
    expect(await refusalOf('{"products": [\n  }')).toBe(
      'error: the catalogue shop.json is not valid JSON: expected a value at line 2, column 3\n',
    )
    expect(
      await refusalOf('{"products": [], "wallets": [{"currency": "usd", "balance": -1}], "rates": []}'),
    ).toBe(`error: the catalogue shop.json is not valid
  products is []; allowed: at least one product
  wallets[0].currency is "usd"; allowed: a currency code such as USD
  wallets[0].balance is -1; allowed: a number from 0 to 100000000000
`)
  })
})
