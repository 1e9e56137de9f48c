// Budgets in both databases: what counts against them, and what proof releases.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getAccountId } from '../../../src/contract/account-id.ts'
import { formatMillionths } from '../../../src/contract/money/decimal.ts'
import { findPeriod, periods } from '../../../src/contract/time.ts'
import {
  type BudgetUse,
  findExceeded,
  type Limit,
  listLimits,
  noneCommitted,
  readBudgets,
  setLimit,
  type Use,
} from '../../../src/journal/limits.ts'
import type { ConfirmIntent } from '../../../src/journal/orders/calls.ts'
import { testBatchScripts } from '../batches/batch-script.ts'
import { everyJournalKind, type JournalKind, journalKinds } from '../journals.ts'
import { openFor } from '../open.ts'
import { callsOf, confirmIntent, owner } from '../order-desk.ts'
import { testScripts } from '../script.ts'
import { testTwoProcesses } from '../two-processes.ts'

const { account } = owner

// Without the clock: on the last day of a month, its budget ends with that of the day.
test('of several exceeded budgets, the one that ends last is reported', () => {
  const use = (until?: number) => ({
    ...({ scope: 'command', amount: '1' } as const),
    currency: 'USD',
    spent: noneCommitted,
    until,
  })
  const find = (...ends: (number | undefined)[]) => findExceeded(ends.map(use) as Use[], 2_000_000n)?.until
  expect([find(2, 3, 1), find(2, undefined, 3)]).toEqual([3, undefined])
})

/** Amounts of these tests are whole numbers. */
const addUp = ({ spent }: BudgetUse): number => Number(formatMillionths(spent.millionths))

const open = async (kind: JournalKind) => {
  const { journal, query, damage } = await openFor(kind)
  const begin = (orderId: string, fields: Partial<ConfirmIntent> = {}) =>
    callsOf(journal).beginConfirm(confirmIntent(orderId, { reference: orderId, ...fields }))
  /** Begins to confirm an order that counts from then on. */
  const spendAt = async (at: number, orderId: string, fields: Partial<ConfirmIntent>) => {
    expect((await begin(orderId, fields)).kind).toBe('started')
    await query('UPDATE orders SET reserved_at = $at WHERE order_id = $orderId', { at, orderId })
  }
  const limitPerDay = (amount: string) => setLimit(journal, account, { kind: 'day', currency: 'USD', amount })
  return { journal, damage, begin, spendAt, limitPerDay }
}

test.each(everyJournalKind)(
  'on $name, of confirms at once, only those within the budget are started',
  async (kind) => {
    const { journal, begin, limitPerDay } = await open(kind)
    await limitPerDay('125')
    const ids = Array.from({ length: 20 }, (_, index) => `o${index}`)
    const kinds = await Promise.all(ids.map(async (id) => (await begin(id)).kind))
    expect(kinds.filter((each) => each === 'started')).toHaveLength(5)
    expect(kinds.filter((each) => each === 'over-limit')).toHaveLength(15)
    const limits = await listLimits(journal.read, account)
    expect((await readBudgets(journal.read, account, limits)).map(addUp)).toEqual([125])
  },
)

testTwoProcesses(`
  == while another process begins a confirm, another confirm of the budget waits, and counts it
  place a a; limit day 25
  while confirm other other: confirm own own → waits, over-budget 25 per day with 25 by 1

  == while another process begins a confirm, a new budget waits, and counts it
  place a a; while confirm other other: limit day 25 → waits; spent → 25

  == while another process sets a budget, a confirm waits, and obeys it
  place a a; while limit day 24: confirm own own → waits, over-budget 24 per day with 0 by 0
`)

testScripts(
  journalKinds,
  `

  == an unknown outcome counts until it is proven that it expired
  limit day 25; place a a; confirm a; end unknown; expire a; spent → 0

  == an unknown outcome counts as a person decides
  limit day 25; place a a; confirm a; end unknown; decide a spent; spent → 25
  limit day 50; place b b; confirm b; end unknown; decide b unspent; spent → 25

  == an order that was confirmed elsewhere counts from when it is seen, also after a failure
  limit day 25; place a a; spent → 0; get a confirmed; spent → 25; get a failed; spent → 25

  == orders in a different currency neither count nor are limited
  limit day 25; limit day 10 EUR; confirm a a wallet=GBP; confirm b b; spent → 0, 25; confirm c c wallet=GBP

  == a budget of a declared account counts orders that may be its own
  limit day 25 name=eu; confirm a a name=us; spent name=eu → 0; confirm b b; spent name=eu → 25
  confirm c c name=eu → over-budget 25 per day of eu with 25 by 1
  confirm d d → over-budget 25 per day of eu with 25 by 1
  confirm e e name=us; confirm f f origin=https://elsewhere.example

  == of an exceeded budget per day and one per order, the latter is reported
  limit day 30; confirm a a; confirm b b → over-budget 30 per day with 25 by 1
  limit order 20; confirm b b → over-budget 20 per order with 0 by 0

  == an overcharge counts in full, and a lower charge frees nothing
  limit day 100; place a a; confirm a; end done; get a successful total=60; spent → 60
  get a successful total=10; spent → 60; confirm b b total=41 → over-budget 100 per day with 60 by 1
  confirm b b total=40; spent → 100

  == an accepted change counts with its own total and wallet
  limit day 500; limit day 500 EUR; place a a; confirm a total=40 wallet=EUR accepted=[]; spent → 40, 0
  `,
)

/** Two orders of a batch, of 50 and 27.5. */
const batchOfTwo = 'save; place a slot=1 total=50; place b slot=2 total=27.5'

testBatchScripts(`
  == of a cap and a budget that an order exceeds, the cap is reported
  ${batchOfTwo}; start cap=77; limit day 60; limit order 27 EUR; confirm a total=50
  confirm b total=27.5 → over-cap 77 with 50 by 1; confirm c c total=10.1 → over-budget 60 per day with 50 by 1
  start cap=77.5; confirm b total=27.5 → over-budget 60 per day with 50 by 1; limit day 77.5; confirm b total=27.5

  == an order of a batch that is confirmed again after a refusal counts once
  ${batchOfTwo}; start cap=50; limit day 50; confirm a total=50; end refused 400; confirm a total=50; end unknown
  committed → 50 by 1; spent → 50; confirm b total=27.5 → over-cap 50 with 50 by 1

  == the overcharge of an order counts against the cap of its batch
  ${batchOfTwo}; start cap=80; confirm a total=50; end done; get a successful total=60; committed → 60 by 1
  confirm b total=27.5 → over-cap 80 with 60 by 1

  == a batch whose cap no one has consented to spends nothing
  ${batchOfTwo}; sql UPDATE batches SET max_total = NULL; confirm a total=50 → over-cap 0 with 0 by 0
`)

describe.each(journalKinds)('on $name', (kind) => {
  test.each([
    ['day', Date.UTC(2026, 6, 15), Date.UTC(2026, 6, 16)],
    ['week', Date.UTC(2026, 6, 13), Date.UTC(2026, 6, 20)],
    ['month', Date.UTC(2026, 6, 1), Date.UTC(2026, 7, 1)],
  ] as const)(
    'a %s counts its first and its last millisecond, and none outside',
    async (period, from, until) => {
      const { spendAt, journal } = await open(kind)
      const counts: number[][] = []
      for (const [at, total] of [from - 1, from, until - 1, until].map((at, index) => [at, 2 ** index])) {
        await spendAt(Number(at), `o${total}`, { total: String(total) })
        const budget = { kind: period, currency: 'USD', amount: '50', readAt: Number(at) } as Limit
        counts.push((await readBudgets(journal.read, account, [budget])).map(addUp))
      }
      expect(counts).toEqual([[1], [2], [2 + 4], [8]])
    },
  )

  test('a budget counts what a plain addition of all orders counts', async () => {
    const { spendAt, journal } = await open(kind)
    const now = Date.UTC(2026, 8, 1, 12, 30)
    const draw = fc.tuple(
      fc.constantFrom(undefined, 'eu', 'us'),
      fc.constantFrom('USD', 'USD', 'EUR'),
      fc.constantFrom('1', '2', '2', '40'),
      fc.integer({ min: -40 * 24, max: 1 }),
    )
    const orders = fc.sample(draw, 40).map(([name, wallet, total, hours], index) => {
      return { name, wallet, total, at: now + hours * 3_600_000, number: index + 1 }
    })
    for (const { name, wallet, total, at, number } of orders)
      await spendAt(at, `o${number}`, { wallet, total, account: getAccountId(owner.origin, name) })
    const limits = periods.flatMap((period) =>
      [undefined, 'eu'].map((accountName) => ({
        ...{ kind: period, currency: 'USD', amount: '50', accountName, readAt: now },
      })),
    )
    const uses = await readBudgets(journal.read, account, limits as Limit[], 7)
    const counts = limits.map(({ kind: period, accountName }) =>
      orders
        .filter(({ name }) => name === undefined || accountName === undefined || name === accountName)
        .filter(({ wallet, number }) => wallet === 'USD' && number !== 7)
        .filter(({ at }) => at >= findPeriod(period, now).from)
        .reduce((sum, { total }) => sum + Number(total), 0),
    )
    expect(uses.map(addUp)).toEqual(counts)
  })

  test('a damaged amount prevents every confirm', async () => {
    const { begin, damage, limitPerDay } = await open(kind)
    await limitPerDay('25')
    await damage('limits', 'amount', 'much')
    await expect(begin('a')).rejects.toMatchObject({ kind: 'local-state' })
  })
})
