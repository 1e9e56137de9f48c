// src/batch/make-plan.ts
import { expect, test } from 'vitest'
import { compareRows, findEqualLines } from '../../src/batch/make-plan.ts'
import type { BatchRow, BatchRows } from '../../src/operations/batch-limits.ts'
import { rowsOf } from './batch-rows.ts'

const describeRow = (row: BatchRow): string =>
  [`${row.line}: ${row.sku}:${row.quote}x${row.quantity}`, ...row.cells].join(' ')

const differences = (saved: BatchRows, given: BatchRows): string[] => {
  const { added, missing } = compareRows(saved, given)
  return [
    ...added.map((row) => `added ${describeRow(row)}`),
    ...missing.map((row) => `missing ${describeRow(row)}`),
  ]
}

const saved = rowsOf('name', 'A:25 Ann', 'B:25x2 Bo', 'A:25 Cy', 'A:25 Di')

test.each([
  ['equal rows', 'A:25 Ann, B:25x2 Bo, A:25.0 Cy, A:25 Di'],
  ['a changed product', 'A:25 Ann, B:25x3 Bo, A:25 Cy, A:25 Di', 'added 3: B:25x3 Bo, missing 3: B:25x2 Bo'],
  ['a changed cell', 'A:25 Anna, B:25x2 Bo, A:25 Cy, A:25 Di', 'added 2: A:25x1 Anna, missing 2: A:25x1 Ann'],
  ['a missing row', 'B:25x2 Bo, A:25 Cy, A:25 Di', 'missing 2: A:25x1 Ann'],
  [
    'an added row before a changed one',
    'C:5 New, A:25 Ann, B:25x3 Bo, A:25 Cy, A:25 Di',
    'added 2: C:5x1 New, added 4: B:25x3 Bo, missing 3: B:25x2 Bo',
  ],
  [
    'all of it',
    'A:50 Di, B:25x2 Bo, A:25 Cy, C:5 Ed, C:5 Flo',
    'added 2: A:50x1 Di, added 5: C:5x1 Ed, added 6: C:5x1 Flo, missing 2: A:25x1 Ann, missing 5: A:25x1 Di',
  ],
])('%s', (_, given, expected = '') => {
  expect(differences(saved, rowsOf('name', ...given.split(', '))).join(', ')).toEqual(expected)
})

test('rows in a different order, and columns in a different order or without values, do not differ', () => {
  const none = { columns: { missing: [], added: [] }, added: [], missing: [] }
  const given = { ...saved, rows: saved.rows.toReversed() }
  expect(compareRows(saved, given)).toEqual({ ...none, isReordered: true })
  expect(compareRows(saved, saved).isReordered).toBe(false)
  const one = rowsOf('name note email', 'A:25 Ann  ann@example.com')
  const other = rowsOf('email name', 'A:25 ann@example.com Ann')
  expect(compareRows(one, other)).toEqual({ ...none, isReordered: false })
})

test('a renamed column does not make every row a changed one', () => {
  const one = rowsOf('name email', 'A:25 Ann ann@example.com', 'A:25 Bo bo@example.com')
  const other = rowsOf('name mail', 'A:25 Ann ann@example.com', 'A:30 Bo bo@example.com')
  expect(compareRows(one, other).columns).toEqual({ missing: ['email'], added: ['mail'] })
  expect(differences(one, other)).toEqual([
    'added 3: A:30x1 Bo bo@example.com',
    'missing 3: A:25x1 Bo bo@example.com',
  ])
})

test('equal lines are those with the same product, quantity and cells', () => {
  const texts = ['A:25 Ann', 'B:25 Ann', 'A:25.0 Ann', 'A:25x2 Ann', 'A:25 Cy', 'B:25 Ann', 'A:25 Ann']
  const rows = rowsOf('name', ...texts)
  expect(findEqualLines(rows)).toEqual([
    [2, 4, 8],
    [3, 7],
  ])
  const ofFlags = { ...rows, rows: rows.rows.map((each) => ({ ...each, line: 0 })) }
  expect(findEqualLines(ofFlags)).toEqual([])
})
