// src/batch/identify.ts
import { expect, test } from 'vitest'
import { identifyBatch, identifyDemand, isPlanId } from '../../src/batch/identify.ts'
import type { BatchRows } from '../../src/operations/batch-limits.ts'
import { rowsOf } from './batch-rows.ts'

const shop = { address: 'shop.example' }
const batchOf = (rows: BatchRows, account = shop, wallet = 'USD') => identifyBatch(rows, account, wallet)
const demandOf = (rows: BatchRows, account = shop, wallet = 'USD') => identifyDemand(rows, account, wallet)

const rowTexts = ['GAME-US:25x2 Ann ann@example.com', 'COFFEE-US:10/range Bo bo@example.com']
const base = rowsOf('name email', ...rowTexts)
/** The rows with a part of their text replaced. */
const replaced = (part: string, by: string): BatchRows =>
  rowsOf('name email', ...rowTexts.map((text) => text.replace(part, by)))

// Journals hold these ids: a change would make every saved batch a different one.
test('the ids of a batch do not change between versions', () => {
  expect({ batch: batchOf(base), demand: demandOf(base) }).toMatchInlineSnapshot(`
    {
      "batch": "bat_qhy7h21nb187js6zy0mhvzhmyk0ternk",
      "demand": "dem_bm3p3369fm3xcnchxan28ctsht844c27",
    }
  `)
})

test('columns in a different order or without values, line numbers and notations do not matter', () => {
  for (const same of [
    rowsOf('email name', 'GAME-US:25x2 ann@example.com Ann', 'COFFEE-US:10/range bo@example.com Bo'),
    rowsOf('name note email', 'GAME-US:25x2 Ann  ann@example.com', 'COFFEE-US:10/range Bo  bo@example.com'),
    { ...base, rows: base.rows.map((row) => ({ ...row, line: row.line * 2 })) },
    replaced(':25x', ':25.0x'),
  ])
    expect(batchOf(same)).toBe(batchOf(base))
})

test.each<[string, BatchRows]>([
  ['a different quantity', replaced('x2', 'x3')],
  ['a different quote', replaced(':25', ':26')],
  ['a different type', replaced('/range', '')],
  ['a different SKU', replaced('GAME-US', 'GAME-UK')],
  ['a different cell', replaced('Ann ', 'Anna ')],
  ['swapped cells', replaced('Ann ann@example.com', 'ann@example.com Ann')],
  ['a different name of a column', rowsOf('who email', ...rowTexts)],
  ['a different order of the rows', { ...base, rows: base.rows.toReversed() }],
  ['a row more', { ...base, rows: [...base.rows, ...base.rows.slice(1)] }],
  ['a row less', { ...base, rows: base.rows.slice(1) }],
])('%s: another batch', (_, rows) => {
  expect(batchOf(rows)).not.toBe(batchOf(base))
})

test('a different account or wallet: a different batch and demand', () => {
  const named = { address: 'shop.example', name: 'other' }
  for (const idOf of [batchOf, demandOf]) {
    const others = [idOf(base, { address: 'other.example' }), idOf(base, named), idOf(base, shop, 'EUR')]
    expect(new Set([idOf(base), ...others]).size).toBe(4)
  }
  expect(isPlanId(batchOf(base))).toBe(true)
  expect(demandOf(base)).toMatch(/^dem_[\da-hjkmnp-tv-z]{32}$/)
})

test('the demand counts the cards of each product, whatever the other columns contain', () => {
  const flags = rowsOf('', 'COFFEE-US:10.00/range', 'GAME-US:25', 'GAME-US:25.0')
  expect(demandOf(flags)).toBe(demandOf(base))
  for (const other of ['GAME-US:25', 'GAME-US:50', 'GAME-US:25/range']) {
    expect(demandOf(rowsOf('', 'COFFEE-US:10/range', 'GAME-US:25', other, 'GAME-US:25'))).not.toBe(
      demandOf(base),
    )
  }
})
