// src/contract/violations.ts
import { expect, test } from 'vitest'
import * as z from 'zod'
import { decimal } from '../../src/contract/money/decimal.ts'
import {
  collectViolations,
  createViolation,
  formatPath,
  formatViolation,
} from '../../src/contract/violations.ts'

test.each<[PropertyKey[], string]>([
  [[], ''],
  [['wallet'], 'wallet'],
  [['productList', 2, 'quantity'], 'productList[2].quantity'],
  [[0, 'sku'], '[0].sku'],
  [['data', 'products', 'GAME-US', 'sku'], 'data.products.GAME-US.sku'],
  [['products', '__proto__'], 'products.__proto__'],
  [['products', '1001'], 'products.1001'],
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
  [['none'], 'null'],
  [['text'], '"a\\nb"'],
  [['amount'], '1.1'],
  [['list'], '[1,{"deep":true}]'],
  [['list', 1, 'deep'], 'true'],
  [['long'], `"${'x'.repeat(58)}…`],
  [['cut'], `"${'x'.repeat(57)}\ufffd…`],
  [['missing'], undefined],
  [['none', 'deeper'], undefined],
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

const schema = z.strictObject(
  {
    list: z.array(z.int({ error: 'a whole number' }).max(5, { error: 'at most 5' })),
    code: z
      .string({ error: 'a code' })
      .min(3, { error: 'three letters' })
      .regex(/^[A-Z]*$/, { error: 'capital letters' }),
  },
  { error: 'the fields list, code' },
)

const found = (value: unknown) => {
  const { error } = schema.safeParse(value)
  return error ? collectViolations(error.issues, value) : []
}

test('a valid document has no violations', () => {
  expect(found({ list: [1], code: 'ABC' })).toEqual([])
})

test('each path has one violation, and values above a limit are marked', () => {
  expect(found({ list: [1, 'b', 6], code: 'x', more: 1, evenMore: null })).toStrictEqual([
    { path: 'list[1]', given: '"b"', allowed: 'a whole number' },
    { path: 'list[2]', given: '6', allowed: 'at most 5', isTooBig: true },
    { path: 'code', given: '"x"', allowed: 'three letters' },
    { path: 'more', given: '1', allowed: 'the fields list, code' },
    { path: 'evenMore', given: 'null', allowed: 'the fields list, code' },
  ])
})
