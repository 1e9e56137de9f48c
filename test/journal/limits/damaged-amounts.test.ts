// What counts against limits in both databases: an amount that is damaged, missing or too large exceeds every limit.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { formatMillionths, uncountable } from '../../../src/contract/money/decimal.ts'
import { addUp, sumCounts } from '../../../src/journal/limits.ts'
import { testBatchScripts } from '../batches/batch-script.ts'
import { journalKinds } from '../journals.ts'

const largest = formatMillionths(uncountable - 1n)
/** The first order, of 750, is confirmed. */
const spent = 'save; place a slot=1 total=750; place b slot=2 total=1; start cap=1000; confirm a total=750'

testBatchScripts(
  `
  == a damaged total or standing of 750 exceeds a cap of 400
  ${spent}; start cap=400; damage a total much; confirm b total=1 → over-cap 400 with 750 by 1
  damage a standing lost; confirm b total=1 → over-cap 400 with 750 by 1

  == a damaged amount exceeds every cap and every budget
  ${spent}; limit day ${largest}; damage a counts -5; confirm b total=1 → over-cap 1000 with damage
  confirm c c total=0 → over-budget ${largest} per day with damage

  == a missing amount exceeds every cap and every budget
  ${spent}; limit day ${largest}; sql UPDATE orders SET counts = NULL WHERE order_id = 'a'
  confirm b total=1 → over-cap 1000 with damage
  confirm c c total=0 → over-budget ${largest} per day with damage

  == the next response replaces a damaged amount, and a damaged total
  limit day 100; place a; confirm a; end done; sql UPDATE orders SET counts = NULL; get a successful total=25
  read SELECT total, counts FROM orders → 25 25000000; damage a total much; get a successful total=30
  read SELECT total, counts FROM orders → 30 30000000

  == a sum of more than 64 bits exceeds the budget, and fails nothing
  limit day ${largest}; confirm a a total=${largest}; confirm b b total=0
  sql UPDATE orders SET counts = 9223372036854775807
  confirm c c total=1 → over-budget ${largest} per day with 18446744073709.551614 by 2

  == an amount is rounded up to a millionth
  limit day 0.000002; confirm a a total=0.0000001
  confirm b b total=0.0000011 → over-budget 0.000002 per day with 0.000001 by 1
  confirm c c total=0.000001; confirm d d total=0.0000001 → over-budget 0.000002 per day with 0.000002 by 2

  == what an order counts as never falls while its wallet is the same: its first confirm may still take effect
  limit day 1000; place a; confirm a total=40 accepted=[]; read SELECT counts FROM orders → 40000000
  end refused 400; sql UPDATE limits SET amount = '39'
  confirm a total=10 accepted=[] → over-budget 39 per day with 0 by 0
  confirm a total=10 wallet=EUR accepted=[]; read SELECT counts FROM orders → 10000000
  `,
  journalKinds,
)

// The type of a value is in the row, where a bad disk may change it. PostgreSQL keeps no types in its rows.
test.each(['much', '', new Uint8Array(2), -5, null, 1e30])('in SQLite, %j is damaged', (value) => {
  using database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE orders (counts)')
  const insert = database.prepare('INSERT INTO orders VALUES (?)')
  insert.run(750)
  insert.run(value)
  const rows = database.prepare(`SELECT ${sumCounts} AS sums FROM orders`).all()
  expect(addUp(rows)).toMatchObject({ orders: 2, isDamaged: true })
})
