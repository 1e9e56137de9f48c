// src/journal/orders/entries.ts: damaged columns are reported, and get values that cannot lead to a second purchase.
import { expect, test } from 'vitest'
import { fromRow } from '../../../src/journal/orders/entries.ts'
import { calls, orders } from '../../../src/journal/tables/orders.ts'

const tableOf = (column: string) => (column in orders.columns ? orders : calls)

const bytes = new TextEncoder().encode('ref')

test.each<[string, unknown, unknown]>([
  ['placed_at', 1_700_000_000_000n, 1_700_000_000_000],
  ['number', 7n, 7],
  ['reference', 'ref', 'ref'],
  ['settled', 'no-effect', 'no-effect'],
  ['wallet', null, undefined],
])('%s: %o is read unchanged', (column, stored, value) => {
  const row = fromRow<Record<string, unknown>>({ [column]: stored }, tableOf(column))
  expect([Object.values(row)[0], row.damage]).toEqual([value, undefined])
})

test.each<[string, unknown, unknown]>([
  ['placed_at', 8_640_000_000_000_001n, 8_640_000_000_000_001],
  ['placed_at', null, Number.NaN],
  ['placed_at', 'yesterday', Number.NaN],
  ['number', 2n ** 53n, 2 ** 53],
  ['status', 1.5, 1.5],
  ['reference', bytes, 'ref'],
  ['reference', 12n, '12'],
  ['standing', null, 'confirming'],
  ['standing', 'expired', 'confirming'],
  // A call without a known outcome may have spent.
  ['outcome', 'dome', 'unknown'],
  ['outcome', null, 'unknown'],
  ['operation', 'conform', 'confirm'],
  ['settled', 'no-affect', undefined],
  // A damaged number of millionths may be any amount.
  ['counts', -1n, undefined],
  ['counts', 'many', undefined],
])('%s: %o is damaged', (column, stored, value) => {
  const { damage, ...fields } = fromRow<Record<string, unknown>>({ [column]: stored }, tableOf(column))
  expect([Object.values(fields)[0], damage]).toEqual([value, [column]])
})

test('names are in camel case', () => {
  expect(fromRow({ order_number: 3n, settled_at: 4n, profile_name: 'shop' }, calls)).toEqual({
    ...{ orderNumber: 3, settledAt: 4, profileName: 'shop' },
  })
})
