// Which Host headers serve-mock accepts, by --allow-host and --host.
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { exchange } from '../../support/network/raw-socket.ts'
import { serveMock } from '../../support/orderctl.ts'

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
