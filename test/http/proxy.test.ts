// The environment's proxy: a tunnel for https, a forward for http, and none to this machine.
import { expect, test } from 'vitest'
import { createNetwork } from '../../src/client/network.ts'
import { isExcepted } from '../../src/http/dispatcher.ts'
import { brief, openClient, trust } from '../client/open-client.ts'
import { selfSigned } from '../support/network/client-certificate.ts'
import { closedPort, openHttp, openHttps, openProxy } from '../support/network/client-servers.ts'

const apiOf = (baseUrl: string, environment: Record<string, string>) =>
  openClient(baseUrl, { environment, allowHttp: true })

// A resolver may be slow to report an unknown name.

test('https goes through a tunnel, with the login of the proxy', async () => {
  const pair = selfSigned('orders.test')
  trust(pair.cert)
  const seen: object[] = []
  await using server = await openHttps(pair, (req, res) => {
    seen.push({ url: req.url, version: req.httpVersion, login: req.headers['proxy-authorization'] })
    res.writeHead(403).end()
  })
  await using proxy = await openProxy({ to: server.port })
  const api = apiOf('https://orders.test/v1', { https_proxy: `http://me:pass@127.0.0.1:${proxy.port}` })
  expect([brief(await api.confirm('x')), brief(await api.get('x'))]).toEqual(
    Array(2).fill('refused 403 credentials'),
  )
  expect(proxy.asked).toEqual(['CONNECT orders.test:443', 'CONNECT orders.test:443'])
  expect(proxy.logins[0]).toBe(`Basic ${btoa('me:pass')}`)
  expect(seen).toEqual(
    ['/v1/order/confirm', '/v1/order/get?orderId=x'].map((url) => ({
      url,
      version: '1.1',
      login: undefined,
    })),
  )
})

test('http is forwarded', async () => {
  await using server = await openHttp((_req, res) => res.writeHead(403).end())
  await using proxy = await openProxy({ to: server.port })
  // curl accepts it without a scheme, too.
  const api = apiOf('http://orders.test', { HTTP_PROXY: `127.0.0.1:${proxy.port}` })
  expect(brief(await api.confirm('x'))).toBe('refused 403 credentials')
  expect(proxy.asked).toEqual(['PUT http://orders.test/order/confirm'])
})

test('a response of chunks with long extensions ends, too', async () => {
  const pair = selfSigned('orders.test')
  trust(pair.cert)
  const flood: Parameters<typeof openHttp>[0] = (_req, res) => {
    res.socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    res.socket?.write(`1;${'x'.repeat(65_536)}\r\n \r\n`.repeat(80))
  }
  await using tls = await openHttps(pair, flood)
  await using tunnel = await openProxy({ to: tls.port })
  await using forward = await openHttp(flood)
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${tunnel.port}`, HTTP_PROXY: forward.origin }
  for (const scheme of ['https', 'http']) {
    const outcome = await apiOf(`${scheme}://orders.test`, environment).confirm('x')
    expect(outcome).toEqual({ kind: 'unknown', reason: 'the response is larger than 2 MiB' })
  }
})

test('a request that the proxy refuses is not sent', async () => {
  await using proxy = await openProxy({ to: 9, status: 407 })
  const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  const reason = `the proxy refused the connection: HTTP 407 (HTTPS_PROXY is 127.0.0.1:${proxy.port})`
  expect(await apiOf('https://orders.test', environment).confirm('x')).toMatchObject({
    kind: 'not-sent',
    reason,
  })
  expect(proxy.asked).toHaveLength(3)
})

test('a proxy that asks for a login has read what it would forward', async () => {
  await using proxy = await openHttp((_req, res) => res.writeHead(407).end())
  const api = apiOf('http://orders.test', { HTTP_PROXY: proxy.origin })
  const reason = 'the proxy refused the connection: HTTP 407'
  expect(await api.confirm('x')).toEqual({ kind: 'unknown', reason })
})

test('a tunnel to a server with an untrusted certificate is not used', async () => {
  await using server = await openHttps(selfSigned('orders.test'), (_req, res) => res.end())
  await using proxy = await openProxy({ to: server.port })
  const api = apiOf('https://orders.test', { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })
  expect(await api.confirm('x')).toEqual({
    kind: 'not-sent',
    reason: `certificate is self-signed (HTTPS_PROXY is 127.0.0.1:${proxy.port})`,
    advice: expect.stringMatching(/NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA=1/),
  })
})

test('nothing is sent if the proxy is unreachable or closes the tunnel', async () => {
  const port = await closedPort()
  const away = { HTTPS_PROXY: `http://me:secret@127.0.0.1:${port}` }
  expect(await apiOf('https://orders.test', away).confirm('x')).toEqual({
    kind: 'not-sent',
    reason: `connection refused (HTTPS_PROXY is 127.0.0.1:${port})`,
  })
  await using proxy = await openProxy({ to: await closedPort() })
  const cutting = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  expect(await apiOf('https://orders.test', cutting).confirm('x')).toEqual({
    kind: 'not-sent',
    reason: `the proxy closed the connection (HTTPS_PROXY is 127.0.0.1:${proxy.port})`,
  })
})

test('this machine and the hosts in NO_PROXY are reached without the proxy', async () => {
  await using server = await openHttp((_req, res) => res.writeHead(403).end())
  const environment = { HTTP_PROXY: `http://127.0.0.1:${await closedPort()}`, NO_PROXY: 'a.test,*.invalid' }
  expect(brief(await apiOf(server.origin, environment).get('x'))).toBe('refused 403 credentials')
  expect(await apiOf('http://orders.invalid', environment).get('x')).toEqual({
    kind: 'not-sent',
    reason: 'cannot resolve orders.invalid',
  })
})

test('the lower-case variable wins, and a blank one counts as unset', async () => {
  await using server = await openHttp((_req, res) => res.writeHead(403).end())
  await using proxy = await openProxy({ to: server.port })
  const [here, away] = [`http://127.0.0.1:${proxy.port}`, `http://127.0.0.1:${await closedPort()}`]
  const refused = 'refused 403 credentials'
  const lower = apiOf('http://orders.test', { HTTP_PROXY: away, http_proxy: ` ${here} ` })
  expect(brief(await lower.get('x'))).toBe(refused)
  const excepted = { HTTP_PROXY: here, NO_PROXY: 'orders.test', no_proxy: 'other.test' }
  expect(brief(await apiOf('http://orders.test', excepted).get('x'))).toBe(refused)
  expect(proxy.asked).toHaveLength(2)
  // Without a proxy, the address is resolved here.
  const environment = { HTTP_PROXY: here, http_proxy: '  ' }
  const address = `http://127.0.0.1.nip.invalid:${server.port}`
  expect(await apiOf(address, environment).get('x')).toMatchObject({ kind: 'not-sent' })
  expect(proxy.asked).toHaveLength(2)
})

test('http_proxy does not apply to https', async () => {
  const environment = { http_proxy: `http://127.0.0.1:${await closedPort()}` }
  expect(await apiOf('https://orders.invalid', environment).get('x')).toEqual({
    kind: 'not-sent',
    reason: 'cannot resolve orders.invalid',
  })
})

test.each(['gopher://me:canary@proxy', 'http://', 'http://me:canary%@proxy'])(
  'the proxy %s is refused, its password not repeated',
  (proxy) => {
    const environment = { HTTPS_PROXY: proxy }
    expect(() => createNetwork({ baseUrl: 'https://orders.test', environment })).toThrow(
      expect.objectContaining({ kind: 'usage', message: 'HTTPS_PROXY is not a valid proxy address' }),
    )
  },
)

test.each<[string, string, boolean]>([
  ['https://shop.test', '', false],
  ['https://shop.test', 'shop.test', true],
  ['https://shop.test', 'SHOP.test.', true],
  ['https://shop.test.', 'shop.test', true],
  ['https://a.shop.test', 'shop.test', true],
  ['https://ashop.test', 'shop.test', false],
  ['https://shop.test', '.shop.test', true],
  ['https://shop.test', '*.shop.test', false],
  ['https://a.shop.test', '*.shop.test', true],
  ['https://shop.test', 'a.test, shop.test', true],
  ['https://shop.test', 'a.test b.test', false],
  ['https://shop.test', ' * ', true],
  ['https://shop.test', '*:80', false],
  ['http://shop.test', '*:80', true],
  ['https://shop.test', 'shop.test:443', true],
  ['https://shop.test:8443', 'shop.test:443', false],
  ['https://10.0.0.7', '10.0.0.7', true],
  ['https://[2001:db8::1]', '2001:db8::1', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:443', false],
])('%s with NO_PROXY=%j is excepted: %s', (url, exceptions, excepted) => {
  expect(isExcepted(new URL(url), exceptions)).toBe(excepted)
})
