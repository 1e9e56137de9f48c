// Which Host headers serve-mock accepts, by --allow-host and --host.
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { exchange } from '../../support/network/raw-socket.ts'
import { serveMock, start } from '../../support/orderctl.ts'

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

describe('a request that is refused because of its Host header', () => {
  const key = 'a-secret-key'
  const refused = (target: string) =>
    `POST ${target} HTTP/1.1\r\nHost: proxy.example\r\nx-api-key: ${key}\r\nContent-Length: 2\r\n\r\n{}`
  const messageFor = (url: string) =>
    `The host proxy.example is not allowed. Use ${url}, or allow this host with --allow-host proxy.example.`

  test('is in the log and in the inspector, without its query and key', async () => {
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
      request: { headers: expect.arrayContaining([['host', 'proxy.example']]) },
      response: { status: 421, body: { text: JSON.stringify({ message: messageFor(url) }) } },
    })
    child.kill('SIGINT')
    const { stdout } = await child
    const [, ...lines] = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line)).slice(0, 2)).toMatchObject(entries)
    expect(stdout).not.toMatch(new RegExp(`Canary|${key}`))
  })

  test('is a line that says how to allow the host', async () => {
    const child = start(['serve-mock', '--port', '0'])
    let text = ''
    const shown = Promise.withResolvers<void>()
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (port !== undefined && !text.includes('POST')) void exchange(Number(port), refused('/order/create'))
      if (text.includes('421')) shown.resolve()
    })
    await shown.promise
    child.kill('SIGINT')
    await child
    expect(text).toMatch(
      /POST {2}\/order\/create {3}421 .* ms {2}The host proxy\.example is not allowed\. .*--allow-host proxy\.example\.\n/,
    )
  })
})
