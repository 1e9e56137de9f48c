// batch export writes CSV as the input was written: its byte order mark, tabs and UTF-16. export.session has the rest.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'

const flags = ['--wallet', 'USD', '--max-total', '500', '-q']

const exportFrom = async (input: string | Buffer, name = 'rows.csv') => {
  const shop = await openWorld()
  const [file, codes] = [name, 'codes.csv'].map((each) => path.join(shop.home, each)) as [string, string]
  writeFileSync(file, input)
  await shop.must('batch', 'run', file, '--name', 'gifts', ...flags)
  await shop.must('batch', 'export', 'gifts', codes)
  return readFileSync(codes, 'utf8')
}

test('keeps tabs, CRLF and no mark', async () => {
  const text = await exportFrom('sku\tquote\r\nGAME-US\t25\r\n')
  expect(text).toMatch(/^"sku"\t"quote"\t"order_id"\t.*\r\n"GAME-US"\t"25"\t.*\r\n$/)
})

test("reads UTF-16, which Excel writes as 'Unicode Text'", async () => {
  const bytes = Buffer.from('\uFEFFsku\tquote\tname\r\nGAME-US\t25\tZoë\r\n', 'utf16le')
  const text = await exportFrom(bytes, 'rows.txt')
  expect(text.startsWith('\uFEFF')).toBe(true)
  expect(text).toContain('"GAME-US"\t"25"\t"Zoë"\t')
})
