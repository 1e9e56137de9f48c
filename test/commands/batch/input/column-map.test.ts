// src/commands/batch/input/column-map.ts
import { expect, test } from 'vitest'
import { parseColumnMap } from '../../../../src/commands/batch/input/column-map.ts'
import { failureOf } from '../../../profiles/failure-of.ts'

test('headers by field', () => {
  expect([...parseColumnMap(['quote=Amount', 'SKU=Article=No', ' producttype = Type '])]).toEqual([
    ['quote', 'Amount'],
    ['sku', 'Article=No'],
    ['productType', 'Type'],
  ])
  expect(parseColumnMap([]).size).toBe(0)
})

test.each<[string[], string]>([
  [['quote'], '--map is "quote"; allowed: FIELD=COLUMN, such as quote=Amount'],
  [['price=Amount'], '--map is "price=Amount"; allowed fields: sku, quote, quantity, productType'],
  [['quote='], `--map is "quote="; the column after '=' is missing`],
  [['quote=A', 'Quote=B'], '--map is "Quote=B", but --map already names a column for quote'],
  [['quote=A', 'sku=A'], `--map is "sku=A", but --map already uses the column 'A'`],
])('%j is refused', async (texts, message) => {
  expect(await failureOf(() => parseColumnMap(texts))).toMatchObject({
    kind: 'usage',
    message,
    details: {
      field: '--map',
      fix: 'Use the form FIELD=COLUMN, such as --map quote=Amount. Fields: sku, quote, quantity, productType.',
    },
  })
})

test('one error names all wrong values', async () => {
  const { message, details } = await failureOf(() => parseColumnMap(['quote', 'a=b', 'sku=ok']))
  expect(message).toBe('2 values of --map are invalid')
  expect(details.violations).toHaveLength(2)
})
