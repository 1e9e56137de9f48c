// Which hosts a webhook may reach, and how allowed hosts are written.
import { describe, expect, test } from 'vitest'
import { findTarget, parseHost } from '../../../src/service/webhooks/address.ts'

/** The host, and whether the connection must stay on this machine, or why it is refused. */
const find = (url: string, ...allowed: readonly string[]): string => {
  const target = findTarget(url, new Set(allowed))
  if ('refused' in target) return `refused: ${target.refused}`
  return `${target.url.hostname}${target.isLoopbackOnly ? ' on this machine' : ''}`
}

const closed = (host: string) => `refused: host not allowed: ${host} (allow it with --webhook-allow ${host})`

describe('without --webhook-allow, the URL', () => {
  test.each([
    ['http://127.0.0.1:3000/hook', '127.0.0.1 on this machine'],
    ...['127.1', '2130706433', '0x7f000001', '0177.0.0.01', '①②⑦.0.0.1', '127.0.0.1.'].map((host) => [
      `http://${host}/`,
      '127.0.0.1 on this machine',
    ]),
    ['http://127.0.0.1\\@evil.test/', '127.0.0.1 on this machine'],
    ['http://[0:0:0:0:0:0:0:1]/', '[::1] on this machine'],
    ['http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1] on this machine'],
    // Nothing is written if it leads to a different machine.
    ['http://x.LOCALHOST./', 'x.localhost on this machine'],
    ...['126.255.255.255', '10.0.0.1', '8.8.8.8', '0.0.0.0', '169.254.169.254', 'localhost.evil.test'].map(
      (host) => [`http://${host}/`, closed(host)],
    ),
    ['http://2852039166/', closed('169.254.169.254')],
    ...['::', 'fd00::1', 'fe80::1', '::7f00:1', '::ffff:a9fe:a9fe'].map((host) => [
      `http://[${host}]/`,
      closed(host),
    ]),
    ['ftp://127.0.0.1/', 'refused: scheme not allowed: ftp'],
    ...['user:pass', 'user', ':pass'].map((login) => [
      `http://${login}@127.0.0.1/`,
      'refused: credentials in the URL not allowed',
    ]),
    ...['http://256.1.1.1/', '/hook', ''].map((url) => [url, 'refused: not a valid URL']),
  ])('%s gives %s', (url = '', expected = '') => expect(find(url)).toBe(expected))
})

test.each([
  ['http://hooks.test/', 'hooks.test', 'hooks.test'],
  ['https://HOOKS.test./', 'hooks.test', 'hooks.test'],
  ['http://bücher.test/', 'xn--bcher-kva.test', 'xn--bcher-kva.test'],
  ['http://[fd00::0001]/', 'fd00::1', '[fd00::1]'],
  ['http://sub.hooks.test/', 'hooks.test', closed('sub.hooks.test')],
  ['http://hooks.test.evil/', 'hooks.test', closed('hooks.test.evil')],
])('the URL %s with --webhook-allow %s gives %s', (url, allowed, expected) =>
  expect(find(url, allowed)).toBe(expected),
)

test.each<[string, string?]>([
  ['Hooks.Example', 'hooks.example'],
  ['hooks.example.', 'hooks.example'],
  ['bücher.test', 'xn--bcher-kva.test'],
  ['10.1', '10.0.0.1'],
  ['[FD00::0001]', 'fd00::1'],
  ...['', '.', 'hooks.example:8080', 'http://hooks.example', 'hooks.example/path'].map((text): [string] => [
    text,
  ]),
  ...['user@hooks.example', '*.example', 'two hosts', '256.1.1.1', '[fd00::1]:80'].map((text): [string] => [
    text,
  ]),
])('the value %j of --webhook-allow is read as %j', (text, expected) =>
  expect(parseHost(text)).toBe(expected),
)
