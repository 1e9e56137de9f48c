// Plain http stays on this machine: the address of the connection decides, not the host name.
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import type { NetworkOptions } from '../../src/client/network.ts'
import { brief, openClient as open, trust } from '../client/open-client.ts'
import { request } from '../support/client-api.ts'
import { selfSigned } from '../support/network/client-certificate.ts'
import { openCounter, openHttp, openHttps } from '../support/network/client-servers.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Addresses of this machine that other machines can reach, too. */
const others = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
  .map(({ address }) => address)

/** Resolves every name to one address. */
const leadingTo =
  (address: string): NetworkOptions['lookup'] =>
  (_name, { all }, done) => {
    const family = isIPv6(address) ? 6 : 4
    return all ? done(null, [{ address, family }]) : done(null, address, family)
  }

const order = request(['GAME-US'])
const refused = 'refused 403 credentials'

test.skipIf(others.length === 0).each(['x.localhost', 'localhost', 'localhost.'])(
  'if %s leads to a different address, not a byte is written to it',
  async (name) => {
    for (const address of others) {
      await using server = await openCounter(address)
      const api = open(`http://${name}:${server.port}`, { lookup: leadingTo(address) })
      const reason = `${name} resolves to ${address}, not to this machine: plain http needs --allow-http`
      const notSent = { kind: 'not-sent', reason }
      expect([await api.create(order), await api.confirm('x'), await api.get('x')]).toEqual(
        Array(3).fill(notSent),
      )
      // Each call is tried three times.
      await waitUntil(() => server.bytes.length === 9)
      expect(server.bytes).toEqual(Array(9).fill(0))
    }
  },
)

const refuse = (address?: string) => openHttp((_req, res) => res.writeHead(403).end(), address)

/** Compares that create and get reach the server. */
const reach = async (url: string, options: Parameters<typeof open>[1] = {}) => {
  const api = open(url, options)
  expect([brief(await api.create(order)), brief(await api.get('x'))]).toEqual([refused, refused])
}

test.skipIf(others.length === 0)('with --allow-http, the name may resolve to any address', async () => {
  for (const address of others) {
    await using server = await refuse(address)
    for (const name of ['x.localhost', 'orders.test'])
      await reach(`http://${name}:${server.port}`, { lookup: leadingTo(address), allowHttp: true })
  }
})

test.skipIf(others.length === 0)(
  'with https, any address will do, as the certificate is checked',
  async () => {
    const pair = selfSigned('x.localhost')
    trust(pair.cert)
    const [address = ''] = others
    await using server = await openHttps(pair, (_req, res) => res.writeHead(403).end(), address)
    await reach(`https://x.localhost:${server.port}`, { lookup: leadingTo(address) })
  },
)

test.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:127.9.9.9]'])(
  'plain http reaches this machine at %s',
  async (host) => {
    await using server = await refuse('::')
    await reach(`http://${host}:${server.port}`)
  },
)

test.each(['127.0.0.1', '127.8.8.8', '::1'])('plain http reaches x.localhost at %s', async (address) => {
  await using server = await refuse('::')
  await reach(`http://x.localhost:${server.port}`, { lookup: leadingTo(address) })
})
