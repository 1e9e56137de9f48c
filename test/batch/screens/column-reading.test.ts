// What `batch plan` and `batch run` say about the columns: src/batch/screens/batches.ts
import { expect, test } from 'vitest'
import { type ColumnReading, renderReading } from '../../../src/batch/screens/batches.ts'
import { themeFor } from '../../../src/ui/terminal/view.ts'
import { suggest } from '../../support/suggest.ts'

const columns = { sku: 'Artikel', quote: 'Betrag', quantity: undefined, productType: undefined }
const plain = {
  columns,
  hasDecimalCommas: false,
  kept: [],
  empty: { quantity: 0, productType: 0 },
  typesOf: undefined,
  likelyType: undefined,
}

const render = (reading: Partial<ColumnReading>, width = 80): string[] =>
  renderReading(
    { ...plain, ...reading },
    { now: 0, timeZone: 'UTC', width, theme: themeFor({ colour: false }), suggest },
  )
    .trim()
    .split('\n')

test('each column, the defaults, and the other columns', () => {
  expect(render({})).toEqual([
    'Columns',
    'sku          Artikel',
    'quote        Betrag',
    'quantity     no column: 1 card a row',
    'productType  no column: fixed',
  ])
  const all = { ...columns, quantity: 'Anzahl', productType: 'Typ' }
  const found = render({
    columns: all,
    empty: { quantity: 1, productType: 2 },
    typesOf: 'the sandbox',
    likelyType: 'Art',
    kept: ['a', '\u001b[1m'],
  })
  expect(found.slice(3)).toEqual([
    'quantity     Anzahl (1 empty cell: 1 card a row)',
    'productType  Typ (2 empty cells: the type in the sandbox)',
    'others       a, \\u{1b}[1m (kept for the export)',
  ])
})

test('a column that may be the type is suggested if the type would be fixed', () => {
  expect(render({ likelyType: 'Typ' }, 60).slice(4)).toEqual([
    'productType  no column: fixed',
    "             To use 'Typ': --map productType=Typ",
  ])
  expect(render({ likelyType: 'Typ', typesOf: 'the sandbox' }).at(-1)).toBe(
    'productType  no column: the type in the sandbox',
  )
})

test('a long list of columns is cut, and wraps at words', () => {
  const lines = render({ kept: Array.from({ length: 25 }, (_, index) => `Spalte ${index}`) }, 60).slice(5)
  expect(lines.at(-2)).toMatch(/and 5 more$/)
  expect(lines.every((line) => line.length <= 60)).toBe(true)
})
