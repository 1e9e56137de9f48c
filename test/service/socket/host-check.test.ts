import { describe, expect, test } from 'vitest'
import { createHostCheck, formatOrigin, isLoopback } from '../../../src/service/socket/host-check.ts'

const loopback = { host: '127.0.0.1', address: '127.0.0.1', port: 4010 }
const anyAddress = { host: '0.0.0.0', address: '0.0.0.0', port: 4010 }
const named = { host: 'Mock.lan', address: '192.0.2.7', port: 4010 }

const findAccepted = (bound: typeof loopback, headers: readonly (string | undefined)[]) =>
  headers.filter(createHostCheck(bound))

test('a listener on loopback accepts the names and addresses of loopback with its port', () => {
  const ours = ['127.0.0.1:4010', 'localhost:4010', 'LocalHost:4010', '[::1]:4010', '127.9.9.9:4010']
  expect(findAccepted(loopback, ours)).toEqual(ours)
})

const foreign = [
  undefined,
  ...[
    '',
    ':4010',
    '127.0.0.1',
    'localhost',
    'localhost:',
    'localhost:1',
    'localhost:04010',
    'localhost:4010 ',
  ],
  ...[
    'evil.example:4010',
    '127.0.0.1.evil.example:4010',
    '127.evil.example:4010',
    'localhost.evil.example:4010',
  ],
  ...['localhost.:4010', 'x@localhost:4010', 'localhost:4010@evil.example', 'localhost:4010, evil.example'],
  ...['127.1:4010', '2130706433:4010', '0x7f.0.0.1:4010', '127.0.0.256:4010', '127.0.0.1.:4010'],
  ...['[::1', '::1:4010', '[evil.example]:4010', '[127.0.0.1]:4010', '[]:4010', '[::1]x:4010', '__proto__'],
]

test('a listener on loopback accepts no other host', () => {
  expect(
    findAccepted(loopback, [...foreign, '192.0.2.7:4010', '0.0.0.0:4010', '[2001:db8::1]:4010']),
  ).toEqual([])
})

test('a listener on another address accepts every address', () => {
  const ours = ['127.0.0.1:4010', '192.0.2.7:4010', '[2001:db8::1]:4010', '[::1]:4010', 'localhost:4010']
  expect(findAccepted(anyAddress, ours)).toEqual(ours)
  expect(findAccepted(anyAddress, foreign)).toEqual([])
})

test('a listener accepts the name that it was started with', () => {
  expect(findAccepted(named, ['mock.lan:4010', 'MOCK.LAN:4010', 'mock.lan', 'other.lan:4010'])).toEqual([
    'mock.lan:4010',
    'MOCK.LAN:4010',
  ])
})

test('on port 80 the port may be omitted', () => {
  const headers = ['localhost', 'localhost:80', '127.0.0.1', '127.0.0.2', '[::1]', 'localhost:8']
  expect(findAccepted({ ...loopback, port: 80 }, headers)).toEqual(headers.slice(0, -1))
})

test('only loopback addresses count as loopback', () => {
  const all = [
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '::ffff:127.0.0.1',
    '127.evil',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '',
  ]
  expect(all.filter(isLoopback)).toEqual(['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1'])
})

describe('the base URL', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', 'http://127.0.0.1:4010'],
    ['localhost', '127.0.0.1', 'http://localhost:4010'],
    ['::1', '::1', 'http://[::1]:4010'],
    ['0.0.0.0', '0.0.0.0', 'http://127.0.0.1:4010'],
    ['::', '::', 'http://[::1]:4010'],
    ['Mock.lan', '192.0.2.7', 'http://Mock.lan:4010'],
  ])('for the host %s at %s is %s, and passes the host check', (host, address, origin) => {
    const bound = { host, address, port: 4010 }
    expect(formatOrigin(bound)).toBe(origin)
    expect(createHostCheck(bound)(origin.slice('http://'.length))).toBe(true)
  })
})
