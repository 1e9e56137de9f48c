// The sums of charged orders, on both databases: exact whatever the amounts are. test/commands/report has every key.

import { formatDecimal } from '../../../src/contract/money/decimal.ts'
import type { ReportKey, ReportRow } from '../../../src/contract/report.ts'
import type { Access } from '../../../src/journal/access.ts'
import { readChargeGroups } from '../../../src/journal/charge-groups.ts'
import { buildReport } from '../../../src/operations/build-report.ts'
import type { Verbs } from '../../support/steps.ts'
import { journalKinds, type SharedJournal } from '../journals.ts'
import { createOrderDesk, done, update } from '../order-desk.ts'
import { createOrderVerbs, testScripts } from '../script.ts'

const today = new Date().toISOString().slice(0, 10)

const writeRows = (rows: readonly ReportRow[], name: (row: ReportRow) => string): string =>
  rows
    .map((row) =>
      [
        `${name(row)} ${formatDecimal(row.charged)}`,
        ...(row.unknown.orders > 0
          ? [`${row.unknown.orders} unknown ${formatDecimal(row.unknown.charged)}`]
          : []),
      ].join(' + '),
    )
    .join(', ')

const createReportVerbs = (shared: SharedJournal): Verbs => {
  const { journal } = shared
  const desk = createOrderDesk(journal)
  let count = 0
  const build = async (by: readonly ReportKey[], from = 0, until = Number.MAX_SAFE_INTEGER) => {
    const span = { by: [...by], from, until }
    return buildReport(await readChargeGroups(journal.read, span), span)
  }
  return {
    ...createOrderVerbs(shared),
    /** Confirms an order. `charged` is its last invoice, `on` its day by the service's clock. */
    buy: async ({ words: [total = '', outcome = 'done'], fields }) => {
      count += 1
      const { reference = `r${count}`, wallet = 'USD', charged, on, products, request } = fields
      const createdAt = on === undefined ? Date.now() - 1_000 : Date.parse(on)
      const begun = await desk.begin({ reference, wallet, ...(request && { request }) })
      const times = { createdAt, expiresAt: createdAt + 600_000, ...(products && { products }) }
      await desk.endCreate(begun, { ...done(`o${count}`), total, ...times }, 1_100)
      await desk.confirmed(`o${count}`, { outcome: outcome as 'done' })
      if (charged !== undefined)
        await desk.recordOrder(begun.order, update('successful', { total: charged, at: 9 }))
    },
    /** Each row: its key, its orders or cards, what they were charged, and what may have been charged. */
    report: async ({ words: [by = ''], fields: { from, until } }) => {
      const end = until ? Date.parse(until) : undefined
      const { rows } = await build([by as ReportKey], from ? Date.parse(from) : 0, end)
      return writeRows(rows, ({ keys, cards, orders }) => {
        return `${keys[0] === today ? 'today' : keys[0]} ${by === 'product' ? cards : orders}`
      })
    },
    /** The same of each currency. */
    totals: async () => {
      const { totals } = await build(['profile'])
      return writeRows(totals, ({ currency, orders }) => `${currency} ${orders}`)
    },
    /** The number of rows that the database returns. */
    rows: async ({ words: by }) => {
      let rows = 0
      const all: Access['all'] = async (sql, values) => {
        const found = await journal.read.all(sql, values)
        rows += found.length
        return found
      }
      const query = { by: by as ReportKey[], from: 0, until: Number.MAX_SAFE_INTEGER }
      await readChargeGroups({ ...journal.read, all }, query)
      return rows
    },
    unpriced: async () => (await build(['profile'])).unpriced,
  }
}

const line = '"productType":"fixed","quote":1,"quantity"'
const request = `{"productList":[{"sku":"A",${line}:2},{"sku":"B",${line}:3}]}`
const priced = '[["A","fixed","1",2,null,"10.5"],["B","fixed","1",3,null,null]]'

testScripts(
  journalKinds,
  `
  == amounts are added exactly
  buy 0.1; buy 0.2; buy 0.1; buy 0.00000001; totals → USD 4 0.40000001
  buy 123456789012345678901234567890.5; totals → USD 5 123456789012345678901234567890.90000001

  == the last invoice counts, not the first
  buy 25 charged=24.5; totals → USD 1 24.5

  == currencies are never added
  buy 25; buy 25 wallet=EUR; totals → EUR 1 25, USD 1 25

  == the database groups the orders, so that a report of many needs little memory
  buy 25; buy 25; buy 25; buy 10; buy 10 wallet=EUR
  rows profile → 3; rows month person → 3; rows product → 3; rows order → 5

  == an order whose result cannot be read is open
  buy 25 charged=25; damage o1 result gone; totals → USD 1 25

  == an order counts only if its confirm was sent
  place x1 created; place x2 refused; confirm x2; end refused 400; totals; buy 7 unknown
  totals → USD 0 0 + 1 unknown 7

  == an order whose amount cannot be read is left out, and hides no other
  buy 25; buy 1; buy 3; damage o2 total free; unpriced → 0; totals → USD 2 28; orders → r3, r2, r1

  == an order without an amount is counted, and said
  buy 25; buy 25; sql UPDATE orders SET total = NULL WHERE order_id = 'o2'; unpriced → 1; totals → USD 2 25

  == a month begins and ends in UTC
  buy 1 on=2020-12-31T23:59Z; buy 2 on=2021-01-01T00:00Z; buy 3 on=2021-01-31T23:59Z
  report month → 2020-12 1 1, 2021-01 2 5

  == an order counts on the day of the service if the clock of the machine was wrong
  buy 1 on=2031-05-05T12:00Z; buy 2 on=2019-01-31T23:59Z; buy 4
  report day → 2019-01-31 1 2, today 1 4, 2031-05-05 1 1
  report month from=2019-01-01 until=2019-02-01 → 2019-01 1 2

  == the amounts of products that are not known are shown apart
  buy 25 request=${request} products=${priced}
  report product → (unknown) 0 14.5, A 2 10.5, B 3 0
  `,
  createReportVerbs,
)
