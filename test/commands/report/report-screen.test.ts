// The widths of a report, and its page. report.session shows it.
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { renderReport, renderReportPage } from '../../../src/commands/report/run.ts'
import { decimal } from '../../../src/contract/money/decimal.ts'
import type { Charge, Figures, Report } from '../../../src/contract/report.ts'
import { isAllRun } from '../../support/cases.ts'
import { viewOf } from '../../ui/screens.ts'

const charge = (orders: number, charged: string): Charge => ({ orders, charged: decimal(charged) })
const none = charge(0, '0')
const problems = { failed: charge(1, '25'), partial: charge(1, '75.25') }
const unfinished = { open: charge(1, '10'), unknown: charge(1, '99.99') }
const figures = (orders: number, charged: string, more: Partial<Figures> = {}): Figures => ({
  ...{ ...charge(orders, charged), cards: orders * 2, delivered: orders * 2, duplicates: 0 },
  ...{ failed: none, partial: none, open: none, unknown: none, ...more },
})

const report: Report = {
  ...{ from: Date.UTC(2026, 0), until: Date.UTC(2026, 3), by: ['month'], unpriced: 0 },
  rows: [
    { keys: ['2026-03'], currency: 'JPY', ...figures(2, '3500') },
    { keys: ['2026-01'], currency: 'USD', ...figures(1_200, '1284.5') },
    { keys: ['2026-02'], currency: 'USD', ...figures(3, '100.25', problems) },
    { keys: ['2026-03'], currency: 'USD', ...figures(1, '10', unfinished) },
  ],
  totals: [
    { keys: [], currency: 'JPY', ...figures(2, '3500') },
    { keys: [], currency: 'USD', ...figures(1_204, '1394.75', { ...problems, ...unfinished }) },
  ],
}

const good: Report = {
  ...report,
  by: ['person', 'product'],
  rows: [
    { keys: ['ana', 'GAME-US'], currency: 'USD', ...figures(40, '1000') },
    { keys: ['ana', 'a product with a long name'], currency: 'USD', ...figures(2, '50') },
    { keys: ['ben\u001b[31m', 'GAME-US'], currency: 'USD', ...figures(1, '0.5') },
  ],
  totals: [{ keys: [], currency: 'USD', ...figures(43, '1050.5') }],
}

test('no line is wider than the terminal, and colours change nothing else', () => {
  for (let width = 40; width <= 140; width += isAllRun ? 1 : 7) {
    for (const each of [report, good]) {
      const plain = renderReport(each, viewOf(width))
      const coloured = renderReport(each, viewOf(width, true))
      expect(coloured).not.toBe(plain)
      expect(stripVTControlCharacters(coloured)).toBe(plain)
      const lines = plain.split('\n')
      expect(lines.filter((line) => line.length > width)).toEqual([])
    }
  }
})

describe('the page', () => {
  const draw = (each: Report): string => [...renderReportPage(each, viewOf(80))].join('')
  const page = draw(good)

  test('has a table of each currency', () => {
    expect(draw(report).match(/<table/g)).toHaveLength(2)
    expect(page).toContain('>1,050.50 USD</h2>')
  })

  test('loads nothing, runs nothing and links to nothing', () => {
    expect(page).toContain("default-src 'none'")
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\s(?:src|href|style|on\w+)=|url\(|@import/)
  })

  test('shows text from orders as text', () => {
    const keys = ['<b>"&\'', '\u202e\u0007']
    const text = draw({ ...good, rows: good.rows.slice(0, 1).map((row) => ({ ...row, keys })) })
    expect(text).toContain('>&lt;b&gt;&quot;&amp;&#39;</td><td data-label="PRODUCT">\\u{202e}\\u{7}</td>')
    expect(text).not.toContain('<b>')
  })

  test('is readable in the dark and on paper', () => {
    expect(page).toContain('prefers-color-scheme: dark')
    expect(page).toContain('@media print')
  })

  test('without orders says so', () => {
    expect(draw({ ...good, rows: [], totals: [] })).toContain('No charged orders in this period.')
  })
})
