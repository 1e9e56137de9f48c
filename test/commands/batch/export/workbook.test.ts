// batch export FILE.xlsx: src/commands/batch/export/workbook.ts
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openWorkbook } from '../../../../src/commands/batch/input/workbook/read-workbook.ts'
import { isDecimal } from '../../../../src/contract/money/decimal.ts'
import { openWorld } from '../../../support/world.ts'
import { openBuyer } from './buyer.ts'

/** A number is written as #12.5. */
const cellsOf = async (bytes: Uint8Array): Promise<string[][]> => {
  const rows: string[][] = []
  const addRow = (values: readonly unknown[]): void =>
    void rows.push(values.map((value) => (isDecimal(value) ? `#${value.toFixed()}` : String(value ?? ''))))
  const { parse } = openWorkbook(bytes, undefined, (problem) => {
    throw new Error(problem)
  })
  await parse(
    { setHeaders: addRow, addRow: (_line, values) => addRow(values as unknown[]) },
    new AbortController().signal,
  )
  return rows
}

test('has numbers only for the quote and the quantity; codes, formulas and leading zeros are text', async () => {
  const buyer = await openBuyer({
    columns: ['name', 'cost centre'],
    rows: [{ sku: 'GAME-US', quote: '25', quantity: 2, cells: ['=1+1', '007'] }],
  })
  await buyer.start()
  await buyer.buy(1)
  buyer.settle()
  const [row = {}] = await buyer.exported('codes.csv')
  expect((await buyer.exports('codes.xlsx')).stderr).toMatch(/^Wrote 2 cards with codes to .*codes\.xlsx/)
  const rows = await cellsOf(readFileSync(buyer.pathOf('codes.xlsx')))
  expect(rows[0]).toEqual(Object.keys(row))
  expect(rows[1]?.slice(0, 5)).toEqual(['GAME-US', '#25', '#2', '=1+1', '007'])
  expect(rows[1]?.slice(5, 14)).toEqual(Object.values(row).slice(5, 14))
  expect(rows).toHaveLength(3)
})

test('from a CSV file with decimal commas has numbers', async () => {
  const shop = await openWorld()
  const file = shop.file('sku;quote;quantity\nCOFFEE-US;12,50;\n', 'gifts.csv')
  await shop.must('batch', 'run', file, '--wallet', 'USD', '--max-total', '50', '-q')
  const codes = path.join(shop.home, 'codes.xlsx')
  await shop.must('batch', 'export', 'gifts', codes)
  expect((await cellsOf(readFileSync(codes)))[1]?.slice(0, 3)).toEqual(['COFFEE-US', '#12.5', '#1'])
  const read = await shop.run(['batch', 'plan', codes, '--wallet', 'USD', '--name', 'again'])
  expect(read.stderr).toContain('is an export of a batch, which contains codes')
})
