// src/contract/violations.ts, and the host of a webhook, however its URL is written

import { expect, test } from 'vitest'
import { findWebhookHost, parseWebhookHost } from '../../src/contract/limits.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import { collectViolations } from '../../src/contract/order/order-request.ts'
import { createViolation, formatPath, formatViolation } from '../../src/contract/violations.ts'

test.each<[PropertyKey[], string]>([
  [[], ''],
  [['wallet'], 'wallet'],
  [[0, 'sku'], '[0].sku'],
  [['data', 'products', 'GAME-US', 'sku'], 'data.products.GAME-US.sku'],
  [['products', '__proto__'], 'products.__proto__'],
  [['products', 'a b', 'sku'], 'products["a b"].sku'],
  [['products', 'a"]\u001b'], 'products["a\\"]\\u001b"]'],
  [[''], '[""]'],
])('the path %j is formatted as %s', (path, text) => {
  expect(formatPath(path)).toBe(text)
})

const document = {
  none: null,
  text: 'a\nb',
  amount: decimal('1.10'),
  list: [1, { deep: true }],
  long: 'x'.repeat(100),
  cut: `${'x'.repeat(57)}😀😀`,
}

test.each<[PropertyKey[], string | undefined]>([
  [['text'], '"a\\nb"'],
  [['amount'], '1.1'],
  [['list'], '[1,{"deep":true}]'],
  [['long'], `"${'x'.repeat(58)}…`],
  [['cut'], `"${'x'.repeat(57)}\ufffd…`],
  [['missing'], undefined],
  [['text', 'length'], undefined],
  [['constructor'], undefined],
])('the value at %j is shown as %s', (path, given) => {
  const wanted = { path: formatPath(path), allowed: 'x', ...(given === undefined ? {} : { given }) }
  expect(createViolation(document, path, 'x')).toStrictEqual(wanted)
})

test.each([
  [{ path: 'wallet', allowed: 'a currency code' }, 'wallet is missing; allowed: a currency code'],
  [{ path: 'wallet', given: '5', allowed: 'a currency code' }, 'wallet is 5; allowed: a currency code'],
  [{ path: '', given: '[]', allowed: 'a JSON object' }, 'the document is []; allowed: a JSON object'],
])('the violation %j is one sentence', (violation, text) => {
  expect(formatViolation(violation)).toBe(text)
})

test('a path has one violation: a value of the wrong type also violates its range', () => {
  const issues = ['a number', 'at most 5'].map((message) => ({ path: ['amount'], message }))
  expect(collectViolations(issues, { amount: 'x' })).toEqual([
    { path: 'amount', given: '"x"', allowed: 'a number' },
  ])
})

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
