// The host of a webhook is one text, however its URL is written.
import { expect, test } from 'vitest'
import { findWebhookHost, parseWebhookHost } from '../../src/contract/limits.ts'

test.each([
  ['https://hooks.example.org/x?token=t', 'hooks.example.org'],
  ['HTTPS://Hooks.EXAMPLE.org.:443', 'hooks.example.org'],
  ['https://hooks.example.org:8443/', 'hooks.example.org:8443'],
  ['http://hooks.example.org:80/', 'hooks.example.org'],
  ['https://hooks.example.org:pw@evil.example/@hooks.example.org', 'evil.example'],
  ['https://hooks.example.org\\@evil.example/', 'hooks.example.org'],
  ['https://h\u043eoks.example/', 'xn--hoks-55d.example'],
  ['https://0x7f.1/', '127.0.0.1'],
  ['https://[0:0::1]:9/', '[::1]:9'],
  [undefined, undefined],
])('%s: %s', (url, host) => {
  expect(findWebhookHost(url)).toBe(host)
})

test.each([
  ['Hooks.example.org.', 'hooks.example.org'],
  ['hooks.example.org:443', 'hooks.example.org'],
  ['hooks.example.org:8443', 'hooks.example.org:8443'],
  ['[::1]:9', '[::1]:9'],
])('%s is the host %s', (text, host) => {
  expect(parseWebhookHost(text)).toBe(host)
})

test.each(['', ':9', 'a b', 'https://a.example', 'a.example/x', 'x@a.example', 'a?b', 'a:99999'])(
  '"%s" is not only a host',
  (text) => {
    expect(parseWebhookHost(text)).toBeUndefined()
  },
)
