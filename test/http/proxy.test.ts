// The environment's proxy: a tunnel for https, a forward for http, and none to this machine.
import { expect, test } from 'vitest'
import { createNetwork } from '../../src/client/network.ts'
import { isExcepted } from '../../src/http/dispatcher.ts'
import { brief, openClient, trust } from '../client/open-client.ts'
import { selfSigned } from '../support/network/client-certificate.ts'
import { closedPort, openHttp, openHttps, openProxy } from '../support/network/client-servers.ts'
import { rowsOf } from '../support/rows.ts'

const apiOf = (baseUrl: string, environment: Record<string, string>) =>
  openClient(baseUrl, { environment, allowHttp: true })

test('https goes through a tunnel, with the login of the proxy', async () => {
  const pair = selfSigned('orders.test')
  trust(pair.cert)
  const seen: unknown[] = []
  await using server = await openHttps(pair, (req, res) => {
    seen.push([req.url, req.httpVersion, req.headers['proxy-authorization']])
    res.writeHead(403).end()
  })
  await using proxy = await openProxy({ to: server.port })
  const api = apiOf('https://orders.test/v1', { https_proxy: `http://me:pass@127.0.0.1:${proxy.port}` })
  const outcomes = [brief(await api.confirm('x')), brief(await api.get('x'))]
  expect(outcomes).toEqual(Array(2).fill('refused 403 credentials'))
  expect(proxy.asked).toEqual(Array(2).fill('CONNECT orders.test:443'))
  expect(proxy.logins[0]).toBe(`Basic ${btoa('me:pass')}`)
  const urls = ['/v1/order/confirm', '/v1/order/get?orderId=x']
  expect(seen).toEqual(urls.map((url) => [url, '1.1', undefined]))
})

// PROXY leads to a server that responds 403, UNTRUSTED to one with a self-signed certificate, and CUT to none.
// Nobody listens at AWAY. The fault matrix has more faults of proxies. A blank variable counts as unset.
const routes = `
  http://orders.test     | HTTP_PROXY=PROXY                                  | PROXY
  http://orders.test     | HTTP_PROXY=http://AWAY http_proxy=http://PROXY    | PROXY
  http://orders.test     | HTTP_PROXY=PROXY NO_PROXY=orders.test no_proxy=a  | PROXY
  http://SERVER          | HTTP_PROXY=AWAY                                   | no proxy
  http://orders.invalid  | HTTP_PROXY=AWAY NO_PROXY=a.test,*.invalid         | cannot resolve orders.invalid
  http://orders.invalid  | HTTP_PROXY=PROXY http_proxy=                      | cannot resolve orders.invalid
  https://orders.invalid | http_proxy=AWAY                                   | cannot resolve orders.invalid
  https://orders.test    | HTTPS_PROXY=http://me:secret@AWAY                 | connection refused
  https://orders.test    | HTTPS_PROXY=CUT                                   | the proxy closed the connection
  https://orders.test    | HTTPS_PROXY=UNTRUSTED                             | certificate is self-signed`

test.each(rowsOf(routes))('%s with %s: %s', async (url = '', variables = '', wanted = '') => {
  await using server = await openHttp((_req, res) => res.writeHead(403).end())
  await using secure = await openHttps(selfSigned('orders.test'), (_req, res) => res.end())
  await using proxy = await openProxy({ to: server.port })
  await using untrusted = await openProxy({ to: secure.port })
  await using cut = await openProxy({ to: await closedPort() })
  const [PROXY, UNTRUSTED, CUT] = [proxy, untrusted, cut].map(({ port }) => `127.0.0.1:${port}`)
  const places: Record<string, string | undefined> = {
    ...{ PROXY, UNTRUSTED, CUT, SERVER: `127.0.0.1:${server.port}` },
    AWAY: `127.0.0.1:${await closedPort()}`,
  }
  const fill = (text: string) =>
    text.replace(/\b(PROXY|UNTRUSTED|CUT|SERVER|AWAY)\b/g, (name) => places[name] ?? '')
  const environment = Object.fromEntries(
    variables.split(' ').map((each) => {
      const [name = '', value = ''] = each.split(/=(.*)/)
      return [name, value === '' ? '  ' : ` ${fill(value)} `]
    }),
  )
  const outcome = await apiOf(fill(url), environment).confirm('x')
  const named = variables.startsWith('HTTPS')
    ? ` (HTTPS_PROXY is ${fill(/\w+$/.exec(variables)?.[0] ?? '')})`
    : ''
  if (outcome.kind === 'not-sent') expect(outcome.reason).toBe(`${wanted}${named}`)
  else {
    expect(brief(outcome)).toBe('refused 403 credentials')
    const asked = wanted === 'PROXY' ? ['PUT http://orders.test/order/confirm'] : []
    expect(proxy.asked).toEqual(asked)
  }
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

test.each([
  [
    true,
    'https://shop.test',
    'shop.test',
    'SHOP.test.',
    '.shop.test',
    'a.test, shop.test',
    ' * ',
    'shop.test:443',
  ],
  [false, 'https://shop.test', '', '*.shop.test', 'a.test b.test', '*:80'],
  [true, 'https://shop.test.', 'shop.test'],
  [true, 'https://a.shop.test', 'shop.test', '*.shop.test'],
  [false, 'https://ashop.test', 'shop.test'],
  [true, 'http://shop.test', '*:80'],
  [false, 'https://shop.test:8443', 'shop.test:443'],
  [true, 'https://10.0.0.7', '10.0.0.7'],
  [true, 'https://[2001:db8::1]', '2001:db8::1'],
  [true, 'https://[2001:db8::1]:8443', '[2001:db8::1]:8443'],
  [false, 'https://[2001:db8::1]:8443', '[2001:db8::1]:443'],
])('it is %s that %s is excepted by NO_PROXY=%j', (excepted, url, ...exceptions) => {
  for (const each of exceptions)
    expect([each, isExcepted(new URL(String(url)), String(each))]).toEqual([each, excepted])
})
