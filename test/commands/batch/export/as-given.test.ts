// batch export writes CSV as the input was written: its separator, byte order mark, line ends and cells.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../../../support/world.ts'

const flags = ['--wallet', 'USD', '--max-total', '500', '-q']

const exportFrom = async (input: string | Buffer, name = 'rows.csv') => {
  const shop = await openWorld()
  const [file, codes] = [name, 'codes.csv'].map((each) => path.join(shop.home, each)) as [string, string]
  writeFileSync(file, input)
  await shop.must('batch', 'run', file, '--name', 'gifts', ...flags)
  await shop.must('batch', 'export', 'gifts', codes)
  return readFileSync(codes, 'utf8')
}

const added = [
  'order_id',
  'reference',
  'state',
  'error',
  'redeem_with',
  'code',
  'pin',
  'serial',
  'link',
  'expires',
]
const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell}"`).join(';')

test('keeps semicolons, the mark, line feeds, 25.00, empty fields and phone numbers', async () => {
  const text = await exportFrom('\uFEFFtel;sku;quote;quantity\n+49 30 1;GAME-US;25.00;\n-5,00;GAME-US;25;2\n')
  const lines = text.split('\n')
  expect(lines[0]).toBe(`\uFEFF${quoted(['tel', 'sku', 'quote', 'quantity', ...added])}`)
  expect(lines.slice(1).map((line) => line.split(';').slice(0, 4).join(';'))).toEqual([
    quoted(['+49 30 1', 'GAME-US', '25.00', '']),
    quoted(['-5,00', 'GAME-US', '25', '2']),
    quoted(['-5,00', 'GAME-US', '25', '2']),
    '',
  ])
})

test('keeps decimal commas, also without a mark', async () => {
  const text = await exportFrom('sku;quote;quantity\nCOFFEE-US;12,50;1\nGAME-US;25,00;1\n')
  const cells = text.split('\n').map((line) => line.split(';').slice(0, 3).join(';'))
  expect(cells.slice(1, 3)).toEqual([quoted(['COFFEE-US', '12,50', '1']), quoted(['GAME-US', '25,00', '1'])])
})

test('keeps tabs, CRLF and no mark', async () => {
  const text = await exportFrom('sku\tquote\r\nGAME-US\t25\r\n')
  expect(text).toMatch(/^"sku"\t"quote"\t"order_id"\t.*\r\n"GAME-US"\t"25"\t.*\r\n$/)
})

test.each([
  ['with a mark', true, 'utf16le'],
  ['without a mark', false, 'utf16le'],
  ['big-endian with a mark', true, 'utf16be'],
  ['big-endian without a mark', false, 'utf16be'],
])("reads UTF-16, which Excel writes as 'Unicode Text', %s", async (_title, hasMark, encoding) => {
  const bytes = Buffer.from(`${hasMark ? '\uFEFF' : ''}sku\tquote\tname\r\nGAME-US\t25\tZoë\r\n`, 'utf16le')
  const text = await exportFrom(encoding === 'utf16be' ? bytes.swap16() : bytes, 'rows.txt')
  expect(text.startsWith('\uFEFF')).toBe(hasMark)
  expect(text).toContain('"GAME-US"\t"25"\t"Zoë"\t')
})

test('JSONL has the values as numbers', async () => {
  const shop = await openWorld()
  const [file, codes] = ['rows.csv', 'codes.jsonl'].map((each) => path.join(shop.home, each)) as [
    string,
    string,
  ]
  writeFileSync(file, 'sku,quote\nGAME-US,25.00\n')
  await shop.must('batch', 'run', file, '--name', 'gifts', ...flags)
  await shop.must('batch', 'export', 'gifts', codes)
  expect(JSON.parse(readFileSync(codes, 'utf8'))).toMatchObject({ sku: 'GAME-US', quote: 25 })
})
