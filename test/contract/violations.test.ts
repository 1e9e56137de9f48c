// src/contract/violations.ts

import { expect, test } from 'vitest'
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
