// The amounts of a report are those of the service's own ledger, to the last unit.
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatDecimal } from '../../../src/contract/decimal.ts'
import type { Report, ReportKey } from '../../../src/contract/report/report.ts'
import { type Journal, openJournal } from '../../../src/journal/journal.ts'
import { createChargeQueries } from '../../../src/journal/report/charge-groups.ts'
import { buildReport } from '../../../src/operations/report/build-report.ts'
import { findJournalKind } from '../../journal/journals.ts'
import { isFullRun } from '../../support/cases.ts'
import { buyOrders, type LedgerCharge, sumBy } from './bought-orders.ts'

const count = isFullRun ? 100_000 : 3_000

type Span = { readonly from: number; readonly until: number }

const reportOf = async (journal: Journal, by: readonly ReportKey[], span: Span): Promise<Report> => {
  const { readChargeGroups } = journal.openTables(createChargeQueries)
  return buildReport(await readChargeGroups({ by, ...span }), { by, ...span })
}

const listCharged = ({ rows }: Report): Record<string, string> =>
  Object.fromEntries(
    rows
      .map((row) => [`${row.keys.join(' ')} ${row.currency}`, formatDecimal(row.charged)] as const)
      .filter(([, charged]) => charged !== '0')
      .toSorted(),
  )

const sumOrders = (ledger: readonly LedgerCharge[], keyOf: (charge: LedgerCharge) => string) =>
  sumBy(ledger.map((charge) => ({ key: keyOf(charge), currency: charge.currency, minor: charge.amount })))

const sumLines = (ledger: readonly LedgerCharge[]) =>
  sumBy(
    ledger.flatMap(({ currency, lines }) =>
      lines.map(({ sku, charge }) => ({ key: sku, currency, minor: charge })),
    ),
  )

describe.each(['SQLite', 'PostgreSQL'])('on %s', (name) => {
  const orders = name === 'SQLite' ? count : 60

  test(`${orders} orders cost what the ledger of the service says`, { timeout: 3_600_000 }, async () => {
    const { journal, readLedger, span, close } = await buyOrders(orders, 'report', async (now) =>
      name === 'SQLite' ? openJournal(':memory:', { now }) : (await findJournalKind(name).open()).journal,
    )
    onTestFinished(close)
    const ledger = readLedger()
    expect(ledger.length).toBeGreaterThan(orders * 0.9)
    // The times in PostgreSQL are those of its server.
    const all = name === 'SQLite' ? span : { from: 0, until: Date.now() + 60_000 }
    const report = (...by: ReportKey[]) => reportOf(journal, by, all)

    const byWallet = await report('wallet')
    expect(listCharged(byWallet)).toEqual(sumOrders(ledger, ({ currency }) => currency))
    expect(byWallet.unpriced).toBe(0)
    const totals = [...byWallet.totals.values()]
    expect(totals.reduce((sum, total) => sum + total.orders, 0)).toBe(ledger.length)
    expect(listCharged(await report('product'))).toEqual(sumLines(ledger))
    expect(listCharged(await report('reference-prefix'))).toEqual(
      sumOrders(ledger, ({ reference }) => reference.replace(/-\d+$/, '')),
    )
    if (name !== 'SQLite') return
    expect(
      totals.every(({ failed, partial, open }) => failed.orders * partial.orders * open.orders > 0),
    ).toBe(true)
    expect(listCharged(await report('day'))).toEqual(sumOrders(ledger, ({ day }) => day))
    expect(listCharged(await report('month', 'profile'))).toEqual(
      sumOrders(ledger, ({ day }) => `${day.slice(0, 7)} shop`),
    )
  })
})
