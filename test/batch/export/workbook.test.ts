// batch export FILE.xlsx: src/ui/cards/workbook.ts
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { openWorkbook } from '../../../src/batch/input/read-workbook.ts'
import { isDecimal } from '../../../src/contract/money/decimal.ts'
import { openWorld } from '../../support/world.ts'

/** A number is written as #12.5. */
const cellsOf = async (bytes: Uint8Array): Promise<string[][]> => {
  const rows: string[][] = []
  const addRow = (values: readonly unknown[] | string): void => {
    if (typeof values === 'string') throw new Error(values)
    rows.push(values.map((value) => (isDecimal(value) ? `#${value.toFixed()}` : String(value ?? ''))))
  }
  const createError = (problem: string) => {
    throw new Error(problem)
  }
  const { parse } = await openWorkbook(bytes, undefined, createError, new AbortController().signal)
  const setHeaders = (headers: readonly string[]) => {
    addRow(headers)
    return { sku: 0, quote: 1, quantity: 2 }
  }
  await parse({ setHeaders, addRow: (_line, values) => addRow(values) })
  return rows
}

/** Buys the rows of a file, and exports them. */
const exportedFrom = async (text: string) => {
  const shop = await openWorld()
  await shop.must('batch', 'run', shop.file(text, 'gifts.csv'), '--wallet', 'USD', '--max-total', '50', '-q')
  const codes = path.join(shop.home, 'codes.xlsx')
  await shop.must('batch', 'export', 'gifts', codes)
  const rows = await cellsOf(readFileSync(codes))
  return { ...shop, codes, rows }
}

test('has numbers only for the quote and the quantity; codes, formulas and leading zeros are text', async () => {
  const { must, home, rows } = await exportedFrom(
    'sku,quote,quantity,name,cost centre\nGAME-US,25,2,=1+1,007\n',
  )
  expect(rows[1]?.slice(0, 5)).toEqual(['GAME-US', '#25', '#2', '=1+1', '007'])
  const file = path.join(home, 'codes.csv')
  await must('batch', 'export', 'gifts', file)
  const [headers, ...lines] = parse(readFileSync(file)) as string[][]
  expect(rows.map((cells) => cells.slice(5))).toEqual([headers, ...lines].map((cells) => cells?.slice(5)))
})

test('from a CSV file with decimal commas has numbers', async () => {
  const { run, codes, rows } = await exportedFrom('sku;quote;quantity\nCOFFEE-US;12,50;\n')
  expect(rows[1]?.slice(0, 3)).toEqual(['COFFEE-US', '#12.5', '#1'])
  const read = await run(['batch', 'plan', codes, '--wallet', 'USD', '--name', 'again'])
  expect(read.stderr).toContain('is an export, which contains codes')
})
