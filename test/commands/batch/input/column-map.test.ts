// The values of --map
import { expect, test } from 'vitest'
import { parseMapping } from '../../../../src/commands/batch/input/columns.ts'
import { createColumnMap } from '../../../../src/commands/batch/read-plan.ts'
import { failureOf } from '../../../profiles/failure-of.ts'

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
  expect([...createColumnMap('batch plan', mappings)]).toEqual([
    ['quote', 'Amount'],
    ['sku', 'Article=No'],
    ['productType', 'Type'],
  ])
  expect(createColumnMap('batch plan', []).size).toBe(0)
})

test.each([
  ['quote', '--map is "quote"; allowed: FIELD=COLUMN, such as quote=Amount'],
  ['price=Amount', '--map is "price=Amount"; allowed fields: sku, quote, quantity, productType'],
  ['quote=', `--map is "quote="; the column after '=' is missing`],
])('%j is refused', (text, said) => {
  expect(parse([text])).toEqual({ mappings: [], problems: [said] })
})

test.each<[string[], string]>([
  [['quote=A', 'Quote=B'], '--map is "Quote=B", but --map already names a column for quote'],
  [['quote=A', 'sku=A'], `--map is "sku=A", but --map already uses the column 'A'`],
])('%j contradict each other', async (texts, message) => {
  expect(await failureOf(() => createColumnMap('batch plan', parse(texts).mappings))).toMatchObject({
    kind: 'usage',
    message,
    details: { field: '--map', fix: 'orderctl batch plan --help' },
  })
})

test('one error names all contradictions', async () => {
  const { mappings } = parse(['quote=A', 'quote=B', 'sku=A'])
  const { message, details } = await failureOf(() => createColumnMap('batch plan', mappings))
  expect(message).toBe('2 flags are invalid')
  expect(details.violations).toHaveLength(2)
})
