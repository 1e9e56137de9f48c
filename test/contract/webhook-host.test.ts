// The host of a webhook is one text, however its URL is written.
import { expect, test } from 'vitest'
import { findWebhookHost } from '../../src/contract/webhook-host.ts'

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
