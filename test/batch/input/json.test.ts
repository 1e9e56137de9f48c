// Rows from a JSON array or JSONL: src/batch/input/read-file.ts
import { describe, expect, test } from 'vitest'
import { isAllRun } from '../../support/cases.ts'
import { describeRows, readRows, refusalOf } from './read.ts'

const rowsOf = async (...given: Parameters<typeof readRows>) => describeRows(await readRows(...given))

const invalid = 'the rows are not valid; nothing was sent'
const fix = 'Correct the rows, then run the command again.'
const json = { name: 'orders.json' }
const jsonl = { name: 'orders.jsonl' }

const objects = [
  '{"sku": "A", "quote": 25, "name": "Ann"}',
  '{"name": "Bo", "quote": "12.50", "quantity": 2, "productType": "range", "sku": "B", "cost centre": 17}',
  '{"SKU2": null, "sku": 4711, "quote": 2.5e1, "quantity": null, "productType": ""}',
]
// fuzz.test.ts has JSONL, and standard input.
test.each([
  ['a JSON array', `[${objects.join(',\n')}]`, json],
  ['a JSON array without an ending', ` [${objects.join(',\n')}]`, { name: 'orders' }],
  ['JSONL with CRLF', `\ufeff${objects.join('\r\n')}\r\n`, { name: 'orders.ndjson' }],
])('%s', async (_, content, given) => {
  expect(await rowsOf(content, given)).toEqual([
    'name | cost centre | SKU2',
    '1: A:25x1/fixed | Ann |  | ',
    '2: B:12.5x2/range | Bo | 17 | ',
    '3: 4711:25x1/fixed |  |  | ',
  ])
})

test('a key that is too long is refused', async () => {
  expect(await refusalOf(`[{"${'x'.repeat(2 ** 23)}":1}]`, json)).toEqual([
    'orders.json has a cell with more than 32,767 characters in its header; nothing was sent',
    'Shorten the names of the columns.',
  ])
})

test('empty lines of JSONL count', async () => {
  const content = '\n{"sku": "A", "quote": 1}\n\n{"sku": "B", "quote": 1}\n'
  expect(await rowsOf(content, jsonl)).toEqual(['', '2: A:1x1/fixed', '4: B:1x1/fixed'])
})

test('cells keep the exact value, as text', async () => {
  const content =
    '[{"sku":"A","quote":0.1,"a":12345678901234567890,"b":0.10000000000000000001,"c":true,"d":{"e":[1,null,2.5]},"f":"\\ud800x","__proto__":"g"}]'
  expect(await rowsOf(content, json)).toEqual([
    'a | b | c | d | f | __proto__',
    '1: A:0.1x1/fixed | 12345678901234567890 | 0.10000000000000000001 | true | {"e":[1,null,2.5]} | \ufffdx | g',
  ])
})

test('every violation names its item or line', async () => {
  const rows = [
    '{"sku": true, "quote": [25], "quantity": 0}',
    '"A"',
    '{"sku": "A", "quote": "1,5", "quantity": 1.5}',
    '{"sku": {"id": "A"}, "quote": -1, "": "x"}',
  ]
  const sku = 'allowed: a product identifier, not empty, without control characters'
  const quantity = 'allowed: a whole number from 1 to 500000'
  const violations = (word: string) => [
    `${word} 1: sku is true; ${sku}`,
    `${word} 1: quote is [25]; allowed: a number above 0, such as 25 or 12.50`,
    `${word} 1: quantity is 0; ${quantity}`,
    `${word} 2: the row is "A"; allowed: a JSON object`,
    `${word} 3: quote is "1,5"; allowed: a number above 0, with a dot as the decimal separator, such as 25.00`,
    `${word} 3: quantity is 1.5; ${quantity}`,
    `${word} 4: sku is {"id":"A"}; ${sku}`,
    `${word} 4: quote is -1; allowed: a number above 0, such as 25 or 12.50`,
    `${word} 4: column 4 is "x"; allowed: nothing, because the column has no header`,
  ]
  expect(await refusalOf(`[${rows}]`, json)).toEqual([invalid, ...violations('item'), fix])
  expect(await refusalOf(rows.join('\n'), jsonl)).toEqual([invalid, ...violations('line'), fix])
})

test('broken lines of JSONL are violations', async () => {
  const content =
    '{"sku": "A", "quote": 1}\n{"sku": "A", "quote": 1\n{"sku": "A", "sku": "B"}\nA,25\n{"sku": "A", "quote": 1e99}\n'
  expect(await refusalOf(content, jsonl)).toEqual([
    invalid,
    "line 2: the row is not valid JSON: expected ',' or '}' at the end",
    'line 3: the row contains the key "sku" twice in one object, at column 14',
    'line 4: the row is not valid JSON: expected a value at column 1',
    'line 5: the row contains a number out of range at column 23',
    fix,
  ])
})

const nothing = '; nothing was sent'
const help = 'orderctl batch plan --help'

const deep = `[${'['.repeat(40)}${']'.repeat(40)}]`

test.runIf(isAllRun).each([
  ['a JSON array', `[${'{},'.repeat(100_000)}{}]`, json, 'contains a list of more than 100000 items'],
  [
    'JSONL',
    '{"sku":"A","quote":1}\n'.repeat(100_001),
    jsonl,
    'has too many rows; a batch holds at most 100,000',
  ],
])('rows of %s beyond the limit are refused', async (_what, content, given, expected) => {
  expect((await refusalOf(content, given))[0]).toBe(`${given.name} ${expected}; nothing was sent`)
})

describe('a document that is refused', () => {
  test.each([
    ['[{"sku": "A"', "is not valid JSON: expected ',' or '}' at the end", help],
    [
      '[{"sku":"A","amount":25}]',
      "has no column 'quote'; columns: 'sku', 'amount'",
      'Use --map quote=amount',
    ],
    [
      '[{"sku":"A","quote":25},{"SKU":"A","quote":25}]',
      "has two columns 'sku'",
      'Rename or remove one of them.',
    ],
    [
      '[{},{}]',
      "has no column 'sku' and no column 'quote'; columns: none",
      'Use --map sku=COLUMN --map quote=COLUMN',
    ],
    [deep, 'is nested deeper than 32 levels', help],
  ])('%s', async (content, what, advice) => {
    expect(await refusalOf(content, json)).toEqual([`orders.json ${what}${nothing}`, advice])
  })
})
