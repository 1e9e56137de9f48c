// The check of the Host header, and the base URL that passes it.
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { createHostCheck, isLoopback } from '../../src/server/http-server.ts'

const loopback = { host: '127.0.0.1', address: '127.0.0.1' }
const anyAddress = { host: '0.0.0.0', address: '0.0.0.0' }
const named = { host: 'Mock.lan', address: '192.0.2.7' }

const findAccepted = (
  bound: typeof loopback,
  headers: readonly (string | undefined)[],
  allowed: readonly string[] = [],
) => headers.filter(createHostCheck(bound, allowed))

test('a listener on loopback accepts the names and addresses of loopback, with any port', () => {
  const named = ['127.0.0.1:4010', 'localhost:4010', 'LocalHost:4010', '[::1]:4010', '127.9.9.9:4010']
  const mapped = ['localhost', '127.0.0.1', '[::1]', 'localhost:8080', '127.0.0.1:1', '[::1]:65535']
  expect(findAccepted(loopback, [...named, ...mapped])).toEqual([...named, ...mapped])
})

const foreign = [
  undefined,
  ...['', ':4010', 'localhost:', 'localhost:4010 ', 'localhost:http', 'localhost:123456'],
  ...['evil.example', 'evil.example:4010', '127.0.0.1.evil.example:4010', '127.evil.example:4010'],
  ...['localhost.evil.example:4010', 'localhost.:4010', 'x@localhost:4010', 'localhost:4010@evil.example'],
  ...['localhost:4010, evil.example', 'localhost/evil.example'],
  ...['127.1:4010', '2130706433:4010', '0x7f.0.0.1:4010', '127.0.0.256:4010', '127.0.0.1.:4010'],
  ...['[::1', '::1:4010', '[evil.example]:4010', '[127.0.0.1]:4010', '[]:4010', '[::1]x:4010', '__proto__'],
]

test('a listener on loopback accepts no other host', () => {
  const others = ['192.0.2.7:4010', '0.0.0.0:4010', '[2001:db8::1]:4010', `${hostname()}:4010`]
  expect(findAccepted(loopback, [...foreign, ...others])).toEqual([])
})

test('a listener on a different address accepts every address', () => {
  const ours = ['127.0.0.1:4010', '192.0.2.7:8080', '[2001:db8::1]:4010', '[::1]', 'localhost:4010']
  expect(findAccepted(anyAddress, ours)).toEqual(ours)
  expect(findAccepted(anyAddress, foreign)).toEqual([])
})

test.each(['0.0.0.0', '::', '192.0.2.7'])('a listener on %s accepts the names of this machine', (address) => {
  const full = hostname()
  const ours = [full, full.toUpperCase(), `${full}:8080`, full.replace(/\..*/, '')]
  expect(findAccepted({ host: address, address }, [...ours, `${full}.evil.example`])).toEqual(ours)
})

test('a listener accepts the name that it was started with', () => {
  const ours = ['mock.lan:4010', 'MOCK.LAN:4010', 'mock.lan']
  expect(findAccepted(named, [...ours, 'other.lan:4010'])).toEqual(ours)
})

test('a listener accepts the allowed names and addresses, but no name below or above them', () => {
  const allowed = ['mock', 'shop.test', '192.0.2.7', '2001:db8::1']
  const ours = ['mock:4010', 'Shop.TEST', '192.0.2.7:80', '[2001:db8::1]:80', 'localhost']
  const others = ['a.shop.test', 'test', 'mock.evil.example', 'xmock', '192.0.2.8', '[2001:db8::2]']
  expect(findAccepted(loopback, [...ours, ...others], allowed)).toEqual(ours)
  expect(findAccepted(loopback, foreign, allowed)).toEqual([])
})

test('only loopback addresses count as loopback', () => {
  const loopback = ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1']
  const others = ['127.evil', '0.0.0.0', '::', '10.0.0.1', '']
  expect([...loopback, ...others].filter(isLoopback)).toEqual(loopback)
})
