import { describe, expect, test } from 'vitest'
import { parseBaseUrl } from '../../src/contract/account-id.ts'
import { type Auth, formatAuth, parseAuth } from '../../src/contract/auth.ts'
import { formatViolation } from '../../src/contract/violations.ts'
import { checkProfile, findNameProblem } from '../../src/profiles/store.ts'

/** Rows of several texts with one result. */
const eachOf = <Value>(value: Value, ...texts: readonly string[]) =>
  texts.map((text): [string, Value] => [text, value])

describe('a base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.Example.com:443/v1/', 'https://api.example.com/v1'],
    ['https://api.example.com:8443//', 'https://api.example.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://10.0.0.1', 'https://10.0.0.1'],
    ['http://localhost:4010', 'http://localhost:4010'],
    ['http://localhost.:4010', 'http://localhost.:4010'],
    ['http://shop.localhost', 'http://shop.localhost'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
    ['http://[::ffff:127.0.0.1]', 'http://[::ffff:7f00:1]'],
  ])('%s is %s', (text, baseUrl) => expect(parseBaseUrl(text, false)).toEqual({ baseUrl }))

  const scheme = 'a URL that begins with https:// or http://'
  const account = 'no user name or password'
  const target = 'nothing after ? or #'
  const plain = 'no space, backslash or control character'
  const http = 'https (http only to this machine, or with --allow-http)'
  test.each<[string, readonly string[]]>([
    ...eachOf(
      [scheme],
      '',
      'api.example.com',
      'localhost:4010',
      '//api.example.com',
      'https:api.example.com',
    ),
    ...eachOf([scheme], 'https://', 'https://256.1.1.1', 'https://api example.com', 'ftp://api.example.com'),
    ...eachOf([scheme], 'file:///etc/passwd', 'javascript:alert(1)', ' https://api.example.com'),
    ...eachOf([account], 'https://user@api.example.com', 'https://:pass@api.example.com'),
    ...eachOf(
      [target],
      'https://api.example.com?',
      'https://api.example.com?a=b',
      'https://api.example.com/#',
    ),
    ...eachOf(
      [plain],
      'https://api.example.com/v1 ',
      'https://api.example.com/\n',
      'https://api.ex\tample.com/',
    ),
    ...eachOf([plain], 'https://api.example.com\\@evil.example'),
    ...eachOf([http], 'http://api.example.com', 'http://10.0.0.1', 'http://0.0.0.0', 'http://128.0.0.1'),
    ...eachOf(
      [http],
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://evillocalhost',
    ),
    ...eachOf([http], 'http://[::2]', 'http://[::ffff:10.0.0.1]'),
    ['http://user:pass@api.example.com/ ?q#f', [plain, account, target, http]],
  ])('%j is invalid: %j', (text, problems) => expect(parseBaseUrl(text, false)).toEqual({ problems }))

  test('may be http to any host if http is allowed', () => {
    expect(parseBaseUrl('http://10.0.0.1', true)).toEqual({ baseUrl: 'http://10.0.0.1' })
  })
})

describe('a way to send the key', () => {
  test.each<[string, Auth]>([
    ['bearer', { kind: 'bearer' }],
    ['basic', { kind: 'basic' }],
    ['header:X-Api-Key', { kind: 'header', name: 'X-Api-Key' }],
    ['header:Authorization', { kind: 'header', name: 'Authorization' }],
    ['query:api_key', { kind: 'query', name: 'api_key' }],
  ])('%s is parsed and formatted', (text, auth) => {
    expect(parseAuth(text)).toEqual({ auth })
    expect(formatAuth(auth)).toBe(text)
  })

  const any = 'bearer, basic, header:NAME or query:NAME'
  const header = 'header:NAME with a valid header name'
  const otherHeader = 'header:NAME with a header that requests do not already use'
  const query = 'query:NAME with letters, digits, . _ ~ and -'
  test.each<[string, string]>([
    ...eachOf(any, '', 'Bearer', 'token', 'header', 'query', 'bearer:sk_live_1', '__proto__:x'),
    ...eachOf(header, 'header:', 'header:X Api Key', 'header:X-Api-Key:', 'header:X\r\nEvil', 'header:Ключ'),
    ...eachOf(otherHeader, 'header:Host', 'header:content-length', 'header:Transfer-Encoding'),
    ...eachOf(query, 'query:', 'query:a b', 'query:a&b', 'query:a=b'),
    ['query:orderId', 'query:NAME with a parameter that requests do not already use'],
  ])('%j is none: %s', (text, allowed) => expect(parseAuth(text)).toEqual({ allowed }))
})

describe('a name', () => {
  test.each(['live', 'shop-1', 'a.b_c', '7', 'constructor', 'x'.repeat(64)])('%s is valid', (name) => {
    expect(findNameProblem(name)).toBeUndefined()
  })

  const form = 'up to 64 letters, digits, . _ and -, beginning with a letter or digit'
  const builtIn = (name: string) => `a different name: ${name} is built in`
  test.each<[string, string]>([
    ...eachOf(form, '', '-live', '.live', '__proto__', 'my shop', 'live/eu', '../live', 'live\n', 'läden'),
    ...eachOf(form, 'x'.repeat(65)),
    ...eachOf(builtIn('sandbox'), 'sandbox', 'SandBox'),
    ...eachOf(builtIn('environment'), 'environment'),
  ])('%j is none: %s', (name, allowed) => expect(findNameProblem(name)).toBe(allowed))
})

describe('a typed profile', () => {
  test('becomes a profile', () => {
    const typed = {
      ...{ name: 'live', baseUrl: 'https://api.example.com/', account: 'environment', wallet: 'USD' },
      ...{ auth: 'header:X-Api-Key', credential: { kind: 'command', command: 'op read key' } as const },
    }
    expect(checkProfile(typed)).toEqual({ profile: { ...typed, baseUrl: 'https://api.example.com' } })
  })

  test('is checked completely, and shows nothing that may be a credential', () => {
    const checked = checkProfile({
      name: 'sandbox',
      baseUrl: 'ftp://me:hunter2@shop.example/?key=sk_live_1',
      account: '-eu',
      wallet: 'u',
      auth: 'bearer:sk_live_2',
      credential: { kind: 'key', key: 'sk_live_3' },
    })
    expect('violations' in checked && checked.violations.map(formatViolation)).toEqual([
      'baseUrl is "ftp://…@shop.example/?…"; allowed: a URL that begins with https:// or http://',
      'name is "sandbox"; allowed: a different name: sandbox is built in',
      'auth is "bearer:…"; allowed: bearer, basic, header:NAME or query:NAME',
      'account is "-eu"; allowed: up to 64 letters, digits, . _ and -, beginning with a letter or digit',
      'wallet is "u"; allowed: a currency code of 2 to 12 letters and digits, such as USD',
    ])
  })
})
