// orderctl serve-mock, the built executable, over a real socket.

import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openReceiver } from '../../service/webhooks/webhook-receiver.ts'
import { callsOver } from '../../support/embedded.ts'
import { executable, folder, orderctl, serveMock, start } from '../../support/orderctl.ts'
import { exchange } from '../../support/raw-socket.ts'
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

describe('the Host header', () => {
  const statusesOf = async (words: readonly string[], hosts: readonly string[]) => {
    const { url, key } = await serveMock(words)
    const { port } = new URL(url)
    const ask = async (host: string) => {
      const head = `GET /_mock/ HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key ?? 'own'}\r\nConnection: close\r\n\r\n`
      const { answers } = await exchange(Number(port), head)
      return [host, answers[0]?.[0]]
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

describe('with --exec', () => {
  const notExecutable = (): string => {
    const file = path.join(folder(), 'script')
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 })
    return file
  }
  const exec = (script: string, words: readonly string[] = []) =>
    orderctl(['serve-mock', ...words, '--exec', '--', process.execPath, '-e', script])

  test('runs a command against it and passes its exit code on', async () => {
    const { exit, stdout } = await exec(`
      const { request } = require('node:http')
      const { ORDERCTL_BASE_URL: url, ORDERCTL_API_KEY: key } = process.env
      request(url + '/order/get?orderId=none', { headers: { 'x-api-key': key } }, (response) => {
        console.log(response.statusCode, key)
        process.exitCode = 7
        response.resume()
      }).end()`)
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: '404 sandbox\n' })
  })

  test('hides from the command what names another account', async () => {
    const names = ['ORDERCTL_PROFILE', 'ORDERCTL_AUTH', 'ORDERCTL_ACCOUNT']
    const env = Object.fromEntries(names.map((name) => [name, 'x']))
    const script = `console.log(${JSON.stringify(names)}.filter((name) => name in process.env).length)`
    const words = ['serve-mock', '--exec', '--', process.execPath, '-e', script]
    expect(await orderctl(words, { env })).toMatchObject({ exit: 0, stdout: '0\n' })
  })

  describe('the journal of the command', () => {
    const findFreePort = async (): Promise<number> => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      server.close()
      await once(server, 'close')
      return port
    }
    const order = [
      'create',
      '--product',
      'GAME-US:25',
      '--wallet',
      'USD',
      '--reference',
      'fixed',
      '--confirm',
    ]
    /** Orders with the same reference at the same port. */
    const buyTwice = async (words: (cwd: string) => readonly string[], env = {}) => {
      const cwd = folder()
      const port = await findFreePort()
      const line = [
        'serve-mock',
        '--port',
        String(port),
        ...words(cwd),
        '--exec',
        '--',
        ...executable,
        ...order,
      ]
      const first = await orderctl(line, { cwd, env })
      const second = await orderctl(line, { cwd, env })
      return { exits: [first.exit, second.exit], stderr: second.stderr }
    }

    test('is new for each run, so a fixed port and a fixed reference work again', async () => {
      expect((await buyTwice(() => [])).exits).toEqual([0, 0])
    })

    test('is kept with --state, because the service knows the orders too', async () => {
      const { exits, stderr } = await buyTwice((cwd) => ['--state', path.join(cwd, 'shop.db')])
      expect({ exits, stderr }).toMatchObject({ exits: [0, 11], stderr: expect.stringContaining('fixed') })
    })

    test('is in ORDERCTL_STATE_DIR if that is set', async () => {
      const state = folder()
      expect((await buyTwice(() => [], { ORDERCTL_STATE_DIR: state })).exits).toEqual([0, 11])
      expect(readdirSync(state)).toContain('journal.db')
    })

    test('is in a private folder that is removed, whether the command succeeds or not', async () => {
      const temporary = folder()
      const script = `
        const { readdirSync, statSync, writeFileSync } = require('node:fs')
        const state = process.env.ORDERCTL_STATE_DIR
        writeFileSync(state + '/left', '')
        console.log(require('node:path').dirname(state) === process.env.TMPDIR, (statSync(state).mode & 0o777).toString(8))
        process.exitCode = 5`
      const line = ['serve-mock', '--exec', '--', process.execPath, '-e', script]
      const { exit, stdout } = await orderctl(line, { env: { TMPDIR: temporary } })
      expect({ exit, stdout }).toEqual({ exit: 5, stdout: 'true 700\n' })
      const missing = await orderctl(['serve-mock', '--exec', '--', 'no-such-command'], {
        env: { TMPDIR: temporary },
      })
      expect(missing.exit).toBe(127)
      expect(readdirSync(temporary)).toEqual([])
    })

    test('cannot be created in a folder that does not exist', async () => {
      const line = ['serve-mock', '--exec', '--', process.execPath, '-e', '']
      const { exit, stderr } = await orderctl(line, { env: { TMPDIR: '/no/such/folder' } })
      expect({ exit, stderr: stderr.split('\n').slice(1) }).toEqual({
        exit: 9,
        stderr: [
          'error: cannot create a folder in /no/such/folder: no such file or directory',
          'try: Set ORDERCTL_STATE_DIR to a folder for the journal of the command.',
          '',
        ],
      })
    })
  })

  test('answers for a command that a signal ended as a shell does', async () => {
    expect((await exec("process.kill(process.pid, 'SIGTERM')")).exit).toBe(143)
  })

  test('hands a signal on to the command and waits for its end', async () => {
    const script =
      "process.on('SIGTERM', () => process.exit(3)); setInterval(() => {}, 1000); console.log('up')"
    const child = start(['serve-mock', '--exec', '--', process.execPath, '-e', script])
    for await (const line of child.iterable()) if (line === 'up') child.kill('SIGTERM')
    expect((await child).exitCode).toBe(3)
  })

  test.each([
    ['is not there', () => 'no-such-command', 127, 'command not found'],
    ['is not executable', () => notExecutable(), 126, 'not executable'],
  ])('answers for a command that %s as a shell does', async (_why, named, exit, why) => {
    const command = named()
    const words = ['serve-mock', '--exec', '--', command]
    const message = `cannot run ${command}: ${why}`
    const plain = await orderctl(words)
    expect({ ...plain, stderr: plain.stderr.split('\n').slice(-2) }).toEqual({
      exit,
      stdout: '',
      stderr: [`error: ${message}`, ''],
    })
    const json = await orderctl(['serve-mock', '--json', ...words.slice(1)])
    expect(json.exit).toBe(exit)
    expect(JSON.parse(json.stderr.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      error: { code: 'usage', message, field: '--exec', retryable: false },
    })
  })
})

describe('what cannot be', () => {
  const fails = async (words: readonly string[], exit: number, stderr: string, cwd = folder()) =>
    expect(await orderctl(['serve-mock', ...words], { cwd })).toEqual({ exit, stdout: '', stderr })

  test.each([
    ['--port', '99999', '--port is "99999"; allowed: a whole number from 0 to 65535; 0 picks a free one'],
    ['--port', '80x', '--port is "80x"; allowed: a whole number from 0 to 65535; 0 picks a free one'],
    [
      '--processing-time',
      'soon',
      '--processing-time is "soon"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0',
    ],
    [
      '--latency',
      '2s..1s',
      '--latency is "2s..1s"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0, or a range such as 50ms..200ms',
    ],
    ['--rates', 'slow', '--rates is "slow"; allowed: moving or fixed'],
    ['--redeem-shape', 'C', '--redeem-shape is "C"; allowed: A or B'],
    ['--api-key', '', '--api-key is ""; allowed: a non-empty key'],
    ['--fault', 'buy:html', '--fault is "buy:html": unknown operation buy; use create, confirm, get or any'],
    [
      '--webhook-allow',
      'http://x/',
      '--webhook-allow is "http://x/"; allowed: a host name or address, without scheme or port',
    ],
    [
      '--allow-host',
      'mock:4010',
      '--allow-host is "mock:4010"; allowed: a host name or address, without scheme or port',
    ],
    ['--webhook-secret', 'whsec_!', '--webhook-secret is invalid: whsec_ must be followed by base64'],
  ])('is named: %s %j', async (flag, value, message) => {
    await fails([flag, value], 2, `error: ${message}\ntry: orderctl serve-mock --help\n`)
  })

  test('is named all at once, and as one JSON object for a script', async () => {
    const words = ['--port', 'x', '--redeem-shape', 'C', '--exec']
    const violations = [
      '--port is "x"; allowed: a whole number from 0 to 65535; 0 picks a free one',
      '--redeem-shape is "C"; allowed: A or B',
      '--exec needs a command after --',
    ]
    await fails(
      words,
      2,
      `error: 3 flags are invalid\n${violations.map((each) => `  ${each}\n`).join('')}try: orderctl serve-mock --help\n`,
    )
    const { exit, stderr } = await orderctl(['serve-mock', ...words, '--json'])
    expect({ exit, error: JSON.parse(stderr).error }).toEqual({
      exit: 2,
      error: {
        code: 'usage',
        message: '3 flags are invalid',
        fix: 'orderctl serve-mock --help',
        violations,
        retryable: false,
      },
    })
  })

  test('is another address than loopback without a key of its own', () =>
    fails(
      ['--host', '0.0.0.0'],
      2,
      'error: --host 0.0.0.0 can be reached from other machines, so it needs --api-key\ntry: orderctl serve-mock --host 0.0.0.0 --api-key YOUR-KEY\n',
    ))

  test('is a taken port, and the state file is not touched', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const cwd = folder()
    await fails(
      ['--port', String(port), '--state', 'new.db'],
      2,
      `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl serve-mock --port 0\n`,
      cwd,
    )
    expect(() => statSync(path.join(cwd, 'new.db'))).toThrow('ENOENT')
  })

  test('is a state file that is something else, which is left as it was', async () => {
    const cwd = folder()
    writeFileSync(path.join(cwd, 'notes.txt'), 'my notes')
    await fails(
      ['--port', '0', '--state', 'notes.txt'],
      9,
      'error: notes.txt is not a database\ntry: It was left untouched. Name another state file, or move this file away.\n',
      cwd,
    )
    expect(readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('my notes')
  })

  test('is a state file in a folder that does not exist', () =>
    fails(
      ['--port', '0', '--state', 'none/shop.db'],
      9,
      'error: cannot use the state file none/shop.db: no such file or directory\ntry: Name another state file. You must be able to write to its folder, and its disk must have free space.\n',
    ))

  test('is a catalogue that is not there, is no JSON, or is wrong in several places', async () => {
    const cwd = folder()
    const catalogue = (name: string, text: string) => writeFileSync(path.join(cwd, name), text)
    catalogue('broken.json', '{"products": [\n  }')
    catalogue('wrong.json', '{"products": [], "wallets": [{"currency": "usd", "balance": -1}], "rates": []}')
    const run = async (name: string) =>
      (await orderctl(['serve-mock', '--port', '0', '--catalogue', name], { cwd })).stderr
    expect(await run('none.json')).toBe(
      'error: cannot read the catalogue from none.json: no such file or directory\n',
    )
    expect(await run('broken.json')).toBe(
      'error: the catalogue broken.json is not valid JSON: expected a value at line 2, column 3\n',
    )
    expect(await run('wrong.json')).toBe(`error: the catalogue wrong.json is not valid
  products is []; allowed: at least one product
  wallets[0].currency is "usd"; allowed: a currency code such as USD
  wallets[0].balance is -1; allowed: a number from 0 to 100000000000
`)
  })
})

test('stops with exit code 74 once nobody reads its log any more', async () => {
  const served = await serveMock()
  served.child.stdout.destroy()
  // The next line has nowhere to go.
  await callsTo(served).get('x')
  expect((await served.child).exitCode).toBe(74)
})
