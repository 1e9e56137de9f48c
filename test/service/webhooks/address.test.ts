// Which addresses a webhook may reach, and how allowed hosts are written.
import { lookup as systemLookup } from 'node:dns/promises'
import { describe, expect, test } from 'vitest'
import { type Lookup, parseHost, resolveTarget } from '../../../src/service/webhooks/address.ts'

const createLookup =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const failingLookup: Lookup = async (host) => {
  throw new Error(`looked up ${host}`)
}

/** Returns the allowed addresses, or the reason why there are none. */
const resolve = async (url: string, allowed: readonly string[], lookup: Lookup): Promise<string> => {
  const target = await resolveTarget(url, new Set(allowed), lookup)
  if ('refused' in target) return `refused: ${target.refused}`
  if ('unresolved' in target) return `unresolved: ${target.unresolved}`
  return target.addresses.map(({ address, family }) => `${address}/${family}`).join(' ')
}

const refused = (address: string) => `refused: address not allowed: ${address}`
/** --webhook-allow would allow it. */
const closed = (address: string, host = address) =>
  `${refused(address)} (allow it with --webhook-allow ${host})`

describe('without --webhook-allow, the URL', () => {
  test.each([
    ['http://127.0.0.1:3000/hook', '127.0.0.1/4'],
    ['https://127.255.255.254/', '127.255.255.254/4'],
    ...[
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.01',
      '①②⑦.0.0.1',
      '127.0.0.1.',
      '127.0.0.1\\@evil.test',
    ].map((host) => [`http://${host}/`, '127.0.0.1/4']),
    ['http://[::1]:8080/', '::1/6'],
    ['http://[0:0:0:0:0:0:0:1]/', '::1/6'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1/6'],
    ...['126.255.255.255', '128.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1'].map((host) => [
      `http://${host}/`,
      closed(host),
    ]),
    ...['8.8.8.8', '0.0.0.0', '255.255.255.255', '224.0.0.1'].map((host) => [
      `http://${host}/`,
      closed(host),
    ]),
    ...['::', '::2', '2002:7f00:1::', 'fd00::1', 'ff02::1'].map((host) => [
      `http://[${host}]/`,
      closed(host),
    ]),
    ['http://169.254.169.254/', refused('169.254.169.254')],
    ['http://[fe80::1]/', refused('fe80::1')],
    ['http://2852039166/', refused('169.254.169.254')],
    ['http://0xa9.0xfe.0xa9.0xfe/', refused('169.254.169.254')],
    ['http://0/', closed('0.0.0.0')],
    ['http://[::ffff:169.254.169.254]/', refused('::ffff:a9fe:a9fe')],
    ['http://[::127.0.0.1]/', closed('::7f00:1')],
    ['http://[64:ff9b::127.0.0.1]/', closed('64:ff9b::7f00:1')],
    ['http://[::ffff:8.8.8.8]/', closed('::ffff:808:808')],
    ['ftp://127.0.0.1/', 'refused: scheme not allowed: ftp'],
    ['file:///etc/passwd', 'refused: scheme not allowed: file'],
    ['javascript:alert(1)', 'refused: scheme not allowed: javascript'],
    ...['user:pass', 'user', ':pass'].map((login) => [
      `http://${login}@127.0.0.1/`,
      'refused: credentials in the URL not allowed',
    ]),
    ...['http://256.1.1.1/', '/hook', ''].map((url) => [url, 'refused: not a valid URL']),
  ])('%s gives %s', async (url = '', expected = '') =>
    expect(await resolve(url, [], failingLookup)).toBe(expected),
  )
})

describe('without --webhook-allow, a name with the addresses', () => {
  test.each([
    [['127.0.0.1'], '127.0.0.1/4'],
    [['::1', '127.0.0.1'], '::1/6 127.0.0.1/4'],
    [['::ffff:127.0.0.1'], '::ffff:127.0.0.1/6'],
    [['127.0.0.1', '10.0.0.1'], closed('10.0.0.1', 'hooks.test')],
    [['::1', '2001:db8::1'], closed('2001:db8::1', 'hooks.test')],
    [['::ffff:10.0.0.1'], closed('::ffff:10.0.0.1', 'hooks.test')],
    [['169.254.169.254', '10.0.0.1'], refused('169.254.169.254')],
    [['not an address'], refused('not an address')],
    [[], 'refused: host not found'],
  ])('%j gives %s', async (addresses, expected) => {
    expect(await resolve('http://hooks.test/', [], createLookup(...addresses))).toBe(expected)
  })
})

describe('with --webhook-allow', () => {
  test.each([
    ['http://hooks.test/', 'hooks.test', '10.0.0.1', '10.0.0.1/4'],
    ['https://HOOKS.test./', 'hooks.test', '93.184.216.34', '93.184.216.34/4'],
    ['http://bücher.test/', 'xn--bcher-kva.test', '10.0.0.1', '10.0.0.1/4'],
    ['http://hooks.test/', 'hooks.test', 'fd00::1', 'fd00::1/6'],
    ['http://sub.hooks.test/', 'hooks.test', '10.0.0.1', closed('10.0.0.1', 'sub.hooks.test')],
    ['http://hooks.test.evil/', 'hooks.test', '10.0.0.1', closed('10.0.0.1', 'hooks.test.evil')],
    ['ftp://hooks.test/', 'hooks.test', '10.0.0.1', 'refused: scheme not allowed: ftp'],
    ['http://192.168.1.1/', '192.168.1.1', '', '192.168.1.1/4'],
    ['http://192.168.1.2/', '192.168.1.1', '', closed('192.168.1.2')],
    ['http://[fd00::0001]/', 'fd00::1', '', 'fd00::1/6'],
    ['http://0.0.0.0/', '0.0.0.0', '', '0.0.0.0/4'],
    ['http://169.254.169.254/', '169.254.169.254', '', refused('169.254.169.254')],
    ['http://[fe80::1]/', 'fe80::1', '', refused('fe80::1')],
  ])(
    'the URL %s with the allowed host %s and the address %j gives %s',
    async (url, host, address, expected) => {
      expect(await resolve(url, [host], createLookup(address))).toBe(expected)
    },
  )

  test('a name may have private addresses, but none that is local, of metadata or multicast', async () => {
    const resolveTo = (...addresses: string[]) =>
      resolve('http://hooks.test/', ['hooks.test'], createLookup(...addresses))
    expect(await resolveTo('93.184.216.34', '2606:2800::1')).toBe('93.184.216.34/4 2606:2800::1/6')
    for (const address of [
      ...['169.254.169.254', '169.254.0.1', '100.100.100.200', '0.0.0.0', '239.1.1.1', '255.255.255.255'],
      ...['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '::a9fe:a9fe', 'fe80::1%eth0'],
      ...['febf::1', 'fd00:ec2::254', '::', '::ffff:0.0.0.0', 'ff02::1'],
    ]) {
      expect(await resolveTo(address)).toBe(refused(address))
      expect(await resolveTo('10.0.0.1', address)).toBe(refused(address))
    }
  })
})

describe('a name', () => {
  test('that does not exist is not retried, unlike a failed lookup', async () => {
    const lookup: Lookup = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }))
    expect(await resolve('http://gone.test/', [], lookup)).toBe('refused: host not found')
    expect(await resolve('http://gone.test/', [], failingLookup)).toBe('unresolved: host lookup failed')
  })

  test('is looked up once, without its trailing dot', async () => {
    const hosts: string[] = []
    const lookup: Lookup = async (host) => {
      hosts.push(host)
      return [{ address: '127.0.0.1', family: 4 }]
    }
    await resolveTarget('http://Hooks.TEST.:81/', new Set(), lookup)
    expect(hosts).toEqual(['hooks.test'])
  })

  test('of this machine is resolved by the system', async () => {
    expect(await resolve('http://localhost:1/', [], systemLookup)).toMatch(/127\.0\.0\.1\/4|::1\/6/)
  })
})

test.each<[string, string?]>([
  ['Hooks.Example', 'hooks.example'],
  ['hooks.example.', 'hooks.example'],
  ['bücher.test', 'xn--bcher-kva.test'],
  ['10.1', '10.0.0.1'],
  ['[FD00::0001]', 'fd00::1'],
  ['FD00::0001', 'fd00::1'],
  ...['', '.', 'hooks.example:8080', 'http://hooks.example', 'hooks.example/path'].map((text): [string] => [
    text,
  ]),
  ...['user@hooks.example', '*.example', 'two hosts', '256.1.1.1', '[fd00::1]:80'].map((text): [string] => [
    text,
  ]),
])('the value %j of --webhook-allow is read as %j', (text, expected) =>
  expect(parseHost(text)).toBe(expected),
)
