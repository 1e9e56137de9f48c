// The constraints of the journal's tables, on both databases: they accept exactly what orderctl reads and writes.
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { parseDecimal } from '../../src/contract/money/decimal.ts'
import type { Value } from '../../src/journal/database/database.ts'
import { createTablesSql } from '../../src/journal/tables/list.ts'
import {
  amount,
  count,
  defineTable,
  flag,
  isAmount,
  isTime,
  oneOf,
  time,
} from '../../src/journal/tables/table.ts'
import { isAllRun } from '../support/cases.ts'
import { journalKinds } from './journals.ts'

const words = ['create', 'not-sent'] as const

/** A column of each type. */
const probe = defineTable({
  name: 'probe',
  columns: { amount, count, time, flag, word: oneOf(...words) },
  grant: 'SELECT',
})

const nines = fc.integer({ min: 56, max: 62 }).map((length) => '9'.repeat(length))

const digits = fc.string({ unit: fc.constantFrom('0', '1', '9'), minLength: 1, maxLength: 62 })

const amounts = fc.oneof(
  digits,
  nines,
  nines.map((fraction) => `0.${fraction}`),
  fc.tuple(digits, digits).map((parts) => parts.join('.')),
  fc.string({ unit: fc.constantFrom('0', '5', '.', '-', '+', 'e', 'E', ' ', '\n', '\0', '٣'), maxLength: 8 }),
  fc.string(),
  fc.constantFrom(
    '1e99999',
    'NaN',
    'Infinity',
    '1.',
    '.5',
    '-1',
    '-0',
    '+1',
    '01',
    '00',
    '1,5',
    '0x1',
    '1\0x',
  ),
)

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -3n, max: 3n }),
  fc.bigInt({ min: -3n, max: 3n }).map((more) => 2n ** 53n + more),
  fc.bigInt({ min: -3n, max: 3n }).map((more) => 8_640_000_000_000_000n + more),
)

const texts = fc.oneof(fc.constantFrom(...words, 'Create', 'create ', 'not_sent', ''), fc.string())

type Case = { readonly column: string; readonly value: Value; readonly isSound: boolean }

/** The parser also reads numbers with a sign or an exponent, as JSON has them. */
const isSoundAmount = (text: string): boolean => parseDecimal(text) !== undefined && !/[-e]/i.test(text)

const cases: fc.Arbitrary<Case> = fc.oneof(
  amounts.map((value) => ({ column: 'amount', value, isSound: isSoundAmount(value) })),
  integers.map((value) => ({ column: 'count', value, isSound: value >= 0n && value < 2n ** 53n })),
  integers.map((value) => ({ column: 'time', value, isSound: isTime(Number(value)) })),
  integers.map((value) => ({ column: 'flag', value, isSound: value === 0n || value === 1n })),
  texts.map((value) => ({ column: 'word', value, isSound: words.some((word) => word === value) })),
)

test.each(journalKinds)(
  'on $name, constraints refuse what orderctl cannot read, and nothing else',
  async ({ name, openShared }) => {
    const { query, close } = await openShared()
    onTestFinished(close)
    for (const sql of createTablesSql(name === 'SQLite' ? 'sqlite' : 'postgres', [probe])) await query(sql)
    const accepts = async ({ column, value }: Case): Promise<boolean> =>
      query(`INSERT INTO probe (${column}) VALUES ($value) RETURNING 1`, { value }).then(
        () => true,
        () => false,
      )
    await fc.assert(
      fc.asyncProperty(cases, async (each) => {
        expect(await accepts(each)).toBe(each.isSound)
      }),
      { numRuns: isAllRun ? 2_000 : 200 },
    )
    // Without a refusal by another rule, every case above would be refused.
    expect((await query('SELECT count(*) AS count FROM probe'))[0]?.count).toBeGreaterThan(50)
  },
)

test('an amount is what the constraint accepts', () => {
  fc.assert(
    fc.property(amounts, (text) => {
      expect(isAmount(text)).toBe(isSoundAmount(text))
    }),
  )
})
