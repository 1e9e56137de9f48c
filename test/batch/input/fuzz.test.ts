// Random input gives rows or a usage error, and nothing else. The same rows in each format have the same id.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { identifyBatch, identifyDemand } from '../../../src/batch/plan.ts'
import { Failure } from '../../../src/errors.ts'
import type { BatchRows } from '../../../src/operations/batch-limits.ts'
import { isAllRun, isFullRun } from '../../support/cases.ts'
import { type Content, readRows } from './read.ts'

const names = fc.constantFrom('o.csv', 'o.jsonl', 'o.json', 'o', '-')

/** Returns the problem with the outcome, if there is one. */
const findProblem = async (content: Content, name: string): Promise<string | undefined> => {
  try {
    const { columns, rows } = await readRows(content, { name })
    if (rows.length === 0) return 'no rows'
    return rows.every(({ cells }) => cells.length === columns.length) ? undefined : 'a cell is missing'
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') return String((error as Error).stack)
    return error.details.violations?.length === 0 ? 'no violation' : undefined
  }
}

const pieces = fc.constantFrom(
  ...'sku quote quantity producttype name A 25 0 1e5 -1 null true \\u0000'.split(' '),
  ...['"', '""', ',', ';', '\t', '\n', '\r\n', '\r', ' ', '\ufeff', '\0', ...'{}[]:'],
  ...['{"sku":"A","quote":25}', '{"sku":', '"quote":', 'sku,quote\n', 'sku;quote;x\n', 'A,25\n'],
  ...['ä', '👍', '\u2028', '__proto__', '"__proto__":1,'],
)

const texts = fc.array(pieces, { maxLength: 25 }).map((all) => all.join(''))

test.each<[string, fc.Arbitrary<Content>]>([
  ['random bytes', fc.uint8Array({ maxLength: 60 })],
  ['random pieces of CSV and JSON', texts],
  ['a header and random rows', texts.map((rows) => `sku,quote,quantity,name\n${rows}`)],
])('%s', async (_what, contents) => {
  const property = fc.asyncProperty(contents, names, async (content, name) => {
    expect(await findProblem(content, name)).toBeUndefined()
  })
  await fc.assert(property, { numRuns: isFullRun ? 10_000 : isAllRun ? 300 : 75 })
})

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(
    ...['', ' ', 'a,b', 'a;b', '"', '""', 'a\nb', 'a\r\nb', '\r', "'=1+1", '\ufeff', '__proto__', '\0'],
  ),
)
const record = fc.record({
  sku: fc.constantFrom('A', 'B b', 'C:c', '__proto__', 'D,"d"', 'ä;'),
  quote: fc.constantFrom('25', '25.0', '2.5e1', '0.10', '12.50'),
  quantity: fc.constantFrom('', '1', '7'),
  productType: fc.constantFrom('', 'fixed', 'range'),
  name: cell,
  'e-mail; "work"': cell,
  ['__proto__']: cell,
})
type Columns = readonly string[]
type Rows = readonly (readonly (readonly [column: string, text: string])[])[]

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

const writeCsv = (columns: Columns, rows: Rows, delimiter: string, lineBreak: string): string =>
  [columns, ...rows.map((entries) => entries.map(([, text]) => text))]
    .map((cells) => cells.map(quoted).join(delimiter) + lineBreak)
    .join('')

const writeObject = (entries: Rows[number]): string =>
  `{${entries.map(([key, text]) => `${JSON.stringify(key)}: ${JSON.stringify(text)}`).join(',')}}`

const idsOf = (rows: BatchRows): string[] => {
  const account = { address: 'sandbox:' }
  return [identifyBatch(rows, account, 'USD'), identifyDemand(rows, account, 'USD')]
}

test('rows written as CSV, JSONL and JSON have the same ids and cells', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 5 }), async (records) => {
      const columns = Object.keys(records[0] ?? {})
      const rows = records.map((each) => Object.entries(each))
      const reversed = rows.map((each) => each.toReversed())
      const objects = rows.map(writeObject)
      const contents: [name: string, content: string][] = [
        ['o.csv', writeCsv(columns, rows, ',', '\n')],
        ['o.csv', `\ufeff${writeCsv(columns, rows, ';', '\r\n')}`],
        ['o.csv', writeCsv(columns.toReversed(), reversed, '\t', '\r')],
        ['o.jsonl', objects.join('\n')],
        ['o.json', `[${objects}]`],
        ['-', `\ufeff[${reversed.map(writeObject)}]`],
      ]
      const read = await Promise.all(contents.map(([name, content]) => readRows(content, { name })))
      const [first] = read
      for (const each of read) {
        expect(idsOf(each)).toEqual(idsOf(first as BatchRows))
        expect(each.rows.map(({ cells }) => [...cells].sort())).toEqual(
          first?.rows.map(({ cells }) => [...cells].sort()),
        )
      }
      expect(first?.rows.map(({ cells }) => cells)).toEqual(
        records.map((each) => columns.slice(4).map((name) => new Map(Object.entries(each)).get(name))),
      )
    }),
    { numRuns: isFullRun ? 3_000 : isAllRun ? 150 : 25 },
  )
})
