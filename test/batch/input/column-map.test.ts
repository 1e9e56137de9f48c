// The values of --map
import { expect, test } from 'vitest'
import { findMapConflicts, parseMapping } from '../../../src/batch/input/columns.ts'

/** The mappings of the values that are valid, and what is wrong with the others. */
const parse = (texts: readonly string[]) => {
  const problems: string[] = []
  const problem = (text: string): undefined => void problems.push(text)
  const mappings = texts
    .map((text) => parseMapping(text, { problem }))
    .filter((mapping) => mapping !== undefined)
  return { mappings, problems }
}

test('headers by field', () => {
  const { mappings, problems } = parse(['quote=Amount', 'SKU=Article=No', ' producttype = Type '])
  expect(problems).toEqual([])
  expect(mappings).toMatchObject([
    { field: 'quote', header: 'Amount' },
    { field: 'sku', header: 'Article=No' },
    { field: 'productType', header: 'Type' },
  ])
  expect(findMapConflicts({ map: mappings, ignore: [] })).toEqual([])
})

test.each([
  ['quote', '--map is "quote"; allowed: FIELD=COLUMN, such as quote=Amount'],
  ['price=Amount', '--map is "price=Amount"; allowed fields: sku, quote, quantity, productType'],
  ['quote=', `--map is "quote="; the column after '=' is missing`],
])('%j is refused', (text, said) => {
  expect(parse([text])).toEqual({ mappings: [], problems: [said] })
})

test.each<[string[], string]>([
  [['quote=A', 'Quote=B'], '--map is "Quote=B", but --map already has a column for quote'],
  [['quote=A', 'sku=A'], `--map is "sku=A", but --map already uses the column 'A'`],
])('%j contradict each other', (texts, text) => {
  expect(findMapConflicts({ map: parse(texts).mappings, ignore: [] })).toEqual([{ text, field: '--map' }])
})
