// The report page and the card sheet in Chromium, at the width of a telephone and on a screen.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { renderReportPage } from '../../src/commands/report/run.ts'
import { decimal } from '../../src/contract/money/decimal.ts'
import { doubtfulKinds, type Figures } from '../../src/contract/report/report.ts'
import { renderSheets } from '../../src/ui/cards/sheet.ts'
import { type Browser, noChromium, startChromium } from '../support/chromium.ts'
import { now, viewOf } from './screens.ts'

const charge = { orders: 12, charged: decimal('12345.67') }
const doubtful = Object.fromEntries(doubtfulKinds.map((kind) => [kind, charge])) as Pick<
  Figures,
  (typeof doubtfulKinds)[number]
>
const figures: Figures = { ...charge, ...doubtful, cards: 24, delivered: 20, duplicates: 1 }
const none = { orders: 0, charged: decimal('0') }
const usual: Figures = { ...figures, failed: none, open: none, unknown: none }
const renderWith = (shown: Figures) => {
  const rows = ['ana', 'procurement-department', `a name of ${'many'.repeat(20)} letters`].map((person) => ({
    ...shown,
    keys: [person, 'COFFEE-US'],
    currency: 'USD',
  }))
  const range = {
    from: 0,
    until: 1,
    by: ['person', 'product'] as const,
    subtotals: [],
    unpriced: 0,
    people: new Map(),
  }
  const totals = [{ ...shown, keys: [], currency: 'USD' }]
  return renderReportPage({ ...range, rows, totals }, viewOf(80))
}

describe.skipIf(noChromium !== '')(`in Chromium${noChromium}`, { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  const open = async (parts: Iterable<string>, width: number) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'page.html')
    writeFileSync(file, [...parts].join(''))
    return browser.openPage(`file://${file}`, { width, height: 900 })
  }

  test('a report at 400 pixels does not scroll sideways, and its smallest text has 10 pixels', async () => {
    const page = await open(renderWith(figures), 400)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400)
    expect(
      await page.evaluate(`[...document.querySelectorAll('td')].every(
        (cell) => cell.scrollWidth <= Math.ceil(cell.getBoundingClientRect().width))`),
    ).toBe(true)
    expect(
      await page.evaluate(`Math.min(...[...document.querySelectorAll('svg text, td, p')].map((each) =>
        Number.parseFloat(getComputedStyle(each).fontSize) * (each.getScreenCTM?.().a ?? 1)))`),
    ).toBeGreaterThanOrEqual(10)
    expect(await page.evaluate(`document.body.innerText`)).toContain('12,345.67 USD')
  })

  test.each([400, 1030, 1200])('no title, id or date of a report is broken at %d pixels', async (width) => {
    const page = await open(renderWith(usual), width)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    expect(
      await page.evaluate(`[...document.querySelectorAll('th, td')].filter((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        return cell.innerText.length <= 24 && !cell.classList.contains('bar') && tops.size > 1
      }).map((cell) => cell.innerText)`),
    ).toEqual([])
  })

  test.each(['A', 'A-CODE-OF-MANY-LETTERS-0123456789'])('the barcode of %s is centred', async (code) => {
    const sheet = { card: { sku: 'GAME-US', code }, name: 'Game', footer: '', texts: [] }
    const page = await open(renderSheets('Cards', [sheet], { now, timeZone: 'UTC' }), 900)
    const [bars, caption] = await page.evaluate(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('.bars figcaption'))
      return [document.querySelector('.barcode'), range].map((each) => {
        const { left, right } = each.getBoundingClientRect()
        return (left + right) / 2
      })
    })()`)
    expect(Math.abs(bars - caption)).toBeLessThan(1)
  })
})
